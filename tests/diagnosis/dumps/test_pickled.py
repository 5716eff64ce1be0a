"""Pickles are read as plain data, refused by name where they hold more, and never executed."""

import pickle  # noqa: TID251  writes what the reader must refuse; nothing here loads one
import sys
from collections import OrderedDict
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.dumps.flight import pickle_machine, plain_pickle
from apps.diagnosis.dumps.flight.pickle_machine import RefusedPickle
from apps.diagnosis.dumps.flight.plain_pickle import plain
from tests.diagnosis.dumps.dumping import pickled as written

KEYS = st.one_of(st.text(max_size=8), st.integers(-(2**40), 2**40), st.booleans(), st.none())
NUMBERS = st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False))
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, st.text(max_size=12))


def _nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.tuples(inner, inner),
            st.dictionaries(KEYS, inner, max_size=4),
        ),
        max_leaves=12,
    )


PLAIN = _nested(LEAVES)
# Protocols before 4 spell these as calls.
NEWER = _nested(st.one_of(LEAVES, st.binary(max_size=9), st.sets(KEYS), st.frozensets(KEYS)))


class Boom:
    """Leaves a mark when somebody loads it."""

    marks: list[str] = []  # noqa: RUF012  that it stays empty is the point

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (Boom.marks.append, ("loaded",))


@given(value=PLAIN, protocol=st.integers(0, 5))
def test_plain_data_comes_back_from_every_protocol(value: Any, protocol: int) -> None:
    assert plain(data=pickle.dumps(value, protocol=protocol)) == value


@given(value=NEWER, protocol=st.integers(4, 5))
def test_sets_and_bytes_come_back_from_newer_protocols(value: Any, protocol: int) -> None:
    assert plain(data=pickle.dumps(value, protocol=protocol)) == value


def test_shared_parts_and_memory_are_followed() -> None:
    shared = {"name": "a" * 40}
    value = [shared, shared, ("x", shared)]
    assert plain(data=written(value)) == value


@pytest.mark.parametrize(
    ("value", "opcode"),
    [
        (Decimal("1.5"), "GLOBAL"),
        (OrderedDict(a=1), "GLOBAL"),
        (len, "GLOBAL"),
    ],
)
def test_objects_are_refused_by_the_name_of_the_opcode(value: Any, opcode: str) -> None:
    with pytest.raises(RefusedPickle, match=f"opcode {opcode}"):
        plain(data=pickle.dumps(value, protocol=2))


def test_a_call_inside_a_dump_is_never_made() -> None:
    data = pickle.dumps({"version": "2.9", "entries": [Boom()]}, protocol=4)
    with pytest.raises(RefusedPickle):
        plain(data=data)
    assert Boom.marks == []


@pytest.mark.parametrize(
    ("data", "opcode"),
    [
        (b"\x80\x02cos\nsystem\n(U\x02idtR.", "GLOBAL"),
        (b"(U\x02idios\nsystem\n.", "INST"),
        (b"\x80\x02(]]o.", "OBJ"),
        (b"\x80\x02]]R.", "REDUCE"),
        (b"\x80\x02]]b.", "BUILD"),
        (b"\x80\x02])\x81.", "NEWOBJ"),
        (b"\x80\x02\x82\x01.", "EXT1"),
        (b"P1\n.", "PERSID"),
        (b"\x80\x02]Q.", "BINPERSID"),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "STACK_GLOBAL"),
        (b"\x80\x05\x97.", "NEXT_BUFFER"),
        (b"\x80\x02]2.", "DUP"),
    ],
)
def test_every_opcode_that_could_build_something_is_refused(data: bytes, opcode: str) -> None:
    with pytest.raises(RefusedPickle, match=f"opcode {opcode}\\b"):
        plain(data=data)


@given(data=st.binary(max_size=300))
def test_any_bytes_give_a_value_or_the_one_error(data: bytes) -> None:
    _read(data)
    _read(b"\x80\x02" + data)


@given(value=PLAIN, place=st.integers(0, 400), byte=st.integers(0, 255))
def test_a_changed_byte_gives_a_value_or_the_one_error(value: Any, place: int, byte: int) -> None:
    data = bytearray(pickle.dumps(value, protocol=2))
    data[place % len(data)] = byte
    _read(bytes(data))


def _read(data: bytes) -> None:
    # Any other error passes through and fails the test.
    with suppress(RefusedPickle):
        plain(data=data)


def test_references_that_multiply_are_refused() -> None:
    # Thirty lists, each holding the one before twice: a billion leaves in a few hundred bytes.
    value: list[Any] = []
    for _ in range(30):
        value = [value, value]
    data = written(value)
    assert len(data) < 500
    with pytest.raises(RefusedPickle, match="deeper or larger"):
        plain(data=data)


def test_a_value_that_contains_itself_is_refused() -> None:
    own: list[Any] = []
    own.append(own)
    with pytest.raises(RefusedPickle, match="contains itself"):
        plain(data=written(own))


def test_depth_beyond_any_dump_is_refused() -> None:
    with pytest.raises(RefusedPickle, match="deeper"):
        plain(data=b"\x80\x02]" + b"\x85" * 100 + b".")


def test_tuples_as_keys_are_refused_for_their_hash_can_cost_anything() -> None:
    with pytest.raises(RefusedPickle, match="as a key"):
        plain(data=written({(1, 2): 3}))


def test_numbers_that_could_be_made_to_collide_are_no_keys() -> None:
    with pytest.raises(RefusedPickle, match="as a key"):
        plain(data=written({2**61 - 1: 1}))


@pytest.mark.parametrize(
    ("limit", "value", "data"),
    [
        ("MOST_BYTES", 10, written(list(range(100)))),
        ("MOST_STEPS", 10, written(list(range(100)))),
        ("MOST_LONG", 10, written([2**40] * 11)),
        ("MOST_CONTAINERS", 10, written([[] for _ in range(100)])),
        ("MOST_REMEMBERED", 10, written([[] for _ in range(100)])),
        ("MOST_VALUES", 10, written(list(range(100)))),
    ],
)
def test_each_limit_holds(
    limit: str, value: int, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert plain(data=data)
    owner = next(each for each in (plain_pickle, pickle_machine) if hasattr(each, limit))
    monkeypatch.setattr(owner, limit, value)
    with pytest.raises(RefusedPickle):
        plain(data=data)


@pytest.mark.parametrize("data", [b"", b"\x80", b"\x80\x02]", b"\x80\x02.", b"\x80\x02]].", b"."])
def test_a_pickle_that_is_cut_or_holds_no_single_value_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedPickle):
        plain(data=data)


def test_a_number_takes_a_step_or_two() -> None:
    numbers = [2**40 + number for number in range(1000)]
    data = pickle.dumps(numbers)
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        assert plain(data=data) == numbers
    finally:
        sys.setprofile(None)
    assert calls < 2 * 1000
