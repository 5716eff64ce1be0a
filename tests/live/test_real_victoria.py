"""A real VictoriaMetrics that holds back what is younger than 30 s, as it does by default."""

import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests
from django.conf import LazySettings

from apps.telemetry.metrics.pulls import pull
from apps.telemetry.metrics.pulls.read_spans import STEP_SECONDS
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.tenancy.scope import organization_scope
from tests.cast.metrics import HOSTS, attempt, cast, reloaded, source
from tests.live.real_prometheus import address
from tests.live.real_victoria import needs_victoria, victoria

pytestmark = [pytest.mark.prometheus, needs_victoria, pytest.mark.django_db, pytest.mark.sweep]
HELD_BACK, PULLS, PAUSE = 30, 10, 3.5  # the pulls' phases go once through a grid's step


def _write(url: str, *, starts_at: float, ends_at: float) -> None:
    stamps = range(int(starts_at), int(ends_at), 5)
    lines = [
        f'DCGM_FI_DEV_GPU_UTIL{{Hostname="{host}",gpu="1"}} {90 + at % 7} {at * 1000}'
        for at in stamps
        for host in HOSTS
    ]
    answer = requests.post(f"{url}/api/v1/import/prometheus", "\n".join(lines), timeout=10)
    answer.raise_for_status()
    requests.get(f"{url}/internal/force_flush", timeout=10).raise_for_status()


def test_a_server_says_what_it_holds_back(tmp_path: Path) -> None:
    for held_back in (0, HELD_BACK, 90):
        folder = tmp_path / str(held_back)
        folder.mkdir()
        with (
            victoria(directory=folder, held_back=f"{held_back}s") as url,
            PrometheusSource(address=address(url)) as made,
        ):
            now = time.time()
            assert now - made.newest(at=now) == pytest.approx(held_back, abs=2)


def test_two_sources_of_one_server_are_fresh_in_every_phase(
    tmp_path: Path, settings: LazySettings
) -> None:
    settings.PORTAL_PULL_SECONDS = 2
    people = cast()
    attempt(people)
    pause = threading.Event()
    with victoria(directory=tmp_path, held_back=f"{HELD_BACK}s") as url:
        _write(url, starts_at=time.time() - 1200, ends_at=time.time() + 60)
        both = [source(people, url, name=name) for name in ("one", "two")]
        for turn in range(PULLS):
            now = datetime.fromtimestamp(time.time(), UTC)
            for made in both[: 1 if turn % 3 == 1 else 2]:
                pulled = pull.pull_source(
                    organization_id=people.operator.id, source_id=made.pk, now=now
                )
                assert (pulled.state, pulled.error) == ("fresh", ""), turn
                row = reloaded(made)
                assert (row.last_error, row.series_count) == ("", len(HOSTS))
                assert row.read_until is not None
                late = now - row.read_until
                assert timedelta(seconds=HELD_BACK - 2) <= late < timedelta(seconds=HELD_BACK + 65)
            pause.wait(PAUSE)
        with organization_scope(people.operator.id):
            first, second = (reloaded(made).read_until for made in both)
    assert first is not None
    assert second is not None
    # The second is pulled a moment later, in which the server may have come a step on.
    assert timedelta(0) <= second - first <= timedelta(seconds=STEP_SECONDS)
