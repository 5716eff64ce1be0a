"""Through each of the three searches the same is found: of a little text, of more, and through
hyperscan. Without that installed, its tests are skipped and say so."""

import random
import sys
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from hypothesis import given, settings

from apps.diagnosis.model import Origin
from apps.diagnosis.signatures import accelerate, match
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.match import SignatureMatcher
from apps.diagnosis.signatures.read import StreamReader
from tests.diagnosis.signatures.blocks import BLOCKS, EXAMPLES
from tests.diagnosis.signatures.hostile import hostile_lines

needs_hyperscan = pytest.mark.skipif(
    accelerate.library() is None,
    reason="no hyperscan: install the extra `fast` (pip install -e .[fast])",
)


@pytest.fixture(scope="module")
def plain() -> SignatureMatcher:
    """Return one with what a little text is read without."""
    return prepared(SignatureMatcher(catalog=load_catalog(), may_accelerate=False))


@pytest.fixture(scope="module")
def little() -> SignatureMatcher:
    """Return one that has read nothing yet."""
    return SignatureMatcher(catalog=load_catalog(), may_accelerate=False)


@pytest.fixture(scope="module")
def fast() -> SignatureMatcher:
    """Return one that searches through hyperscan, where that is installed."""
    return prepared(SignatureMatcher(catalog=load_catalog()))


def prepared(matcher: SignatureMatcher) -> SignatureMatcher:
    """Return a matcher that is ready for much text."""
    matcher.prepare_bulk_search()
    return matcher


@needs_hyperscan
@given(lines=BLOCKS)
@settings(max_examples=300, deadline=None)
def test_any_block_gives_the_same_lines_and_candidates(
    fast: SignatureMatcher, plain: SignatureMatcher, lines: list[str]
) -> None:
    data = "\n".join(lines).encode()
    assert list(fast.lines(data=data)) == list(plain.lines(data=data))


@given(lines=BLOCKS)
@settings(max_examples=300, deadline=None)
def test_a_little_text_gives_the_same_lines_and_candidates(
    little: SignatureMatcher, plain: SignatureMatcher, lines: list[str]
) -> None:
    data = "\n".join(lines).encode()
    little._searched_bytes = 0
    assert list(little.lines(data=data)) == list(plain.lines(data=data))
    assert "_search" not in little.__dict__


def test_characters_of_several_bytes_move_no_place(plain: SignatureMatcher) -> None:
    data = "\n".join(
        f"{'żółć 로그 🧨 ' * (n % 3)}{each}" for n, each in enumerate(EXAMPLES)
    ).encode()
    little = SignatureMatcher(catalog=load_catalog(), may_accelerate=False)
    assert list(little.lines(data=data)) == list(plain.lines(data=data))


def test_the_search_of_more_text_is_built_once_there_is_more(plain: SignatureMatcher) -> None:
    line = EXAMPLES[0].encode() + b"\n"
    matcher = SignatureMatcher(catalog=load_catalog(), may_accelerate=False)
    list(matcher.lines(data=line))
    before = "_search" in matcher.__dict__
    much = line * (match.LITTLE_BYTES // len(line) + 1)

    assert list(matcher.lines(data=much)) == list(plain.lines(data=much))
    assert (before, "_search" in matcher.__dict__) == (False, True)


@needs_hyperscan
def test_blocks_are_cut_between_lines(
    fast: SignatureMatcher, plain: SignatureMatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = random.Random(3)  # noqa: S311  repeatable, not secret
    data = "\n".join(order.choices([*EXAMPLES, "", "nothing here"], k=1000)).encode()
    whole = list(plain.lines(data=data))
    for size in (1, 100, 5000):
        monkeypatch.setattr(match, "BLOCK_BYTES", size)
        assert list(fast.lines(data=data)) == whole


@needs_hyperscan
def test_hostile_lines_give_the_same(fast: SignatureMatcher, plain: SignatureMatcher) -> None:
    for signature in list(load_catalog().values())[::7]:
        data = "\n".join(hostile_lines(signature=signature)).encode()
        assert list(fast.lines(data=data)) == list(plain.lines(data=data))


@needs_hyperscan
def test_a_source_is_read_to_the_same_events(
    fast: SignatureMatcher, plain: SignatureMatcher
) -> None:
    text = "\n".join(example for example in EXAMPLES for _ in range(2))
    readers = [StreamReader(origin=Origin(source="log"), matcher=each) for each in (fast, plain)]
    quickly, slowly = (reader.feed(text=text, first_number=1) for reader in readers)
    assert quickly == slowly


def test_without_it_nothing_is_missing(
    plain: SignatureMatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "hyperscan", None)  # an import of it fails
    accelerate.library.cache_clear()
    data = "\n".join(EXAMPLES).encode()
    bare = SignatureMatcher(catalog=load_catalog())
    bare.prepare_bulk_search()
    found = list(bare.lines(data=data))
    accelerate.library.cache_clear()
    assert found == list(plain.lines(data=data))


@needs_hyperscan
def test_it_is_made_once_there_is_much_to_search(
    plain: SignatureMatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    monkeypatch.setattr(match, "BLOCK_BYTES", 32 << 10)  # a megabyte of such lines takes seconds

    def scanner(*, literals: Sequence[bytes]) -> accelerate.Scan | None:
        made.append(len(literals))
        return accelerate.scanner(literals=literals)

    fake = SimpleNamespace(scanner=scanner, Scan=accelerate.Scan)
    monkeypatch.setattr(match, "accelerate", fake)
    little = "\n".join(EXAMPLES).encode()[: match.BLOCK_BYTES // 2] + b"\n"
    much = little * (match.BLOCK_BYTES // len(little) + 1)
    matcher = SignatureMatcher(catalog=load_catalog())

    before = list(matcher.lines(data=little)), len(made)
    after = [list(matcher.lines(data=much)) for _ in range(2)]

    assert before == (list(plain.lines(data=little)), 0)
    assert len(made) == 1
    assert after == [list(plain.lines(data=much))] * 2
