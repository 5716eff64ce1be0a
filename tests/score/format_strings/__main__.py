"""`python -m tests.score.format_strings nccl=FOLDER c10d=FOLDER … [--missing]`: how many are known.

Known: a signature has its words, or knows the part that prints them. Of a known subject: it is
taken for a failure, and what it speaks of is recognised. Sources are read where you have them: a
checkout of NCCL, PyTorch, NVIDIA's open kernel modules, Linux. A program may be named several
times, for several versions.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from apps.diagnosis.signatures.match import default_matcher
from tests.score.format_strings.coverage import Looked, format_strings, looked
from tests.score.format_strings.programs import programs

HEADINGS = (
    *("program", "sources", "format strings", "words known", "words or part known"),
    *("of a known subject", "seen as a failure"),
)


def main() -> None:
    """Print a row for each program, and on request the lines that no signature knows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", metavar="PROGRAM=FOLDER")
    parser.add_argument("--missing", action="store_true", help="also print what is not known")
    asked = parser.parse_args()
    print(f"| {' | '.join(HEADINGS)} |")  # noqa: T201
    print("|---" * len(HEADINGS) + "|")  # noqa: T201
    for source in asked.sources:
        key, _, folder = source.partition("=")
        program = programs().get(key)
        if program is None:
            parser.error(f"no program {key}; there are {', '.join(programs())}")
        strings = list(format_strings(program=program, folder=Path(folder)))
        if not strings:
            parser.error(f"no source of {program.title} below {folder}")
        found = looked(strings=strings, matcher=default_matcher())
        print(_row(program.title, Path(folder).name, found))  # noqa: T201
        if asked.missing:
            print("\n".join(_missing(found)))  # noqa: T201


def _row(title: str, sources: str, found: Sequence[Looked]) -> str:
    counts = (
        sum(one.is_known for one in found),
        sum(one.is_placed for one in found),
        sum(one.is_known or one.has_subject for one in found),
        sum(bool(one.signature) and not one.is_note for one in found),
    )
    shares = " | ".join(f"{count} ({count / len(found):.2f})" for count in counts)
    return f"| {title} | {sources} | {len(found)} | {shares} |"


def _missing(found: Sequence[Looked]) -> Iterator[str]:
    for one in found:
        if not one.is_placed:
            seen = "subject" if one.has_subject else "failure" if one.signature else "nothing"
            yield f"  {seen}: {one.of.lines[0]}"


if __name__ == "__main__":
    main()
