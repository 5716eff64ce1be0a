"""`python -m tests.score.gauge.collect`: put the gauge's texts together again from its threads.

    … --pages FOLDER           from pages that lie there, each named after its case
    … --pages FOLDER --fetch   ask the forge for those that don't, and keep them there

A text goes to learn.jsonl or held.jsonl only with the digest of its label. Of each case without its
text it says what is missing; it never prints a text.
"""

import json
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.score.gauge import card, pages
from tests.score.gauge.excerpts import Excerpt, Page, read_excerpts, rebuilt
from tests.score.gauge.labels import HELD, LEARN, GaugeLabel, digest, read_labels

UNKNOWN_LINES = "which of its lines are the text was not kept: only a copy of the text helps"
NO_PAGE = "no page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One case, and its text or what is missing."""

    label: GaugeLabel
    logs: card.Logs | None = None
    missing: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Collect what can be had; leave with 1 where a text is still missing."""
    told = _arguments(arguments)
    folder = card.texts_folder()
    had = card.read_texts(folder=folder)
    found = list(_every(had, told.pages, may_ask=told.fetch))
    write(found=found, folder=folder, kept=had)
    print("\n".join(report(found=found)))  # noqa: T201  a command
    return 0 if all(one.logs for one in found) else 1


def _every(had: dict[str, card.Logs], folder: Path, *, may_ask: bool) -> Iterator[Found]:
    """Yield each case; once no page can be had at present, no other is asked for."""
    excerpts = read_excerpts()
    for label in read_labels():
        if card.is_as_labelled(label=label, logs=had.get(label.id)):
            yield Found(label=label, logs=had[label.id])
            continue
        mine = excerpts.get(label.id)
        try:
            yield collected(label=label, excerpts=mine, folder=folder, may_ask=may_ask)
        except pages.NotNow as error:
            may_ask = False
            yield Found(label=label, missing=str(error))


def _arguments(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(
        prog="tests.score.gauge.collect",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=Path, required=True, metavar="FOLDER", help="of pages")
    parser.add_argument("--fetch", action="store_true", help="ask for pages that aren't there")
    return parser.parse_args(arguments)


def collected(
    *, label: GaugeLabel, excerpts: Sequence[Excerpt] | None, folder: Path, may_ask: bool
) -> Found:
    """Return a case with its text as its page has it, or what is missing; raise pages.NotNow."""
    if excerpts is None:
        return Found(label=label, missing=UNKNOWN_LINES)
    try:
        text = _page(label, folder, may_ask=may_ask)
    except pages.NotNow:
        raise
    except pages.NotRead as error:
        return Found(label=label, missing=str(error))
    return Found(label=label, missing=NO_PAGE) if text is None else _of_page(label, excerpts, text)


def _of_page(label: GaugeLabel, excerpts: Sequence[Excerpt], text: str) -> Found:
    logs, lacking = rebuilt(excerpts=excerpts, page=Page(text))
    if lacking:
        return Found(label=label, missing=f"the page lacks {lacking} of its lines")
    if digest(logs=logs) != label.sha256:
        return Found(label=label, missing="not as labelled")
    return Found(label=label, logs=logs)


def _page(label: GaugeLabel, folder: Path, *, may_ask: bool) -> str | None:
    text = pages.saved(folder=folder, case_id=label.id)
    if text is None and may_ask:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{label.id}.json"
        path.write_text(pages.asked(source=label.source), encoding="utf-8")
        text = pages.saved(folder=folder, case_id=label.id)
    return text


def write(*, found: Sequence[Found], folder: Path, kept: dict[str, card.Logs]) -> None:
    """Write the texts of each part; those that were there stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in (LEARN, HELD):
        mine = [one.label.id for one in found if one.label.part == part]
        here = {one.label.id: one.logs for one in found if one.logs}
        texts = {name: here.get(name) or kept.get(name) for name in mine}
        lines = [_line(name, logs) for name, logs in sorted(texts.items()) if logs]
        (folder / f"{part}.jsonl").write_text("".join(lines), encoding="utf-8")


def _line(case_id: str, logs: card.Logs) -> str:
    return json.dumps({"id": case_id, "logs": logs}, ensure_ascii=False) + "\n"


def report(*, found: Sequence[Found]) -> list[str]:
    """Return a line for each case without its text, and the count of each batch."""
    lines = [f"{one.label.id}: {one.missing}" for one in found if not one.logs]
    here = Counter(one.label.batch for one in found if one.logs)
    every = Counter(one.label.batch for one in found)
    counts = [f"{batch} batch: {here[batch]} of {n} texts" for batch, n in every.items()]
    absent = len(found) - sum(here.values())
    return [*lines, *counts, *([f"absent: {absent} texts"] if absent else [])]


if __name__ == "__main__":
    sys.exit(main())
