"""Tables of Slurm → which nodes are left out: `sinfo -R`, `sinfo -Rl`, `scontrol show node`.

Both print local times without a zone, so the sender says which. `sinfo -R` lists what is left out
and nothing else: a node that is no longer there is in use again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from apps.diagnosis.input_values import in_bounds, storable, visible
from apps.diagnosis.reasoning.scope.jobs.node_lists import MOST_NODES, nodes_of
from apps.fleet.exclusions.exclusion_report import ExclusionBatch, ExclusionReport, ReturnReport
from apps.fleet.models import ExclusionKind
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig

HEADING: Final = re.compile(r"REASON\s+USER\s+TIMESTAMP\s+(?:STATE\s+)?NODELIST", re.ASCII)
ROW: Final = re.compile(
    r"(?P<reason>.{0,500}?)\s+(?P<user>\S{1,120})\s+"
    r"(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|Unknown)\s+"
    r"(?:(?P<state>[a-z_]{2,20}[*~#!%$@^-]?)\s+)?(?P<nodes>[\w.,\[\]-]{1,4000})",
    re.ASCII,
)
FIELD: Final = re.compile(r"(?:^|\s)(NodeName|State)=(\S{1,400})", re.ASCII)
REASON: Final = re.compile(
    r"Reason=(?P<reason>[^\n]{0,500}?)\s*\[(?P<user>[^@\]\n]{1,120})@"
    r"(?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\]",
    re.ASCII,
)
SLURM: Final = (ExclusionKind.DRAIN, ExclusionKind.DOWN)
DOWN: Final = ("down", "fail", "not_responding", "powered_down", "unknown")
DRAIN: Final = ("drain", "drng", "maint")
# Looking for where a reason ends takes time by the length of its gaps.
GAP: Final = re.compile(r"\s{3,}", re.ASCII)
BLOCKS: Final = re.compile(r"(?m)^(?=NodeName=)")
NOT_RESPONDING: Final = "not responding"


@dataclass(slots=True)
class _Table:
    """What is gathered of a table."""

    zone: ZoneInfo
    printed_at: datetime
    complaints: Complaints
    exclusions: list[ExclusionReport] = field(default_factory=list)

    def add(self, number: int, host: str, kind: ExclusionKind, said: dict[str, str | None]) -> None:
        at = _time(said["at"] or "", self.zone)
        if at is None:
            detail = f"since when {host[:80]} is left out is not said"
            self.complaints.add(line=number, code="bad_entry", detail=detail)
            return
        self.exclusions.append(
            ExclusionReport(
                host=host[:253],
                kind=kind,
                at=at,
                seen_at=self.printed_at,
                by=visible(said["user"] or "")[:120],
                reason=visible(storable(said["reason"] or "").strip())[:500],
            )
        )


def node_table(
    *, text: str, zone: ZoneInfo, printed_at: datetime, complaints: Complaints
) -> ExclusionBatch:
    """Return what a table says that was printed then. Raises TooBig, else NothingUsable."""
    table = _Table(zone=zone, printed_at=printed_at, complaints=complaints)
    if HEADING.search(text[:4000]):
        named = _read_reasons(text, table)
        returns = [ReturnReport(kind=kind, at=printed_at, left_out=tuple(named)) for kind in SLURM]
        return ExclusionBatch(exclusions=tuple(table.exclusions), returns=tuple(returns))
    if "NodeName=" in text:
        free = _read_nodes(text, table)
        returns = [
            ReturnReport(kind=kind, at=printed_at, in_use=tuple(free)) for kind in SLURM if free
        ]
        return ExclusionBatch(exclusions=tuple(table.exclusions), returns=tuple(returns))
    raise NothingUsable(
        "the text is no table of nodes; send the output of `sinfo -R` or `scontrol show node`"
    )


def _read_reasons(text: str, table: _Table) -> list[str]:
    """Read `sinfo -R`; return all nodes that it names, whatever else stands beside them."""
    named: list[str] = []
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if HEADING.search(line)) + 1
    for number, line in enumerate(lines[first:], start=first + 1):
        if not line.strip():
            continue
        found = ROW.fullmatch(GAP.sub("  ", line.strip()))
        if found is None:
            # A row that can't be read names nodes, too: nothing may be taken for in use.
            raise NothingUsable(f"line {number} is no row of `sinfo -R`")
        hosts = sorted(nodes_of(found["nodes"]))
        named += hosts
        _require_room(len(named))
        for host in hosts:
            kind = _kind(found["state"] or "", found["reason"])
            table.add(number, host, kind or ExclusionKind.DRAIN, found.groupdict())
    return named


def _require_room(count: int) -> None:
    """Raise TooBig for more nodes than any cluster has: a row of a few letters names thousands."""
    if count > MOST_NODES:
        raise TooBig(f"the table names more than {MOST_NODES} nodes; send it in parts")


def _read_nodes(text: str, table: _Table) -> list[str]:
    """Read `scontrol show node`; return the nodes that it shows in use."""
    free: list[str] = []
    for number, (host, state, block) in enumerate(_blocks(text), start=1):
        kind = _kind(state, "")
        _require_room(number)
        if kind is None:
            free.append(host)
            continue
        told = REASON.search(block)
        said: dict[str, str | None] = told.groupdict() if told else dict.fromkeys(REASON.groupindex)
        table.add(number, host, kind, said)
    return free


def _blocks(text: str) -> Iterator[tuple[str, str, str]]:
    for block in BLOCKS.split(text):
        fields = dict(FIELD.findall(block))
        if "NodeName" in fields and "State" in fields:
            yield fields["NodeName"], fields["State"], block


def _kind(state: str, reason: str) -> ExclusionKind | None:
    """Return how a node of this state is left out; None where it is not."""
    low = state.lower()
    if any(word in low for word in DRAIN):
        return ExclusionKind.DRAIN
    if any(word in low for word in DOWN) or low.endswith("*"):
        return ExclusionKind.DOWN
    return ExclusionKind.DOWN if reason.strip().lower() == NOT_RESPONDING else None


def _time(text: str, zone: ZoneInfo) -> datetime | None:
    try:
        return in_bounds(datetime.fromisoformat(text).replace(tzinfo=zone))
    except ValueError:
        return None
