"""The operations of carriers, one lane after the other, as the loop does them."""

from numba import njit

from exactnn.simulation.carriers import carrier as of
from exactnn.simulation.carriers.rounded import carriers_of

add_numbers, fuse_numbers, convert_number = of.add, of.fuse, of.convert
multiply_numbers, multiply_term = of.multiply, of.multiply_again


def carrier_of(format):
    """Return the carrier of a format, given as the loops take it."""
    return carriers_of(format, format)[0]


@njit
def add(values, results, carrier, count):
    for lane in range(len(values)):
        results[lane] = add_numbers(results[lane], values[lane], carrier, count)


@njit
def multiply(factor, values, results, carrier, count):
    for lane in range(len(values)):
        results[lane] = multiply_numbers(factor, values[lane], carrier, count)


@njit
def multiply_all(values, results, carrier, count):
    for lane in range(len(values)):
        results[lane] = multiply_term(results[lane], values[lane], carrier, count)


@njit
def fuse(first, second, results, carrier, count):
    for lane in range(len(results)):
        results[lane] = fuse_numbers(results[lane], first[lane] * second[lane], carrier, count)


@njit
def convert(results, carrier, count):
    for lane in range(len(results)):
        results[lane] = convert_number(results[lane], 0, carrier, count)
