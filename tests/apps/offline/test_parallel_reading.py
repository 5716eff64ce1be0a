"""When paths are read by several processes."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from apps.offline import parallel_reading
from apps.offline.parallel_reading import LEAST_BYTES, read_paths
from apps.offline.reading.named_sources import NamedPaths

NOW = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("processes", "size", "is_shared"),
    [
        (None, LEAST_BYTES, True),
        (None, LEAST_BYTES - 1, False),
        (2, 1, True),
        (1, LEAST_BYTES, False),
    ],
)
def test_little_is_read_by_one_process_unless_several_are_asked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    processes: int | None,
    size: int,
    *,
    is_shared: bool,
) -> None:
    path = tmp_path / "a.log"
    path.touch()
    shared: list[int] = []

    def together(*, count: int, **_: object) -> list[object]:
        shared.append(count)
        return []

    monkeypatch.setattr(parallel_reading, "_processors", lambda: 2)
    monkeypatch.setattr(parallel_reading, "size_of", lambda path, follows_links: size)
    monkeypatch.setattr(parallel_reading, "_together", together)
    read_paths(named=[NamedPaths(paths=(str(path),))], now=NOW, processes=processes)
    assert shared == [2] * is_shared
