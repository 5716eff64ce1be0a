"""Whatever is known of shapes, a text is read to the same as without."""

import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.model import Origin, Reading, Stream
from apps.diagnosis.signatures.lines import line_shapes, plain_progress
from apps.diagnosis.signatures.lines.line_shapes import LineShapes, shapes_of
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.match import LITTLE_BYTES, SignatureMatcher
from apps.diagnosis.signatures.read import StreamReader
from tests.diagnosis.signatures.blocks import BLOCKS, EXAMPLES

PREFIXES = (
    "",
    "[rank7]: ",
    " 12: ",
    "[2026-11-09 11:05:07,123][INFO] ",
    "gpu007:4003:4103 [3] NCCL INFO ",
    "Nov  9 11:05:07 gpu007 kernel: [12345.678901] ",
)
MEGATRON = (
    " iteration 3069/ 500000 | elapsed time per iteration (ms): 793.3 | lm loss: 2.0E+00 | "
    "number of skipped iterations:   0 | number of nan iterations:   0 |"
)
STEPS = (
    "[2026-11-09 11:05:07][INFO][trainer.py:410] step 3069 loss 2.34249 grad_norm 0.153",
    MEGATRON,
    "step 3070 loss nan",
    "packed 110 documents of shard 38 into 84 sequences",
    "NCCL version 2.21.5",
)


@pytest.fixture(scope="module")
def knowing() -> SignatureMatcher:
    """Return a matcher that learns shapes from the first line on."""
    matcher = SignatureMatcher(catalog=load_catalog(), may_accelerate=False)
    matcher._searched_bytes = LITTLE_BYTES
    return matcher


@pytest.fixture
def plain() -> SignatureMatcher:
    """Return a matcher that searches each line."""
    return SignatureMatcher(catalog=load_catalog(), may_accelerate=False)


def renumbered(lines: Sequence[str], seed: int) -> list[str]:
    """Return lines with other digits, in another order."""
    dice = random.Random(seed)  # noqa: S311  repeatable, not secret
    found = [re.sub("[0-9]", lambda _: str(dice.randrange(10)), line) for line in lines]
    dice.shuffle(found)
    return found


def read(
    lines: Sequence[str], matcher: SignatureMatcher, beside: frozenset[str] = frozenset()
) -> tuple[Reading, Reading, bytes]:
    origin = Origin(source="log", stream=Stream.SESSION)
    reader = StreamReader(origin=origin, matcher=matcher, points_beside=beside)
    return reader.feed(text="\n".join(lines), first_number=1), reader.close(), reader.state


@given(block=BLOCKS, prefix=st.sampled_from(PREFIXES), seed=st.integers(0, 9))
@settings(max_examples=150, deadline=None)
def test_any_lines_are_read_the_same(
    knowing: SignatureMatcher, block: list[str], prefix: str, seed: int
) -> None:
    own = [prefix + line for line in block]
    lines = [*own, *renumbered(own, seed), *own, *STEPS, *renumbered(STEPS, seed), *own]
    plain = SignatureMatcher(catalog=load_catalog(), may_accelerate=False)
    assert read(lines, knowing) == read(lines, plain)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_example_is_read_the_same(
    knowing: SignatureMatcher, plain: SignatureMatcher, prefix: str
) -> None:
    for start in range(0, len(EXAMPLES), 50):
        own = [prefix + line.replace("\n", " ") for line in EXAMPLES[start : start + 50]]
        lines = [*own, *renumbered(own, start), *own, *renumbered(own, start + 1)]
        plain._searched_bytes = 0
        assert read(lines, knowing) == read(lines, plain)


def test_steps_of_many_voices_are_read_the_same(
    knowing: SignatureMatcher, plain: SignatureMatcher
) -> None:
    lines = [
        f"[rank{n % 8}]: [2026-11-09 11:{n // 60:02}:{n % 60:02}] step {n} loss 2.{n:04}"
        for n in range(900)
    ]
    assert read(lines, knowing) == read(lines, plain)


def test_steps_that_are_read_together_say_the_same(
    knowing: SignatureMatcher, plain: SignatureMatcher
) -> None:
    dice = random.Random(3)  # noqa: S311  repeatable, not secret
    others = ("[rank3]: RuntimeError: NCCL communicator was aborted on rank 3.", *STEPS[2:])
    lines: list[str] = []
    for n in range(9000):
        step = n - 4000 * (n > 6000)  # of another attempt
        paced = MEGATRON.replace("3069", str(step)).replace(
            "793.3", f"{dice.uniform(700, 900):.1f}"
        )
        lines.append(f"[rank{n % 3}]:{paced}")
        if dice.random() < 0.01:
            lines.append(dice.choice(others))
    for beside in (frozenset({"pg-nccl-comm-aborted"}), frozenset({"step-pace"})):
        assert read(lines, knowing, beside) == read(lines, plain, beside)


def test_a_line_that_says_nothing_is_passed_unseen(knowing: SignatureMatcher) -> None:
    shapes = shapes_of(knowing)
    line = b"worker 00 prefetched checkpoint batch 000 of 0000"
    for _ in range(3):
        for _ in shapes.loud(shapes=[line]):
            shapes.known(shape=line)
    assert shapes.loud(shapes=[line, b"nothing at all 00"]) == []


def test_a_digit_that_a_signature_goes_by_is_looked_at_in_each_line(
    knowing: SignatureMatcher, plain: SignatureMatcher
) -> None:
    line = MEGATRON
    lines = [*[line] * 5, line.replace("iterations:   0 |", "iterations:   3 |"), line]
    found = read(lines, knowing)
    assert found == read(lines, plain)
    assert [event.line.number for event in found[0].events] == [6]


def test_of_more_shapes_than_there_is_room_for_nothing_is_wrong(
    plain: SignatureMatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_shapes, "MOST_BYTES", 4000)
    small = SignatureMatcher(catalog=load_catalog(), may_accelerate=False)
    small._searched_bytes = LITTLE_BYTES
    lines = [*EXAMPLES[:60], *renumbered(EXAMPLES[:60], 1), *EXAMPLES[:60]]
    assert read(lines, small) == read(lines, plain)
    assert shapes_of(small)._bytes <= 4000 + line_shapes.LONGEST


def test_of_more_voices_than_there_is_room_for_nothing_is_wrong(
    plain: SignatureMatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_progress, "MOST_BYTES", 10 * plain_progress.VOICE_BYTES)
    small = SignatureMatcher(catalog=load_catalog(), may_accelerate=False)
    small._searched_bytes = LITTLE_BYTES
    lines = [
        f"{name} w{n % 40:02}: step {n} loss 2.{n:04}"
        for name in ("alpha", "beta", "gamma", "delta")
        for n in range(120)
    ]
    assert read(lines, small) == read(lines, plain)
    matches = [each.match.progress for each in shapes_of(small)._loud.values() if each.match]
    assert 0 < sum(len(each._voices) for each in matches if each) <= 10


def test_long_lines_are_not_kept(knowing: SignatureMatcher) -> None:
    shapes = LineShapes(matcher=knowing)
    line = b"x" * (line_shapes.LONGEST + 1)
    assert shapes.loud(shapes=[line, line + b" NVRM: Xid"]) == [1]
    assert shapes._bytes == 0
