"""Exact runs of any length beside plain rationals: the ratio of their times, for new networks and for known ones.

A new network is a copy that no run has seen; a known one has run before, as in fuzzing, learning and sweeps. The code
of all modes is loaded before. Both arithmetics run in turn in one process, and the shortest time of several rounds
counts; garbage is collected between the lengths, as it is no part of a run.

    python benchmarks/any_length.py [NAME ...]
"""

import argparse
import gc
import time
from collections.abc import Iterator
from dataclasses import replace

from dense_networks import dense_network

import exactnn as xn
from exactnn.networks import Network

LENGTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 1024, 2048, 4096)
ROUNDS, LONGEST = 12, 0.3
"""Rounds, and the seconds of a run in rationals after which no longer one is measured."""
LEARNT = 40
"""Runs after which a network is known."""


def networks() -> Iterator[tuple[str, Network, str]]:
    """Yield a name, a network, and a word on which its runs are long."""
    for construction, machine, word in (
        ("siegelmann_sontag", "bb5", ""),
        ("siegelmann_sontag", "palindrome", "ab" * 20 + "ba" * 20),
        ("siegelmann_sontag_book", "bb5", ""),
        ("chung_siegelmann", "bb5", ""),
        ("carmantini", "bb5", ""),
        ("minsky", "parity", "0110" * 1024),
        ("second_order_network", "counting", "ab" * 2048),
        ("layered_stacks", "mirror-stacks", "ab" * 1000 + "#" + "ba" * 1000),
        ("merged_stacks", "mirror-stacks", "ab" * 1000 + "#" + "ba" * 1000),
        ("real_time_stacks", "anbn-stacks", "a" * 1000 + "b" * 1000),
        ("lstm_counter", "anbn-counter", "a" * 2000 + "b" * 2000),
    ):
        yield f"{construction} {machine}", xn.compile(machine, construction).network, word
    memory = xn.growing_memory("palindrome", precision=8, modules=16).network
    yield "growing_memory palindrome", memory, "ab" * 40 + "ba" * 40
    yield "lstm_anbn", xn.lstm_anbn().network, "a" * 2000 + "b" * 2000
    for size, weights, activation in (
        (3, "float64", "relu"),
        (8, "float64", "slu"),
        (8, "denominators <= 10", "relu"),
        (30, "denominators <= 10", "relu"),
        (8, "float64", "relu6"),
        (30, "denominators <= 10", "relu6"),
    ):
        network = dense_network(size, weights, activation)
        yield f"dense {activation} {size} units, {weights}", network, "ab" * 2048


def ratios(network: Network, word: str, *, known: bool) -> Iterator[tuple[int, float, float]]:
    """Yield the steps of a run, and the shortest times in EXACT and in RATIONAL, for each length."""
    if known:
        for _ in range(LEARNT):
            xn.run(network, word, max_steps=300)
    for length in LENGTHS:
        gc.collect()
        times, steps = dict.fromkeys((xn.EXACT, xn.RATIONAL), float("inf")), 0
        for _ in range(ROUNDS):
            for arithmetic in times:
                subject = network if known else replace(network)
                began = time.process_time()
                steps = xn.run(subject, word, arithmetic, max_steps=length).steps
                times[arithmetic] = min(times[arithmetic], time.process_time() - began)
        yield steps, *times.values()
        if steps < length or times[xn.RATIONAL] > LONGEST:
            return


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of the names of networks; all by default")
    wanted = parser.parse_args().names
    gc.disable()
    stacks = xn.compile("anbn-stacks", "real_time_stacks").network
    for _ in range(3):  # loads what there is to load
        xn.run(stacks, "a" * 200 + "b" * 200)
        xn.run(xn.lstm_anbn(), "a" * 2000 + "b" * 2000)
    print("| network | " + " | ".join(map(str, LENGTHS)) + " |")
    print("|---" * (1 + len(LENGTHS)) + "|")
    for name, network, word in networks():
        if wanted and not any(part in name for part in wanted):
            continue
        for known in (False, True):
            found = list(ratios(network, word, known=known))
            cells = [f"{exact / rational:.2f}" for _, exact, rational in found]
            cells += [""] * (len(LENGTHS) - len(cells))
            print(f"| {name}, {'known' if known else 'new'} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
