"""Every save and load of checkpoints with what it moved, how long it took and what it cost."""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.training.storage_path.phases import PhaseKind

HOUR_SECONDS = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointEntry:
    """One save or load of one session; bytes are None where nobody tells them."""

    session: str
    kind: PhaseKind
    begins_seconds: float
    ends_seconds: float
    gpu_count: int
    moved_bytes: float | None = None
    is_whole: bool = True  # else nobody tells when it began or ended: both instants are the same
    idled_share: float = 1.0  # of the time; less where the job computes on while it saves

    @property
    def duration_seconds(self) -> float:
        """Return how long it lasted."""
        return self.ends_seconds - self.begins_seconds

    @property
    def idled_gpu_hours(self) -> float:
        """Return how long GPUs waited for it, together."""
        return self.duration_seconds * self.idled_share * self.gpu_count / HOUR_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerSum:
    """All saves, or all loads."""

    kind: PhaseKind
    count: int
    moved_bytes: float  # of those that tell it
    untold_bytes_count: int
    mean_seconds: float | None  # of those that tell begin and end; None: of none
    longest_seconds: float | None
    untold_seconds_count: int
    idled_gpu_hours: float
    cost: float | None  # in the currency of the price


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointLedger:
    """Entries in order of time, and their sums; a kind without entries has none."""

    entries: tuple[CheckpointEntry, ...]
    sums: tuple[LedgerSum, ...]


def ledger_of(
    entries: Iterable[CheckpointEntry], *, price_per_gpu_hour: float | None = None
) -> CheckpointLedger:
    """Return the ledger of a set of entries, in any order, each once.

    Raises ValueError for an entry that ends before it begins.
    """
    ordered = sorted(set(entries), key=_place)
    for each in ordered:
        if each.duration_seconds < 0:
            raise ValueError(f"{each.kind} of {each.session} ends before it begins")
    sums = []
    for kind in PhaseKind:
        mine = [each for each in ordered if each.kind is kind]
        if mine:
            sums.append(_sum(kind, mine, price_per_gpu_hour))
    return CheckpointLedger(entries=tuple(ordered), sums=tuple(sums))


def _place(each: CheckpointEntry) -> tuple[object, ...]:
    """Return its place in time; of two that begin together the fields decide."""
    moved = (each.moved_bytes is None, each.moved_bytes or 0.0)
    rest = (each.ends_seconds, each.gpu_count, *moved, each.is_whole, each.idled_share)
    return (each.begins_seconds, each.session, each.kind, *rest)


def _sum(kind: PhaseKind, entries: list[CheckpointEntry], price: float | None) -> LedgerSum:
    durations = [each.duration_seconds for each in entries if each.is_whole]
    hours = sum(each.idled_gpu_hours for each in entries)
    told = [each.moved_bytes for each in entries if each.moved_bytes is not None]
    return LedgerSum(
        kind=kind,
        count=len(entries),
        moved_bytes=sum(told),
        untold_bytes_count=len(entries) - len(told),
        mean_seconds=sum(durations) / len(durations) if durations else None,
        longest_seconds=max(durations, default=None),
        untold_seconds_count=len(entries) - len(durations),
        idled_gpu_hours=hours,
        cost=None if price is None else hours * price,
    )
