"""A diagnosis reads redacted lines as it reads the lines: of examples, and of recorded cases."""

import json
from collections.abc import Iterator, Mapping

from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.match import default_matcher
from tests.apps.sharing.redaction.owner import read
from tests.shared_files import SHARED, needs_shared

# Of lines that a signature matches, at least as many have the same one when they are redacted.
LEAST_SHARE = 0.99
IDENTITY = "serial"  # a number that names one board
MOST_LINES = 500  # of each recorded log


def signature(line: str) -> str | None:
    found = default_matcher().match(line=line, text=lambda: line)
    return found.signature.key if found else None


def share_kept(lines: Iterator[str]) -> float:
    told = [(line, key) for line in lines if (key := signature(line))]
    lost = [(line, key) for line, key in told if signature(read(line)) != key]
    assert told
    return 1 - len(lost) / len(told)


def recorded_lines() -> Iterator[str]:
    for row in (SHARED / "cases" / "cases.jsonl").read_text("utf-8").splitlines():
        for log in json.loads(row)["logs"]:
            yield from log["text"].split("\n")
    for path in sorted((SHARED / "data" / "training_logs").glob("*.out")):
        yield from path.read_text("utf-8", "replace").split("\n")[:MOST_LINES]


def test_examples_of_signatures_are_matched_when_they_are_redacted() -> None:
    examples = (example for each in load_catalog().values() for example in each.examples)
    assert share_kept(line for example in examples for line in example.split("\n")) >= LEAST_SHARE


@needs_shared
def test_recorded_lines_are_matched_when_they_are_redacted() -> None:
    assert share_kept(recorded_lines()) >= LEAST_SHARE


def test_numbers_of_a_line_are_read_alike() -> None:
    told = list(numbers())
    assert len(told) > 800
    assert [each for each in told if each[1] != each[2]] == []


def numbers() -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """Yield what each example tells in numbers, before and after."""
    for each in load_catalog().values():
        for example in each.examples:
            before, after = each.pattern.search(example), each.pattern.search(read(example))
            if before and after:
                yield example, counted(before.groupdict()), counted(after.groupdict())


def counted(fields: Mapping[str, str | None]) -> dict[str, str]:
    return {
        name: text for name, text in fields.items() if name != IDENTITY and text and text.isdigit()
    }


def test_progress_is_read_where_its_loss_is_cut() -> None:
    for key in ("torchtitan-step", "hf-trainer-log", "step-count"):
        (line, *_others) = load_catalog()[key].examples
        assert "▒" in read(line)
        assert signature(read(line)) == key
