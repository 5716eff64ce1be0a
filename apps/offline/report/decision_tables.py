"""`python -m apps.offline.report.decision_tables docs/decisions.md [--check]`: print what is said
of an incident by what was concluded of it, as `apps/diagnosis/causes/decisions.toml` says.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from apps.diagnosis.causes.decision_rows import AXES, restart_rows, title_rows
from apps.diagnosis.causes.decisions import (
    OF_NO_HOST,
    answer_of,
    concluded_of,
    restart_of,
)
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import (
    Action,
    Device,
    Diagnosis,
    EndState,
    Phase,
    Verdict,
    VerdictStatus,
)

HEAD = """# What is said of an incident

Printed from `apps/diagnosis/causes/decisions.toml` by `make docs`: change the table, not this page.
Pages, lists, REST, mails, webhooks, exports and `manage.py diagnose` say the same, each in its
reader's language. Of the rows that fit, the first holds.
"""
NODES = 8  # of the session in the examples


def printed() -> str:
    """Return the page."""
    parts = [HEAD, *_titles(), *_restarts(), *_by_cause()]
    return "\n".join(parts) + "\n"


def _titles() -> Iterator[str]:
    yield "## Titles\n"
    yield from _table(
        ["when", "title", "counts as a stop"],
        (
            [_when(fits), says.one % {"name": "…"}, "yes" if says.is_stop else "no"]
            for fits, says in title_rows()
        ),
    )


def _restarts() -> Iterator[str]:
    yield "\n## Start it again? Leave out whom?\n"
    yield from _table(
        ["when", "sentence", "start", "leave out"],
        (
            [_when(fits), says.text % NAMES, says.stance, says.leave_out]
            for fits, says in restart_rows()
        ),
    )


def _by_cause() -> Iterator[str]:
    yield "\n## By cause\n"
    yield f"For a session of {NODES} nodes that failed, to a reader who may read all of it.\n"
    cases = [(VerdictStatus.LIKELY, True), (VerdictStatus.POSSIBLE, True)]
    cases.append((VerdictStatus.LIKELY, False))
    yield from _table(
        ["cause", "likely, host known", "possible, host known", "likely, host not known"],
        ([slug, *(said_of(cause=slug, status=s, is_known=k) for s, k in cases)] for slug in CAUSES),
    )


def said_of(*, cause: str, status: VerdictStatus, is_known: bool) -> str:
    """Return the sentence for a session that failed of a cause."""
    diagnosis = concluded(cause=cause, status=status, is_known=is_known)
    return answer_of(concluded=concluded_of(diagnosis=diagnosis)).text % NAMES


def concluded(
    *,
    cause: str,
    status: VerdictStatus,
    is_known: bool,
    end_state: EndState = EndState.FAILED,
    actions: tuple[Action, ...] = (),
) -> Diagnosis:
    """Return a diagnosis of a cause whose host is known, or not."""
    known = load_causes()[cause]
    verdict = Verdict(
        status=status,
        layer=known.layer,
        cause=cause,
        probability=0.9,
        cause_probability=0.9,
        culprits=(_culprit(known.culprit),) if is_known else (),
    )
    return Diagnosis(
        verdict=verdict,
        end_state=end_state,
        phase=Phase.ITERATE,
        restart=restart_of(verdict=verdict, host_count=NODES),
        actions=actions,
    )


def _culprit(kind: str) -> Device:
    """Return a part of a kind: of a host, unless it is a part that hosts share."""
    is_shared = kind in OF_NO_HOST
    return Device(
        kind=kind, host=None if is_shared else "gpu001", name="nas1" if is_shared else None
    )


def _when(fits: Mapping[str, frozenset[str]]) -> str:
    named = [axis for axis in AXES if axis in fits]
    return "; ".join(f"{axis}: {', '.join(sorted(fits[axis]))}" for axis in named) or "else"


def _table(headings: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield "|---" * len(headings) + "|"
    for row in rows:
        yield f"| {' | '.join(one or ' ' for one in row)} |"


NAMES = {"hosts": "gpu001", "others": "gpu002"}
CAUSES = tuple(slug for slug in load_causes() if slug not in {"unknown", "benign"})


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with --check return 1 where the file says something else."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--check", action="store_true", help="only compare")
    asked = parser.parse_args(arguments)
    if not asked.check:
        asked.path.write_text(printed(), "utf-8")
        return 0
    if asked.path.is_file() and asked.path.read_text("utf-8") == printed():
        return 0
    print(f"{asked.path} is not what the table says: make docs", file=sys.stderr)  # noqa: T201
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
