"""Whatever a file holds, each reader gives a value or one ExactnnError of one line, soon."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reader_inputs import READERS, contents, refusal, valid


@pytest.mark.parametrize("name", READERS)
def test_valid_files_are_read(name):
    refused = [refusal(name, content)[0] for content in valid(name)]
    assert None in refused


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_spoilt_files_are_read_or_refused(name, data):
    refusal(name, data.draw(contents(name)))


def deep(opening, closing=b""):
    return opening * 200_000 + closing * 200_000


STATES = b"".join(b"  q%d: {a: {R: q%d}}\n" % (i, i + 1) for i in range(3 * 10**5))
LARGE = {
    "nothing": b"",
    "many states": b"blank: _\nstart state: q0\ntable:\n" + STATES,
    "deep lists": deep(b"[", b"]"),
    "deep mappings": deep(b'{"a":', b"}"),
    "deep YAML": deep(b"- "),
    "aliases": b"a: &a0 [x]\n" + b"".join(b"a%d: &a%d [*a%d,*a%d]\n" % (i, i, i - 1, i - 1) for i in range(1, 60)),
    "entities": b'<!DOCTYPE x [<!ENTITY a0 "x">'
    + b"".join(b'<!ENTITY a%d "&a%d;&a%d;">' % (i, i - 1, i - 1) for i in range(1, 60))
    + b"]><x>&a59;</x>",
    "zeros": bytes(10**6),
    "one number": b"9" * 10**6,
    "one negative number": b"-" + b"9" * 10**6,
    "UTF-16": "blank: _\n".encode("utf-16") * 1000,
    "one text": b'"' + b"a" * 2 * 10**6 + b'"',
    "one key": b'{"' + b"a" * 2 * 10**6 + b'": 1}',
    "many keys": b"{" + b",".join(b'"k%d":1' % i for i in range(200_000)) + b"}",
    "many lines": b"\n" * 10**6,
    "one long line": b"1RB" * 400_000,
    "underscores": b"1RB1LB_" * 150_000,
}


@pytest.mark.mostly_slow(quick=120, slow=0)
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("what", LARGE)
def test_large_files_are_refused(name, what):
    begins_anew = name == "sweep" and what == "nothing"  # an empty file is a sweep of which nothing is done
    assert (refusal(name, LARGE[what])[0] is None) == begins_anew
