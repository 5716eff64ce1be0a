"""Through hyperscan the same is found. Without it installed, this is skipped and says so."""

import random

import pytest
from hypothesis import given, settings

from apps.diagnosis.model import Origin
from apps.diagnosis.signatures import accelerate, match
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.match import Matcher
from apps.diagnosis.signatures.read import StreamReader
from tests.diagnosis.signatures.hostile import hostile_lines
from tests.diagnosis.signatures.test_match import BLOCKS, EXAMPLES

needs_hyperscan = pytest.mark.skipif(
    not accelerate.is_installed(), reason="hyperscan is not installed (the extra `fast`)"
)
PLAIN = Matcher(catalog=load_catalog(), may_accelerate=False)
FAST = Matcher(catalog=load_catalog())


@needs_hyperscan
@given(lines=BLOCKS)
@settings(max_examples=300, deadline=None)
def test_any_block_gives_the_same_lines_and_candidates(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    assert list(FAST.lines(data=data)) == list(PLAIN.lines(data=data))


@needs_hyperscan
def test_blocks_are_cut_between_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    order = random.Random(3)  # noqa: S311  repeatable, not secret
    data = "\n".join(order.choices([*EXAMPLES, "", "nothing here"], k=4000)).encode()
    for size in (1, 100, 5000):
        monkeypatch.setattr(match, "BLOCK_BYTES", size)
        assert list(FAST.lines(data=data)) == list(PLAIN.lines(data=data))


@needs_hyperscan
def test_hostile_lines_give_the_same() -> None:
    for signature in list(load_catalog().values())[::7]:
        data = "\n".join(hostile_lines(signature=signature)).encode()
        assert list(FAST.lines(data=data)) == list(PLAIN.lines(data=data))


@needs_hyperscan
def test_a_source_is_read_to_the_same_events() -> None:
    text = "\n".join(example for example in EXAMPLES for _ in range(2))
    readers = [StreamReader(origin=Origin(source="log"), matcher=each) for each in (FAST, PLAIN)]
    fast, plain = (reader.feed(text=text, first_number=1) for reader in readers)
    assert fast == plain


def test_without_it_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accelerate, "hyperscan", None)
    data = "\n".join(EXAMPLES).encode()
    assert list(Matcher(catalog=load_catalog()).lines(data=data)) == list(PLAIN.lines(data=data))
