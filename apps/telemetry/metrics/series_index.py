"""Series of a source → rows of signals: which text of labels is which row, on which grid.

A label text means the same from one pull to the next, so it is read once and looked up after that:
a quarter of a million series cost a tenth of a second instead of several.
"""

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.detection.metrics.frames import Grid, row_name
from apps.diagnosis.detection.metrics.identity import NamedSeries
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame, Query, Signal
from apps.telemetry.sources.matrix import Matrix, labels_of

NOBODY: Final = -1  # a series that names nothing that anybody could find

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedSeries:
    """A signal under the name that a source serves. Of several series a row may be the mean."""

    signal: Signal
    query: Query
    is_mean: bool = False


class SeriesRoll:
    """The rows of the wanted signals, as far as their series were met. It only grows."""

    def __init__(
        self,
        *,
        wanted: Sequence[WantedSeries],
        label_map: Mapping[str, str],
        aliases: Mapping[str, str],
    ) -> None:
        self.wanted = tuple(wanted)
        self.label_map, self.aliases = label_map, aliases
        self._channels: list[dict[str, int]] = []  # metric → number of the wanted
        self.matches: list[Mapping[str, str]] = []
        self._texts: list[dict[bytes, int]] = []
        self._rows: list[dict[NamedSeries, int]] = [{} for _ in self.wanted]
        self._places: list[list[int]] = [[] for _ in self.wanted]
        self._is_mean: list[bool] = []
        self._devices: dict[Device, Device] = {}
        self._tables: dict[tuple[Device, ...], tuple[Device, ...]] = {}
        self._frames: dict[int, tuple[Rows, tuple[Device, ...], tuple[str, ...]]] = {}
        for number, each in enumerate(self.wanted):
            self._assign(number, each.query)

    def __len__(self) -> int:
        """Return how many rows there are, of all signals together."""
        return len(self._is_mean)

    @property
    def series_count(self) -> int:
        """How many series were met."""
        return sum(map(len, self._texts))

    def _assign(self, number: int, query: Query) -> None:
        # One name under one matcher is one signal's; a second one's goes to a channel of its own.
        match = dict(query.match)
        for channel, metrics in enumerate(self._channels):
            if dict(self.matches[channel]) == match and query.metric not in metrics:
                metrics[query.metric] = number
                return
        self._channels.append({query.metric: number})
        self.matches.append(MappingProxyType(match))
        self._texts.append({})

    def metrics(self, channel: int) -> list[str]:
        """Return the names that are asked for together, in the order of the signals."""
        return list(self._channels[channel])

    def numbers(self, channel: int, metrics: Iterable[str]) -> list[int]:
        """Return which of the wanted these names of a channel are."""
        return [self._channels[channel][metric] for metric in metrics]

    def names(self, channel: int, metrics: Iterable[str]) -> list[str]:
        """Return the names of the signals that these names of a channel are."""
        return [self.wanted[each].signal.name for each in self.numbers(channel, metrics)]

    def order(self) -> list[tuple[int, str]]:
        """Return every channel and name in the order of the signals."""
        places = [
            (number, channel, metric)
            for channel, metrics in enumerate(self._channels)
            for metric, number in metrics.items()
        ]
        return [(channel, metric) for _, channel, metric in sorted(places)]

    def counts(self) -> dict[str, int]:
        """Return how many series each name was seen with: what the next question expects."""
        count: Counter[str] = Counter()
        for number, each in enumerate(self.wanted):
            count[each.query.metric] += len(self._places[number])
        return {name: most for name, most in count.items() if most}

    def rows(self, channel: int, texts: Sequence[bytes]) -> Rows:
        """Return the row of each series by the text of its labels; NOBODY where it has none."""
        known = self._texts[channel]
        found = [known.get(text) for text in texts]
        if None in found:
            found = [
                self._learn(channel, text) if row is None else row
                for row, text in zip(found, texts, strict=True)
            ]
        return np.array(found, dtype=np.int64)

    def is_mean(self) -> NDArray[np.bool_]:
        """Return, for each row, whether its series are averaged."""
        return np.array(self._is_mean, dtype=np.bool_)

    def rows_of(self, number: int) -> tuple[Rows, tuple[Device, ...], tuple[str, ...]]:
        """Return the rows of one of the wanted, with what each of them speaks of."""
        rows = self._rows[number]
        known = self._frames.get(number)
        if known is None or len(known[1]) != len(rows):
            entities = tuple(named.device for named in rows)
            # Signals of the same parts share one table: what is worked out for it counts for all.
            known = (
                np.array(list(rows.values()), dtype=np.int64),
                self._tables.setdefault(entities, entities),
                tuple(named.operation for named in rows),
            )
            self._frames[number] = known
        return known

    def _learn(self, channel: int, text: bytes) -> int:
        row = self._row(channel, labels_of(text))
        self._texts[channel][text] = row
        return row

    def _row(self, channel: int, labels: Mapping[str, str]) -> int:
        number = self._channels[channel].get(labels.get("__name__", ""))
        if number is None:
            return NOBODY
        wanted = self.wanted[number]
        named = row_name(
            labels=labels,
            signal=wanted.signal,
            spelling=catalog().labels[wanted.signal.exporter],
            renamed=self.label_map,
            aliases=self.aliases,
        )
        if named is None:
            return NOBODY
        # A part is one object, however many signals and series speak of it.
        device = self._devices.setdefault(named.device, named.device)
        named = NamedSeries(device=device, operation=sys.intern(named.operation))
        row = self._rows[number].get(named)
        if row is None:
            row = self._rows[number][named] = len(self._is_mean)
            self._is_mean.append(wanted.is_mean)
        self._places[number].append(row)
        return row


class GridSheet:
    """The samples of a roll's rows on one grid, filled answer by answer. Gaps are NaN."""

    def __init__(self, *, roll: SeriesRoll, grid: Grid) -> None:
        self._roll, self._grid = roll, grid
        self._values = np.full((len(roll), grid.count), np.nan)
        self._told: set[int] = set()
        self.series_count = 0

    def put(self, *, channel: int, metrics: Sequence[str], answer: Matrix) -> None:
        """Take the series of one answer to a question for names."""
        self._told.update(self._roll.numbers(channel, metrics))
        rows = self._roll.rows(channel, answer.labels)
        self.series_count += int(np.count_nonzero(rows != NOBODY))
        self._grow()
        cells, values = self._cells(rows, answer)
        if np.unique(rows).size != rows.size:
            cells, values = self._joined(cells, values)
        flat = self._values.reshape(-1)
        is_empty = np.isnan(flat[cells])
        flat[cells[is_empty]] = values[is_empty]

    def frames(self, *, without: Collection[str] = ()) -> tuple[Frame, ...]:
        """Return a frame of each signal that was asked for and has rows; not of those left out.

        A gap in what was only read in part would look like silence.
        """
        return tuple(
            frame
            for number in sorted(self._told)
            if self._roll.wanted[number].signal.name not in without
            and (frame := self._frame(number)) is not None
        )

    def _frame(self, number: int) -> Frame | None:
        rows, entities, details = self._roll.rows_of(number)
        if not entities:
            return None
        wanted = self._roll.wanted[number]
        return Frame(
            signal=wanted.signal,
            entities=entities,
            start=self._grid.start,
            step=self._grid.step,
            values=self._values[rows] * wanted.query.scale,
            details=details,
        )

    def _grow(self) -> None:
        missing = len(self._roll) - len(self._values)
        if missing > 0:
            # Some room to grow, or each new answer would copy everything.
            more = np.full((max(missing, len(self._values) // 4), self._grid.count), np.nan)
            self._values = np.concatenate((self._values, more))

    def _cells(self, rows: Rows, answer: Matrix) -> tuple[Rows, Floats]:
        """Return the place of each sample that has one, in order of the series, and its value."""
        grid = self._grid
        row = np.repeat(rows, np.diff(answer.edges))
        # A sample belongs to the step that ends next; the newest of a step counts.
        column = np.ceil((answer.at - grid.start) / grid.step - 1e-6)
        values = stats.without_blanks(answer.values)
        has_place = (row != NOBODY) & (column >= 0) & (column < grid.count) & ~np.isnan(values)
        cells = row[has_place] * grid.count + column[has_place].astype(np.int64)
        values = values[has_place]
        is_newest = np.append(cells[1:] != cells[:-1], True)[: cells.size]
        return cells[is_newest], values[is_newest]

    def _joined(self, cells: Rows, values: Floats) -> tuple[Rows, Floats]:
        """Return each place once: with the first of its values, or with their mean."""
        order = np.argsort(cells, kind="stable")
        cells, values = cells[order], values[order]
        firsts = np.flatnonzero(np.append(True, cells[1:] != cells[:-1])[: cells.size])
        if not firsts.size:
            return cells, values
        means = np.add.reduceat(values, firsts) / np.diff(np.append(firsts, cells.size))
        is_mean = self._roll.is_mean()[cells[firsts] // self._grid.count]
        return cells[firsts], np.where(is_mean, means, values[firsts])
