"""Which metrics a source served when it was read last: what they tell, and by name what they don't;
and of which hosts.

One small row a source. A source that was never read has none, and nothing is said of it.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final

import orjson
import zstandard

from apps.diagnosis.detection.metrics import coverage
from apps.diagnosis.detection.metrics.coverage import SubjectCoverage
from apps.diagnosis.detection.metrics.coverage.uneven import Uneven, uneven
from apps.diagnosis.detection.watch_memory import SignalRows
from apps.telemetry.models import SeriesState, Source

NAME: Final = "#names"
# The same names as last time are written again only so often, to keep the time honest.
EVERY: Final = timedelta(minutes=10)
# A server that many things report to may have more; beyond this the rest is cut off.
MOST_NAMES: Final = 50_000
MOST_HOSTS: Final = 50_000
MOST_BYTES: Final = 16 * 2**20
# A host that missed a scrape or two lacks nothing.
LATELY: Final = timedelta(minutes=10)
Rosters = Mapping[str, SignalRows]  # by signal
UNHEARD: Rosters = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedMetrics:
    """What a source served at its last reading, and what some of its hosts lack."""

    at: datetime
    names: frozenset[str]
    lacking: tuple[Uneven, ...] = ()
    hosts: frozenset[str] = frozenset()  # of which it measured anything within a day


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCoverage:
    """What one source, or all sources of a cluster together, can tell."""

    at: datetime  # of the oldest reading that it rests on
    name_count: int
    covered: tuple[SubjectCoverage, ...]
    lacking: tuple[Uneven, ...]


def record_names(
    *, source: Source, names: Collection[str], now: datetime, rosters: Rosters = UNHEARD
) -> bool:
    """Keep which names a source served, and of which hosts, if they are new or some time has
    passed. Needs the scope.

    The rosters of what watches the source tell of which hosts each signal was heard lately.
    """
    kept = sorted(names)[:MOST_NAMES]
    hosts = sorted(_measured(rosters))[:MOST_HOSTS]
    told = "\n".join((*kept, "", *hosts)).encode()
    digest = hashlib.blake2b(told, digest_size=16).hexdigest()
    rows = SeriesState.objects.for_organization(source.organization_id)
    last = rows.filter(source=source, signal=NAME).first()
    if last is not None and now - last.until < EVERY and _unpacked(last.body)["digest"] == digest:
        return False
    lacking = [asdict(each) for each in uneven(_heard(rosters))]
    body = orjson.dumps({"digest": digest, "names": kept, "hosts": hosts, "lacking": lacking})
    rows.update_or_create(
        organization_id=source.organization_id,
        source=source,
        signal=NAME,
        defaults={"until": now, "body": zstandard.compress(body)},
    )
    return True


def _measured(rosters: Rosters) -> set[str]:
    parts = (entity for roster in rosters.values() for entity in roster.entities)
    return {entity.host for entity in parts if entity.host}


def _heard(rosters: Rosters) -> Mapping[str, frozenset[str]]:
    """Return the hosts of which each signal was heard in the last minutes."""
    newest = max((roster.next for roster in rosters.values()), default=0.0)
    since = newest - LATELY.total_seconds()
    return {
        name: frozenset(
            entity.host
            for entity, seen in zip(roster.entities, roster.seen.tolist(), strict=True)
            if entity.host and seen >= since
        )
        for name, roster in rosters.items()
    }


def served_by(*, organization_id: int, source_id: int) -> ServedMetrics | None:
    """Return what a source served when it was read last; None: it never was. Needs the scope."""
    rows = SeriesState.objects.for_organization(organization_id)
    row = rows.filter(source=source_id, signal=NAME).first()
    if row is None:
        return None
    kept = _unpacked(row.body)
    lacking = tuple(
        Uneven(**{**each, "signals": tuple(each["signals"]), "missing": tuple(each["missing"])})
        for each in kept["lacking"]
    )
    return ServedMetrics(
        at=row.until,
        names=frozenset(kept["names"]),
        lacking=lacking,
        # A row of before the portal kept them has none.
        hosts=frozenset(kept.get("hosts", ())),
    )


def told_by(*, organization_id: int, source_ids: Sequence[int]) -> SourceCoverage | None:
    """Return what sources can tell together; None where none of them was ever read.

    A gap of one is none where another closes it. Needs the scope of their owner.
    """
    found = (served_by(organization_id=organization_id, source_id=each) for each in source_ids)
    served = [each for each in found if each]
    if not served:
        return None
    names = frozenset[str]().union(*(each.names for each in served))
    return SourceCoverage(
        at=min(each.at for each in served),
        name_count=len(names),
        covered=coverage.covered(names),
        lacking=tuple(lack for each in served for lack in each.lacking),
    )


def _unpacked(body: bytes | memoryview) -> dict[str, Any]:
    plain = zstandard.ZstdDecompressor().decompress(bytes(body), max_output_size=MOST_BYTES)
    found: dict[str, Any] = orjson.loads(plain)
    return found
