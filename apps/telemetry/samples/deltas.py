"""Increments → sums that only grow, which is what everything behind the window knows."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from math import isfinite
from typing import Final

import orjson
import zstandard

from apps.telemetry.formats.columns import Columns, digest_of, is_stale
from apps.telemetry.models import SeriesState, Source
from apps.telemetry.sources.instants import instant

MARK: Final = "#deltas"  # among notes of detectors, which have no such signal
MOST_SERIES: Final = 200_000
MAX_BYTES: Final = 64 * 2**20


@dataclass(slots=True)
class Sums:
    """Where the sum of each series of increments stands: digest → total, newest instant in ms."""

    known: dict[str, tuple[float, int]] = field(default_factory=dict)

    def added_up(self, columns: Columns) -> tuple[Columns, int]:
        """Return columns without increments, and how many came too late, or were no numbers.

        An increment is added once: one that is not newer than the last is the same again, or came
        after its time, as OpenTelemetry's own deltatocumulative has it.
        """
        if not columns.deltas:
            return columns, 0
        values = columns.values.copy()
        kept = [True] * len(values)
        late_count = 0
        marks = is_stale(values)
        for place in sorted(range(len(values)), key=columns.at.__getitem__):
            series = int(columns.series[place])
            if series not in columns.deltas or marks[place]:
                continue
            name = digest_of(columns.keys[series]).hex()
            total, last = self.known.get(name, (0.0, -1))
            total += float(values[place])
            # What is no number would be no number for ever after.
            if columns.at[place] <= last or not isfinite(total):
                kept[place] = False
                late_count += 1
                continue
            values[place] = total
            self.known[name] = (float(values[place]), int(columns.at[place]))
        return (
            replace(
                columns,
                series=columns.series[kept],
                at=columns.at[kept],
                values=values[kept],
                deltas=frozenset(),
            ),
            late_count,
        )


def sums_of(*, source: Source) -> Sums:
    """Return where the sums of a source stand. Needs the scope."""
    own = SeriesState.objects.for_organization(source.organization_id)
    row = own.filter(source=source, signal=MARK).first()
    if row is None:
        return Sums()
    raw = zstandard.ZstdDecompressor().decompress(bytes(row.body), max_output_size=MAX_BYTES)
    known = orjson.loads(raw).items()
    # JSON has no word for what is no number.
    return Sums({name: (total, last) for name, (total, last) in known if total is not None})


def keep(*, source: Source, sums: Sums, since: datetime) -> None:
    """Keep where the sums stand; a series that said nothing since then begins anew."""
    before = since.timestamp() * 1000
    living = {name: each for name, each in sums.known.items() if each[1] >= before}
    newest = dict(sorted(living.items(), key=lambda pair: pair[1][1])[-MOST_SERIES:])
    SeriesState.objects.bulk_create(
        [
            SeriesState(
                organization_id=source.organization_id,
                source=source,
                signal=MARK,
                until=instant(max((last for _, last in newest.values()), default=0) / 1000),
                body=zstandard.compress(orjson.dumps(newest)),
            )
        ],
        update_conflicts=True,
        unique_fields=["organization", "source", "signal"],
        update_fields=["until", "body"],
    )
