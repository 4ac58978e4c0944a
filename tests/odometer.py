"""A network that counts, whose cycle is known and may be of any length."""

from gmpy2 import mpq

from exactnn.networks import Activation, Circuit, Decision, Network, Protocol, Unit

__all__ = ["odometer"]


def odometer(digits, base, *, preperiod=0, verdict_at=None):
    """Return a network that adds 1 to a number of so many digits at each EOS, from 0 to the largest and on with 0.

    Its state comes again after base**digits EOS steps, and no earlier. If it begins with a digit below 0, that is
    `preperiod` steps before 0. No number on the way is beyond 2 * base. With `verdict_at` it accepts where the last
    digit is that.
    """
    first = digits + 1  # the register of the first carry, after the state and EOS
    layers, sums = [], []
    for digit in range(digits):
        # It is carried where digit + 1, or digit with a carry from before, is the base.
        carried = [(first + digit - 1, mpq(base))] if digit else []
        bias = mpq(2 - 2 * base if digit else 2 - base)
        linear = ((digit, mpq(1)), *carried)
        layers.append((Unit(name=f"carry {digit}", bias=bias, linear=linear, activation=Activation.HEAVISIDE),))
        carried = [(first + digit - 1, mpq(1))] if digit else []
        linear = ((digit, mpq(1)), *carried, (first + digit, mpq(-base)))
        sums.append(Unit(name=f"x{digit}", bias=mpq(not digit), linear=linear, activation=Activation.IDENTITY))
    layers.append(tuple(sums))
    silent = Unit(name="y", bias=mpq(0), linear=(), activation=Activation.IDENTITY)
    reached = Unit(
        name="y",
        bias=mpq(1 - (verdict_at or 0)),
        linear=((digits - 1, mpq(1)),),
        activation=Activation.HEAVISIDE,
    )
    return Network(
        circuit=Circuit(
            state_size=digits,
            input_size=1,
            layers=tuple(layers),
            next_state=tuple(first + digits + digit for digit in range(digits)),
        ),
        initial_state=(mpq(-preperiod), *[mpq(0)] * (digits - 1)),
        readout=(silent if verdict_at is None else reached,),
        alphabet=("EOS",),
        decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1, 2)),
        name=f"odometer({digits}, {base})",
    )
