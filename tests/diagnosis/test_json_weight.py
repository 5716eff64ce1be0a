"""Values of a JSON text are counted on its bytes, and what stands in its strings is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis import json_weight
from apps.diagnosis.json_weight import has_more_values, is_heavier

TEXTS = st.text(st.sampled_from('ab\\",:[]{}é'), max_size=12)
VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=5),
        st.dictionaries(TEXTS, inner, min_size=1, max_size=5),
    ),
)


def count(value: Any) -> int:
    """Return how many keys and values there are inside a value."""
    if isinstance(value, dict):
        return 2 * len(value) + sum(map(count, value.values()))
    return len(value) + sum(map(count, value)) if isinstance(value, list) else 0


@given(value=VALUES)
def test_keys_and_values_are_counted_exactly(value: Any) -> None:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    found = count(value)
    assert not has_more_values(text=text, most=found)
    assert found == 0 or has_more_values(text=text, most=found - 1)


@pytest.mark.parametrize("text", [b'"a,b:[{"', b'"\\\\\\",[,,,"', b'"\\\\"'])
def test_what_stands_in_a_string_is_no_value(text: bytes) -> None:
    assert not has_more_values(text=text, most=0)


def test_a_string_that_crosses_blocks_stays_a_string(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_weight, "BLOCK_BYTES", 4)
    text = b'["' + b",:[{" * 9 + b'",1]'
    assert not has_more_values(text=text, most=2)
    assert has_more_values(text=text, most=1)


def test_objects_weigh_more_than_lists_and_lists_more_than_numbers() -> None:
    weights = [
        min(most for most in range(0, 9000, 8) if not is_heavier(text=text, most=most))
        for text in (b"[1,1,1,1]", b"[[[[1]]]]", b"[{},{},{}]")
    ]
    assert weights == sorted(weights)
