"""What is not there: nodes, exporters, single scrapes, series that some nodes never had."""

import numpy as np
from numpy.typing import NDArray

from tests.census.compiled import Floats, Numbers, Wide, table
from tests.census.effects import Gap, Happenings
from tests.census.life import NODES

EXPORTERS = ("dcgm-exporter", "node_exporter", "all-smi")
LOST_SCRAPES = 2e-4  # share of single scrapes that fail
_TIMEOUT_SECONDS = 10.0


class Gaps:
    """Cuts what is missing out of a tile."""

    def __init__(self, *, happenings: Happenings, seed: int) -> None:
        """Sort the gaps by what is missing."""
        self._seed = seed
        self._gaps = sorted(
            (g for g in happenings.gaps if g.what != "gpu"), key=lambda g: g.what == "server"
        )
        self._rows = {e: table().rows_of(e) for e in (*EXPORTERS, "nccl-inspector")}
        self._meta = {e: _meta_rows(e) for e in EXPORTERS}
        self._working = np.array([i for i, n in enumerate(table().names) if n.is_working])

    def cut(
        self,
        values: Floats,
        *,
        number: int,
        times: Wide,
        absent: NDArray[np.bool_],
        working: NDArray[np.bool_],
    ) -> None:
        """Make NaN of what is not there, and 0 of `up`."""
        values[absent] = np.nan
        for row in self._working:
            values[row][~working] = np.nan
        chance = np.random.default_rng([self._seed, 97, number])
        lost = chance.random((len(EXPORTERS), NODES, times.size)) < LOST_SCRAPES
        for exporter, host, step in zip(*np.nonzero(lost), strict=True):
            self._lose(values, EXPORTERS[exporter], int(host), slice(int(step), int(step) + 1))
        for gap in self._gaps:
            a, b = np.searchsorted(times, [gap.starts_at, gap.ends_at])
            if a < b:
                self._one(values, gap, slice(int(a), int(b)))

    def _one(self, values: Floats, gap: Gap, span: slice) -> None:
        if gap.host is None:
            values[:, :, span] = np.nan
        elif gap.what == "node":
            for exporter in EXPORTERS:
                self._lose(values, exporter, gap.host, span)
            values[self._rows["nccl-inspector"], gap.host, span] = np.nan
        else:
            self._lose(values, gap.what, gap.host, span)

    def _lose(self, values: Floats, exporter: str, host: int, span: slice) -> None:
        """Fail the scrapes of one exporter: its series end, what the server notes does not."""
        values[self._rows[exporter], host, span] = np.nan
        up, duration, *samples = self._meta[exporter]
        values[up, host, span] = 0.0
        values[duration, host, span] = _TIMEOUT_SECONDS
        values[np.array(samples), host, span] = 0.0


def _meta_rows(exporter: str) -> Numbers:
    kinds = (
        "up",
        "scrape_duration_seconds",
        "scrape_samples_scraped",
        "scrape_samples_post_metric_relabeling",
        "scrape_series_added",
    )
    return np.array([table().rows[f'{kind}{{job="{exporter}"}}'] for kind in kinds])
