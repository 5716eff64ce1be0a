"""Reports of NCCL's health service (`ncclras`, text or JSON) → who did not answer, who is behind.

Ranks are those of the largest communicator, which are the session's when there is only one of it.
A report says nothing about health: NCCL was seen to call a session fine while it hung.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

TITLE = re.compile(rb"\A\s{0,40}NCCL version \S{3,40} compiled with CUDA ", re.ASCII)
TEXT_MARK, JSON_MARK = b"\nJob summary\n", b'"communicators_count"'
MOST_RANKS = 1_000_000
MOST_NAMED = 64
MOST_KINDS = 64  # of collectives; NCCL has a dozen
TABLE_ROW = re.compile(r"\s{0,8}(\d+) {2,}(\d+) {2,}\d+ {2,}[\d-]+ {2,}(\d+) {2,}\d+ ", re.ASCII)
SECTION = re.compile(r"#(\d+)-\d+ \([0-9a-f]{16}\) (INCOMPLETE|ERROR|MISMATCH)", re.ASCII)
COUNT = re.compile(
    r"  (?:Rank (\d+) has|(\d+) ranks have) (?:launched up to operation (\d+)|(not) launched)",
    re.ASCII,
)
PLACE = re.compile(
    r"  Rank (\d+).{0,80}? -- GPU (\d+).{0,20} managed by process (\d+) on node (\S+)"
)
KIND = "  Communicator ranks have different "


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunicatorMember:
    """A rank of the communicator and where it runs."""

    rank: int
    host: str = ""  # an address
    pid: int | None = None
    gpu: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RasReport:
    """What a report says of its largest communicator."""

    size: int
    is_session: bool  # there is one communicator of this size
    absent: tuple[CommunicatorMember, ...] = ()  # did not answer, or are considered dead
    behind: tuple[CommunicatorMember, ...] = ()  # launched fewer operations than most


def looks_like_report(*, head: bytes) -> bool:
    """Say whether a file that begins so is a report."""
    is_text = TITLE.match(head) is not None and TEXT_MARK in head
    return is_text or (head.lstrip()[:1] == b"{" and JSON_MARK in head)


def of_json(*, value: Any) -> RasReport | None:
    """Return what a report in JSON says, None for other JSON."""
    if not isinstance(value, dict) or not isinstance(value.get("communicators"), list):
        return None
    comms = [one for one in value["communicators"] if isinstance(one, dict)]
    sizes = Counter(size for one in comms if (size := _int(one.get("size"))) is not None)
    if not sizes:
        return None
    size = max(sizes)
    comm = next(one for one in comms if one.get("size") == size)
    rows = [one for one in _list(comm.get("ranks")) if isinstance(one, dict)]
    missing = [one for one in _list(comm.get("missing_ranks")) if isinstance(one, dict)]
    return RasReport(
        size=size,
        is_session=sizes[size] == 1,
        absent=_members((_member(one) for one in missing if _is_away(one)), size),
        behind=_members(_behind(rows), size),
    )


def of_text(*, text: str) -> RasReport | None:
    """Return what a report in words says, None for another text."""
    found = _Words()
    for line in text.splitlines():
        found.read(line)
    if not found.sizes:
        return None
    counts = [one for part in found.parts for one in part.behind()]
    return RasReport(
        size=found.sizes[0][1],
        is_session=found.sizes[0][0] == 1,
        absent=_members(found.absent, found.sizes[0][1]),
        behind=_members(counts, found.sizes[0][1]),
    )


@dataclass(slots=True)
class _Counts:
    """Operation counts of one kind: how many ranks are how far, and which of them are named."""

    ranks: Counter[int] = field(default_factory=Counter)
    named: list[tuple[int, CommunicatorMember]] = field(default_factory=list)

    def behind(self) -> list[CommunicatorMember]:
        """Return the named ranks that launched fewer than most."""
        if not self.ranks:
            return []
        usual, count = max(self.ranks.items(), key=lambda one: (one[1], one[0]))
        is_usual = count * 2 > sum(self.ranks.values())
        return [member for reached, member in self.named if is_usual and reached < usual]


@dataclass(slots=True)
class _Words:
    """A report in words, line by line. The first group is that of the largest communicators."""

    sizes: list[tuple[int, int]] = field(default_factory=list)  # communicators, ranks of each
    absent: list[CommunicatorMember] = field(default_factory=list)
    parts: list[_Counts] = field(default_factory=list)
    section: str = ""
    reached: int = 0

    def read(self, line: str) -> None:
        """Take one line."""
        if (row := TABLE_ROW.match(line)) and len(line) < 200:
            self.sizes.append((int(row[2][:9]), int(row[3][:9])))
        elif section := SECTION.match(line):
            self.section = section[2] if section[1] == "0" else ""
        elif line.startswith(KIND):
            self.parts.append(_Counts())
        elif self.section == "MISMATCH" and self.parts:
            self._count(line)
        elif self.section == "INCOMPLETE" and (place := PLACE.match(line)):
            self.absent.append(_placed(place))

    def _count(self, line: str) -> None:
        counts, place = self.parts[-1], PLACE.match(line)
        if count := COUNT.match(line):
            self.reached = int((count[3] or "0")[:18])
            counts.ranks[self.reached] += int((count[2] or "1")[:9])
        if place:
            counts.named.append((self.reached, _placed(place)))


def _placed(place: re.Match[str]) -> CommunicatorMember:
    rank, gpu, pid = (int(place[i][:9]) for i in (1, 2, 3))
    return CommunicatorMember(rank=rank, gpu=gpu, pid=pid, host=place[4][:253])


def _member(row: Mapping[Any, Any]) -> CommunicatorMember:
    rank = _int(row.get("rank"))
    return CommunicatorMember(
        rank=-1 if rank is None else rank,
        host=str(row.get("host", ""))[:253],
        pid=_int(row.get("pid")),
        gpu=_int(row.get("cuda_dev")),
    )


def _is_away(row: Mapping[Any, Any]) -> bool:
    """Say whether a missing rank gave no answer; others have only left the communicator."""
    status = row.get("status")
    said = status if isinstance(status, dict) else {}
    return bool(said.get("unresponsive")) or bool(said.get("considered_dead"))


def _behind(rows: Sequence[Mapping[Any, Any]]) -> list[CommunicatorMember]:
    kinds = {name for row in rows for name in _counts(row)}
    found = []
    for kind in sorted(kinds, key=str)[:MOST_KINDS]:
        counts = _Counts()
        for row in rows:
            reached = _int(_counts(row).get(kind)) or 0
            counts.ranks[reached] += 1
            counts.named.append((reached, _member(row)))
        found += counts.behind()
    return found


def _counts(row: Mapping[Any, Any]) -> Mapping[Any, Any]:
    said = row.get("collective_counts")
    return said if isinstance(said, dict) else {}


def _members(found: Iterable[CommunicatorMember], size: int) -> tuple[CommunicatorMember, ...]:
    """Return members once, in order; reports were seen to hold ranks that cannot be."""
    known = {one.rank: one for one in found if 0 <= one.rank < min(size, MOST_RANKS)}
    return tuple(known[rank] for rank in sorted(known)[:MOST_NAMED])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _int(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and abs(value) < 2**63 else None
