"""An array of records becomes a line for each, read part by part; anything else stays as it is."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis import json_weight
from apps.telemetry.formats.json_array import lines_of_array

VALUES = st.recursive(
    st.one_of(st.none(), st.integers(-9, 9), st.text(st.sampled_from('[]{},:"\\ é\n'))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(st.sampled_from('",[]{}\\'), max_size=3), inner, max_size=3),
    ),
    max_leaves=8,
)
RECORDS = st.lists(st.dictionaries(st.text(max_size=2), VALUES, max_size=3), max_size=9)


def read(body: bytes) -> bytes:
    return b"".join(lines_of_array(source=[body] if body else []))


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> Iterator[None]:
    """Cut arrays nearly everywhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_weight, "BLOCK_BYTES", 7)
        yield


@given(records=RECORDS, indent=st.booleans())
def test_each_record_is_a_line_wherever_the_array_is_cut(records: Any, *, indent: bool) -> None:
    body = orjson.dumps(records, option=orjson.OPT_INDENT_2 if indent else 0)
    assert read(b" " + body + b"\n") == b"\n".join(map(orjson.dumps, records))


@pytest.mark.parametrize(
    "body",
    [
        *(b'[{"a":1},{"a":1},]', b'[{"a":1},,{"a":1}]', b'[,{"a":1}]', b"[,]"),
        *(b'[{"a":1}],[{"a":1}]', b'[{"a":1}', b'[{"a":1},1]', b'[{"a":1},{"a":[}]}]'),
        *(b'[{"a":"x}]', b'[{"a":1}{"a":1}]', b'[[{"a":1}]]', b'[{"a":1}] x'),
    ],
)
def test_what_is_no_array_of_records_stays_as_it_is(body: bytes) -> None:
    assert read(body) == body
