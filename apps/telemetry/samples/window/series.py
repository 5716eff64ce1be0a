"""Which series a pushed source has: labels kept once, a series known by its place among them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import orjson
import zstandard

from apps.telemetry.formats.columns import DIGEST_BYTES, Meta, digest_of, labels_of, metric_of
from apps.telemetry.models import PushedMetric, Source

# A part is what is read and written at once: its block of a slot has a few megabytes at most.
PART_SERIES: Final = 4096
MAX_LABEL_BYTES: Final = 64 * 2**20
Labels = Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class _Part:
    row: PushedMetric
    places: dict[bytes, int]
    new: dict[bytes, bytes] = field(default_factory=dict)  # digest → key


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPosition:
    """Where a series is: in which part of its metric, and there the how manieth."""

    metric: PushedMetric
    number: int


def places_of(
    *, source: Source, keys: Mapping[int, bytes], limit: int, check: Callable[[], None]
) -> dict[int, SeriesPosition]:
    """Return the place of each key, by its number; new series are kept up to the limit.

    Needs the scope, and that nobody else writes the source's series meanwhile. `check` is called
    of each metric; what it raises ends the work.
    """
    by_metric: dict[str, list[int]] = {}
    for position, key in keys.items():
        by_metric.setdefault(metric_of(key), []).append(position)
    parts = _parts(source, by_metric)
    room = limit - series_count(source=source)
    found: dict[int, tuple[_Part, bytes]] = {}
    for name, positions in by_metric.items():
        check()
        known = parts.setdefault(name, [])
        for position in positions:
            digest = digest_of(keys[position])
            part = next((each for each in known if digest in each.places), None)
            if part is None:
                if room <= 0:
                    continue
                room -= 1
                part = _with_room(known, source, name)
                part.new[digest] = keys[position]
                part.places[digest] = len(part.places)
            found[position] = (part, digest)
    _keep(source, [part for known in parts.values() for part in known if part.new], check)
    return {
        position: SeriesPosition(metric=part.row, number=part.places[digest])
        for position, (part, digest) in found.items()
    }


def series_count(*, source: Source) -> int:
    """Return how many series the window of a source has. Needs the scope."""
    own = PushedMetric.objects.for_organization(source.organization_id).filter(source=source)
    return sum(own.values_list("series_count", flat=True))


def note_metadata(*, source: Source, metadata: Mapping[str, Meta]) -> None:
    """Keep what was said of metrics that are there; what was said before and not now stays."""
    own = PushedMetric.objects.for_organization(source.organization_id).filter(source=source)
    for row in own.filter(name__in=list(metadata)).only("name", "kind", "unit", "help"):
        said = metadata[row.name]
        told = {
            word: value
            for word in ("kind", "unit", "help")
            if (value := getattr(said, word)) and value != getattr(row, word)
        }
        if told:
            own.filter(pk=row.pk).update(**told)


def labels_in(row: PushedMetric) -> list[Labels]:
    """Return the label sets of a part, in order."""
    if not row.labels:
        return []
    raw = zstandard.ZstdDecompressor().decompress(
        bytes(row.labels), max_output_size=MAX_LABEL_BYTES
    )
    found: list[Labels] = orjson.loads(raw)
    return found


def without(*, row: PushedMetric, living: Collection[int]) -> None:
    """Keep only some series of a part; the caller numbers its blocks anew. Needs the scope."""
    kept = sorted(living)
    digests = bytes(row.digests)
    labels = labels_in(row)
    row.digests = b"".join(digests[n * DIGEST_BYTES : (n + 1) * DIGEST_BYTES] for n in kept)
    row.labels = _packed([labels[n] for n in kept])
    row.series_count = len(kept)
    row.save(update_fields=["digests", "labels", "series_count"])


def _parts(source: Source, names: Iterable[str]) -> dict[str, list[_Part]]:
    own = PushedMetric.objects.for_organization(source.organization_id).filter(source=source)
    rows = own.filter(name__in=list(names)).defer("labels", "help").order_by("name", "part", "id")
    parts: dict[str, list[_Part]] = {}
    for row in rows:
        digests = bytes(row.digests)
        starts = range(0, len(digests), DIGEST_BYTES)
        places = {digests[at : at + DIGEST_BYTES]: n for n, at in enumerate(starts)}
        parts.setdefault(row.name, []).append(_Part(row=row, places=places))
    return parts


def _with_room(known: list[_Part], source: Source, name: str) -> _Part:
    for part in known:
        if len(part.places) < PART_SERIES:
            return part
    following = max((part.row.part for part in known), default=-1) + 1
    row = PushedMetric(
        organization_id=source.organization_id, source=source, name=name, part=following
    )
    known.append(_Part(row=row, places={}))
    return known[-1]


def _keep(source: Source, parts: Sequence[_Part], check: Callable[[], None]) -> None:
    """Write the new series of parts, and the parts that are new themselves."""
    former = PushedMetric.objects.for_organization(source.organization_id).in_bulk(
        [part.row.pk for part in parts if part.row.pk]
    )
    for part in parts:
        check()
        row = part.row
        before = labels_in(former[row.pk]) if row.pk else []
        said = [_without_name(labels_of(key)) for key in part.new.values()]
        row.labels = _packed([*before, *said])
        row.digests = bytes(row.digests) + b"".join(part.new)
        row.series_count = len(part.places)
    PushedMetric.objects.bulk_create([part.row for part in parts if not part.row.pk])
    PushedMetric.objects.bulk_update(
        [part.row for part in parts if part.row.pk in former],
        ["labels", "digests", "series_count"],
        batch_size=100,
    )


def _without_name(labels: dict[str, str]) -> dict[str, str]:
    labels.pop("__name__", None)
    return labels


def _packed(labels: Sequence[Labels]) -> bytes:
    return zstandard.compress(orjson.dumps(labels), 3)
