"""Certificates that are wrong, by accident or on purpose: whatever is changed, nothing false is ever verified."""

import contextlib
import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from second_checker import second
from shuttle import EDGES, MANY, NUMBER, STATES, certificate, edge, rule, shuttle, steps_of

import exactnn as xn
from exactnn.errors import CertificateError
from exactnn.networks.network_file import network_to_json
from tests.promptness import promptly

N = 10
TRUE = certificate(N)
TRUTH = ("halted", 66)


def places(data, path=()):
    """Yield the path of every value inside JSON data."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def at(data, path):
    for key in path:
        data = data[key]
    return data


def changed(path, value, data=TRUE):
    data = copy.deepcopy(data)
    at(data, path[:-1])[path[-1]] = value
    return data


def refused(data, match=None):
    with pytest.raises(CertificateError, match=match) as caught:
        xn.check_certificate(data)
    assert len(str(caught.value)) < 1000
    assert "\n" not in str(caught.value)
    assert second(data) in (None, TRUTH)  # what is wrong and not used, it may overlook
    return True


def is_true(checked):
    """Whether what was verified is what happens."""
    if checked.outcome is xn.Outcome.NON_HALTING:
        return never(checked.network, checked.word)
    run = xn.run(checked.network, checked.word, arithmetic=xn.RATIONAL, max_steps=checked.steps)
    return (run.outcome, run.eos_steps) == (checked.outcome, checked.eos_steps)


def never(network, word):
    """Whether there is no verdict for a long time."""
    run = xn.run(network, word, arithmetic=xn.RATIONAL, max_steps=len(word) + 3000)
    return run.outcome in (xn.Outcome.NON_HALTING, xn.Outcome.STEP_LIMIT)


def test_the_example_itself_is_true():
    assert is_true(xn.check_certificate(TRUE))


def neighbours(value):
    """Values that are nearly `value`."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 1]
    if isinstance(value, str):
        if value.startswith(("0x", "-0x")) and "/" not in value:
            return [hex(int(value, 16) + d) for d in (-1, 1, 2)]
        return [text for text in ("0", "1", "slu", "relu", "heaviside", "identity", "rejected") if text != value]
    if isinstance(value, list):
        return [value[:-1], value + value[-1:], value[::-1]] if value else [[0]]
    return []


def mutants_of(data):
    """Every place, with every value that is nearly what is there."""
    return [(path, value) for path in places(data) for value in neighbours(at(data, path)) if value != at(data, path)]


MUTANTS = mutants_of(TRUE)


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("part", range(7))
def test_no_mutant_that_is_false_is_verified(part):
    """All that are verified say the truth of the network that they name, perhaps another one."""
    assert len(MUTANTS) > 500
    for path, value in MUTANTS[part::7]:
        with contextlib.suppress(CertificateError):
            checked = xn.check_certificate(changed(path, value))
            assert is_true(checked), (path, value)


RULE = TRUE["rules"][0]
FALSE_RULES = {
    "it uses itself": {"moves": [["rule", 0, 0], ["edges", 8]]},
    "it uses a later rule": {"moves": [["edges", 8], ["rule", 1, 0]]},
    "no move": {"moves": []},
    "half a round": {"moves": [["edges", 4]]},
    "a round and a half": {"moves": [["edges", 12]]},
    "a rule without a count": {"moves": [["rule", 0]]},
    "the last token seems to have others below": {"whole": [False, True]},
    "a stack that is empty seems to have limbs": {"whole": [True, False]},
    "no flag": {"whole": []},
    "a flag that is a number": {"whole": [1, 1]},
    "no counts": {"counts": []},
    "counts that are no list": {"counts": None},
    "a count with an unknown that it has not": {"counts": [[["0x1", [1]]]]},
    "a count with a term twice": {"counts": [[["0x1", [0]], ["0x1", [0]]]]},
    "one round more than there can be": {"counts": [[["0x1/0x2", [0]]]]},
    "a round less, which leaves more tokens": {"counts": [[["0x1/0x2", [0]], ["-0x2", []]]]},
    "half a round too many": {"counts": [[["0x1/0x2", [0]], ["-0x1/0x2", []]]]},
    "no round": {"counts": [[]]},
    "fewer than no rounds": {"counts": [[["-0x1", [0]]]]},
    "nothing is said of many rounds": {"many": None},
    "many rounds are nothing": {"many": []},
    "more lengths than open runs": {"many": MANY | {"lengths": MANY["lengths"] * 2}},
    "other lengths after many rounds": {"many": MANY | {"lengths": [[["0x1", [0]], ["-0x1", [1]]]]}},
    "other lengths after no round": {"many": MANY | {"lengths": [[["0x1", [0]], ["-0x2", [1]], ["0x1", []]]]}},
    "other steps after many rounds": {"many": MANY | {"steps": MANY["steps"][:2]}},
    "other steps after no round": {"many": MANY | {"steps": [*MANY["steps"], ["0x1", []]]}},
    "rounds from a number on that is not reached": {"many": MANY | {"first": 64}},
    "a base that nothing uses, and which is 1": {"many": MANY | {"bases": [1]}},
    "an unknown beyond the bases": {"many": MANY | {"steps": [*MANY["steps"], ["0x1", [2]]]}},
    "a length that falls, as known": {"stacks": [[[1, "0xa"]], []], "many": None},
    "another limb": {"stacks": [[[0]], []]},
    "three numbers for a run": {"stacks": [[[1, 2, 3]], []]},
    "no numbers for a run": {"stacks": [[[]], []]},
}


@pytest.mark.parametrize("name", FALSE_RULES)
def test_rules_that_are_false(name):
    assert refused(changed(("rules", 0), RULE | FALSE_RULES[name]))


def test_a_rule_is_used_as_often_as_it_is_said():
    """Rules about rules: a round before the use of another rule, and a round of two rounds."""
    one, rest = [["0x1", []]], [["0x1/0x2", [0]], ["-0x1", []]]
    outer = RULE | {"moves": [["edges", 8], ["rule", 0, 0]], "counts": [one], "many": None}
    twice = changed(("rules",), [RULE | {"counts": [rest, one]}, outer])
    assert is_true(xn.check_certificate(changed(("path",), [["rule", 1, 0], ["edges", 6]], twice)))
    assert refused(changed(("path",), [["rule", 1, 0], ["rule", 0, 0], ["edges", 6]], twice))  # nothing is left for it
    assert refused(changed(("path",), [["rule", 1, 0], ["rule", 0, 2], ["edges", 6]], twice))  # no such count
    single = [["rule", 0, 1]] * 4
    assert is_true(xn.check_certificate(changed(("path",), [*single, ["edges", 6]], twice)))
    double = RULE | {"moves": [["edges", 16]], "counts": [one], "many": None}
    once = changed(("rules",), [RULE, double])
    assert is_true(xn.check_certificate(changed(("path",), [*[["rule", 1, 0]] * 2, ["edges", 6]], once)))


def test_nothing_that_ends_is_said_to_go_on_for_ever():
    data = changed(("end", "outcome"), "proven non-halting")
    for path in ([["rule", 0, None]], [["rule", 0, 0]], [["edges", 8]], [["rule", 0, None], ["edges", 6]], []):
        for steps in (0, 36, 55, 66):
            assert refused(changed(("path",), path, changed(("end", "eos_steps"), hex(steps), data)))


def may_be_true(path, value):
    """Whether a mutant of the proof says the same: a part that nothing uses, another order, or empty stacks."""
    if path[-1] == "clears":
        found = at(TRUE, path[:-1])
        values, wanted = list(STATES.values())[found["state"]]
        return value == [0] and (values[0] == "0" or (wanted == 0 and found["last"]))
    if path[2:3] in {("counts",), ("many",)}:  # terms in another order, a count that nothing uses, one round at least
        before = at(TRUE, path)
        reordered = isinstance(value, list) and sorted(map(str, value)) == sorted(map(str, before))
        return reordered or (path[-1] == "counts" and value[:1] == before) or (path[-1], value) == ("first", 1)
    return path in {("rules",), ("states",), ("edges",)} or (path[-1] == "stacks" and sum(map(len, value)) == 1)


@pytest.mark.mostly_slow(quick=1)
@pytest.mark.parametrize("part", range(3))
def test_every_mutant_of_the_proof_is_refused(part):
    for path, value in MUTANTS[part::3]:
        if path[0] != "network" and not may_be_true(path, value):
            assert refused(changed(path, value)), (path, value)


@given(st.lists(st.sampled_from(MUTANTS), min_size=2, max_size=3))
def test_several_changes_at_once(mutants):
    data = TRUE
    for path, value in mutants:
        with contextlib.suppress(LookupError, TypeError):
            data = changed(path, value, data)
    with contextlib.suppress(CertificateError):
        assert is_true(xn.check_certificate(data))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=3) | st.just("0x1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


@given(st.sampled_from([path for path in places(TRUE) if path]), JSON)
def test_any_value_anywhere(path, value):
    with contextlib.suppress(CertificateError):
        assert is_true(xn.check_certificate(changed(path, value)))


@pytest.mark.parametrize("value", [None, True, 1.5, [], "x"])
def test_no_dictionary(value):
    refused(value, "is no certificate: give what exactnn.load_certificate reads")


def test_no_dictionary_of_the_kind():
    refused({}, 'this is no certificate: "format" is None, and must be')
    refused({"format": 3}, 'this is no certificate: "format" is 3, and must be')


def test_the_network_by_its_name():
    certificate = xn.run("palindrome", "aba", certify=True).certificate
    assert xn.check_certificate(certificate, network="palindrome")
    with pytest.raises(CertificateError, match="of another network"):
        xn.check_certificate(certificate, network="anbn")


@pytest.mark.parametrize("key", [*TRUE])
def test_every_part_is_needed(key):
    refused({name: value for name, value in TRUE.items() if name != key})


# What somebody might write who wants to have a false run verified.


def with_edge(name, last, **fields):
    """The certificate with fields of an edge changed."""
    data = copy.deepcopy(TRUE)
    (found,) = [e for e in data["edges"] if (e["state"], e["last"]) == (NUMBER[name], last)]
    found |= fields
    return data


@pytest.mark.parametrize("row", EDGES, ids=str)
def test_an_edge_to_any_other_state_is_refused(row):
    for target in STATES:
        if target != row[2]:
            refused(with_edge(row[0], bool(row[1]), target=NUMBER[target]), "edge")


def test_a_number_that_is_small_but_not_zero():
    """Most of x is said to be nothing, however far down the digits are."""
    refused(with_edge("over", False, target=NUMBER["over done"]), "edge 0")
    data = copy.deepcopy(TRUE)
    data["states"].append({"values": [["0x0", 200, 1, 0], "0", "0", "0"], "wanted": -1})
    data["edges"].append(edge("over", False, "over done", []) | {"state": len(data["states"]) - 1, "limb": 0})
    refused(data, f"edge {len(EDGES)}")


def test_steps_without_the_limb_that_they_need():
    data = copy.deepcopy(TRUE)
    data["states"][NUMBER["over"]]["wanted"] = -1
    data["edges"][0]["limb"] = 0
    refused(data, "edge 0: unit 'x popped': its slu of a number between -1 and 1 depends on limbs further down")


def test_a_rule_with_too_many_rounds():
    for rounds in (N // 2, N, 10**1000):
        refused(changed(("rules", 0, "counts", 0), [[hex(rounds), []]]), "rounds in a row are not possible")


@pytest.mark.parametrize("entry", [[1, 1], [0], [0, 1]])
def test_a_rule_that_is_used_for_other_stacks(entry):
    refused(changed(("rules", 0, "stacks"), [[entry], []]))


def test_a_limb_that_stands_alone_is_not_a_run():
    refused(changed(("rules", 0), rule("turned at x", [[], [[1, 1]]], 1)), "rule 0")
    alone = rule("turned at x", [[[1, 1]], [[1, 1]]], 1)
    refused(changed(("rules", 0), alone), "rule 0: its round does not come back")


def test_a_rule_across_the_verdict():
    refused(changed(("rules", 0), rule("empty, d = 1", [[], []], 1)), "a verdict comes within its round")


def test_a_rule_of_other_stacks_than_can_be():
    """The state wants a limb of a stack that is empty."""
    refused(changed(("rules", 0), rule("over", [[], [[1]]], 1)), "which is empty")


def test_a_rule_that_takes_more_than_there_is():
    for stacks, edges in (([[[1]], [[1]]], 3), ([[[1, 1]], [[1]]], 5), ([[[1], [1, 1]], [[1]]], 40)):
        for state in ("over", "turned at x", "back"):
            refused(changed(("rules", 0), rule(state, stacks, edges)), "rule 0")


def test_a_limb_zero_at_the_bottom():
    """The same numbers, but the last limb of a stack would not be seen to be the last."""
    refused(changed(("begin", "stacks"), [[[0, 1], [1, N]]]), "no limb 0 at the bottom")
    pushes = [[0, 0], [0, 1]]
    refused(with_edge("turned at x", False, pushes=pushes), "pushes the limb 0 on stack 0, which is empty")
    refused(with_edge("turned at x", True, pushes=pushes), "pushes the limb 0 on stack 0, which is empty")


def test_a_stack_that_no_head_refers_to():
    refused(changed(("begin", "stacks"), [[[1, N]], [], [[1, 1]]]), "begin: the stacks")
    refused(with_edge("over done", False, pushes=[[2, 1]]), "are not empty after it")
    refused(with_edge("over done", True, pushes=[[1, 1]]), "are not empty after it")


def test_a_head_on_an_empty_stack():
    refused(changed(("begin", "stacks"), []), "begin: the stacks")
    refused(with_edge("over", False, clears=[0]), "are not empty after it")
    refused(with_edge("over", True, target=NUMBER["over"], pushes=[[1, 1]]), "are not empty after it")


def test_the_last_limb_and_a_push_on_the_same_stack():
    refused(with_edge("over", True, target=NUMBER["over"], pushes=[[0, 1], [1, 1]]), "edge 1: component 0")


def test_a_verdict_that_is_passed_over():
    """The network's step after the halt is well defined, so that the steps themselves are true."""
    last = {"steps": 2, "outputs": [["0x1", 2]]}
    refused(with_edge("empty, d = 0", False, **last), "an output after its verdict")
    data = copy.deepcopy(TRUE)
    data["edges"].append(edge("halted, d = 0", None, "halted, d = 1", []))
    data["edges"].append(edge("halted, d = 1", None, "halted, d = 0", []))
    data["path"][-1][1] += 1
    data["end"]["eos_steps"] = steps_of(N) + 1
    refused(data, "goes on after the verdict halted")
    data["path"][-1][1] -= 1
    data["path"] += [["rule", 0, 0]]
    refused(data, "goes on after the verdict halted")
    begin = {"eos_steps": steps_of(N) + 1, "state": NUMBER["halted, d = 1"], "stacks": []}
    refused(changed(("begin",), begin), "a verdict comes before it")


def test_two_edges_of_one_state_and_limb():
    """Each must be true, and the later one counts."""
    again = changed(("edges",), [*TRUE["edges"], TRUE["edges"][3]])
    assert xn.check_certificate(again).eos_steps == steps_of(N)
    other = TRUE["edges"][3] | {"steps": TRUE["edges"][3]["steps"] + 1}
    for edges in ([*TRUE["edges"], other], [other, *TRUE["edges"]]):
        refused(changed(("edges",), edges))


def test_a_path_with_no_edge_to_follow():
    refused(changed(("edges",), TRUE["edges"][:-4]), "no edge from state")


def test_the_word_and_the_network_are_part_of_the_claim():
    for word in (["a"] * (N - 1), ["a"] * (N + 1), ["b"] * N, [["a"]] * N, ["EOS"] * N, "a" * N):
        refused(changed(("word",), word))
    network = network_to_json(shuttle())
    network["layers"][2][0]["linear"][3] = [0, "0x3"]
    refused(changed(("network",), network))
    refused(changed(("network", "protocol"), "end of word"))


HUGE = {
    "10^9 edges": (("path", 1), ["edges", 10**9]),
    "edges beyond any integer": (("path", 1), ["edges", "0x" + "f" * 30_000]),
    "a number of 10^7 digits": (("rules", 0, "counts", 0), [["0x" + "f" * 10**7, []]]),
    "a decimal of 4000 digits": (("path", 0), ["rule", 0, 10**4000]),
    "negative count": (("path", 0), ["rule", 0, "-0x4"]),
    "no such count": (("path", 0), ["rule", 0, 1]),
    "many terms": (("rules", 0, "many", "steps"), [["0x1", [0] * i] for i in range(2000)]),
    "a high degree": (("rules", 0, "counts", 0), [["0x1", [0] * 10**5]]),
    "many first rounds": (("rules", 0, "many", "first"), 10**9),
    "many bases": (("rules", 0, "many", "bases"), [2] * 10**5),
    "a long base": (("rules", 0, "many", "bases"), ["0x" + "f" * 10**5]),
    "negative edges": (("path", 1), ["edges", -6]),
    "negative run": (("begin", "stacks"), [[[1, "-0x5"]]]),
    "empty run": (("begin", "stacks"), [[[1, 0]]]),
    "huge run": (("begin", "stacks"), [[[1, "0x" + "f" * 1000]]]),
    "a long round": (("rules", 0, "moves"), [["edges", 10**9]]),
    "no edge": (("rules", 0, "moves"), [["edges", 0]]),
    "many rules": (("rules",), [{**RULE, "moves": [["edges", 1 << 14]]}] * 1000),
    "many runs": (("rules", 0, "stacks"), [[[1], [0]] * 10**5]),
    "10^9 steps": (("edges", 0, "steps"), 10**9),
    "many steps": (("edges",), [{**TRUE["edges"][0], "steps": 10**5}] * 100),
    "many outputs": (("edges", 0, "outputs"), [["0x0", 10**6]] * 1000),
    "late begin": (("begin", "eos_steps"), 10**12),
    "base 1": (("base",), 1),
    "huge base": (("base",), 10**1000),
    "long limbs": (("limb",), 10**9),
    "no limbs": (("limb",), 0),
    "huge limb": (("edges", 0, "limb"), 2),
    "many places": (("states", 0, "values", 0), ["0x0", 10**9, 1, 0]),
    "few places": (("states", 0, "values", 0), ["0x0", -(10**9), 1, 0]),
    "huge head": (("states", 0, "values", 0), ["0x" + "f" * 10**4, 0, 1, 0]),
    "sign 0": (("states", 0, "values", 0), ["0x0", 0, 0, 0]),
    "sign of truth": (("states", 0, "values", 0), ["0x0", 0, True, 0]),
    "no such stack": (("states", 0, "values", 0), ["0x0", 0, 1, 10**6]),
    "no such state": (("edges", 0, "target"), 99),
    "no such rule": (("path", 0), ["rule", 1, 0]),
    "state of no stack": (("states", 0, "wanted"), 2),
    "fraction": (("edges", 0, "steps"), 1.0),
    "not finite": (("edges", 0, "steps"), float("inf")),
    "output beyond": (("edges", 0, "outputs"), [["1e99999999", 1]]),
    "vector of outputs": (("edges", 0, "outputs"), [[["0x0"], 1]]),
    "symbols that are none": (("word",), [{}] * N),
    "unknown outcome": (("end", "outcome"), "step limit"),
}


@pytest.mark.parametrize("case", HUGE)
def test_numbers_out_of_range_are_refused_at_once(case):
    data = changed(*HUGE[case])
    with promptly():
        assert refused(data)


def test_deep_nesting():
    deep = []
    for _ in range(10**5):
        deep = [deep]
    for path in (("edges",), ("edges", 0, "outputs"), ("word",), ("states", 0, "values", 0), ("path", 0), ("network",)):
        data = {**TRUE}
        inner = data
        for key in path[:-1]:
            inner[key] = copy.copy(inner[key])
            inner = inner[key]
        inner[path[-1]] = deep
        refused(data)
