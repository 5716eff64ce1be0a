"""Which world the metrics server shows: the demo's, with the live fault once it is decided."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

from apps.simulator.demo import read_demo, read_state
from apps.simulator.metrics_server.store import SeriesStore
from apps.simulator.world.world import make_world

_BEFORE_ANY_EPOCH = 1_795_219_200.0


@dataclass(slots=True, kw_only=True)
class Stores:
    """Stores per party, made anew when the demo's file or the shipper's decision changes."""

    demo_path: Path
    state_path: Path
    seed: int
    _made_for: tuple[float, float | None] | None = None
    _stores: dict[str, SeriesStore] = field(default_factory=dict)
    _stamps: tuple[int, int] = (-1, -1)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def current(self) -> dict[str, SeriesStore]:
        """Return the stores by party; without a demo's file the cluster merely idles and trains."""
        with self._lock:
            stamps = (_changed_at(self.demo_path), _changed_at(self.state_path))
            if stamps != self._stamps or not self._stores:
                self._refresh()
                self._stamps = stamps
            return self._stores

    def _refresh(self) -> None:
        demo = read_demo(self.demo_path)
        epoch = demo.epoch if demo else _BEFORE_ANY_EPOCH
        live_at = read_state(self.state_path, epoch=epoch, seed=self.seed).live_at
        if self._made_for == (epoch, live_at) and self._stores:
            return
        world = make_world(seed=self.seed, epoch=epoch, live_at=live_at)
        self._stores = {
            party: SeriesStore(world=world, party=party) for party in ("aurora", "strata")
        }
        self._made_for = (epoch, live_at)


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
