"""An incident with a long story and twelve kept charts, and a web process that serves its page."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from apps.diagnosis.model import statement
from tests.bench.bench_page import count_rows, story_entry
from tests.live.serving import free_port, served

if TYPE_CHECKING:
    from apps.incidents.models import Incident
    from apps.incidents.timeline import TimelineDraft
    from tests.cast.incidents import Cast

HOST: Final = "127.0.0.1"
# Three that the story accuses, then what panels show: signal → unit, family, level, noise, end.
ACCUSED: Final = ("gpu.corrected_errors", "gpu.throttled.thermal", "gpu.dram")
CHARTS: Final = {
    "gpu.corrected_errors": ("count", "errors", 0.0, 0.5, 90.0),
    "gpu.throttled.thermal": ("seconds", "throttling", 1.0, 0.2, 60.0),
    "gpu.dram": ("ratio", "dram", 0.8, 0.02, 0.2),
    "gpu.temperature": ("°C", "temperature", 61.0, 1.0, 88.0),
    "gpu.power": ("W", "power", 640.0, 15.0, 310.0),
    "gpu.clock": ("MHz", "clock", 1905.0, 6.0, 900.0),
    "gpu.utilisation": ("ratio", "activity", 0.98, 0.01, 0.3),
    "gpu.pcie.replays": ("count", "pcie", 1.0, 0.2, 40.0),
    "nic.transmitted": ("bytes/s", "nic", 2e10, 1e9, 1e9),
    "nic.link_downed": ("count", "link", 0.0, 0.1, 9.0),
    "nfs.queue": ("count", "nfs", 2.0, 0.5, 80.0),
    "node.memory.available": ("bytes", "memory", 9e11, 1e10, 2e11),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """Where the pages are, as whom, and by which cookie."""

    base: str
    cookie: tuple[str, str]
    with_charts: str  # path
    without_charts: str
    process: int  # of the web process
    stop: int  # when it broke, in Unix seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Both incidents as they are written down, and who looks at them."""

    paths: tuple[str, str]  # with charts, without
    cookie: tuple[str, str]
    stop: int  # when they broke, in Unix seconds

    @contextmanager
    def served(self, *, checkout: Path | None = None) -> Iterator[Served]:
        """Serve them by a web process of their own, of another checkout where one is named."""
        port = free_port()
        base = f"http://{HOST}:{port}"
        command = [sys.executable, "-m", "apps.operations.servers.web", "--host", HOST]
        os.environ |= {"PORTAL_PROCESS": "web", "PORTAL_BASE_URL": base}
        log = Path(os.environ["PORTAL_VAR"]) / f"web-{port}.log"
        with served(
            command=[*command, "--port", str(port)],
            log=log,
            ready=f"{base}/healthz",
            ready_seconds=150,
            folder=checkout,
        ) as process:
            yield Served(
                base=base,
                cookie=self.cookie,
                with_charts=self.paths[0],
                without_charts=self.paths[1],
                process=process,
                stop=self.stop,
            )


def recorded(*, entries: int) -> Recorded:
    """Record both incidents in a portal that runs."""
    from django.conf import settings  # noqa: PLC0415  needs settings
    from django.test import Client  # noqa: PLC0415  the same

    from tests.cast import make  # noqa: PLC0415  the same
    from tests.cast.incidents import assemble  # noqa: PLC0415  the same
    from tests.cast.kept_charts import keep  # noqa: PLC0415  the same

    cast = assemble()
    charted, plain = (_incident(cast, entries) for _ in range(2))
    keep(cast, charted, CHARTS)
    count_rows()
    client = Client()
    client.force_login(
        make.user(organization=cast.operator),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    base = f"/o/{cast.operator.slug}/incidents"
    name = settings.SESSION_COOKIE_NAME
    return Recorded(
        paths=(f"{base}/{charted.public_id}/", f"{base}/{plain.public_id}/"),
        cookie=(name, client.cookies[name].value),
        stop=int(make.AT.timestamp()),
    )


def _incident(cast: "Cast", entries: int) -> "Incident":
    """Record a stop whose whole story the operator holds."""
    from apps.incidents.timeline import append  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same
    from tests.cast import make  # noqa: PLC0415  the same
    from tests.cast.incidents import attempt_of, stop_of  # noqa: PLC0415  the same

    blamed = {"kind": "gpu", "host": "gpu001", "name": None, "gpu": {"index": 3, "uuid": "ab12"}}
    attempt = attempt_of(cast, cast.tenant, world_size=504, ended_at=make.AT + timedelta(hours=1))
    incident = stop_of(cast, attempt, culprits=[blamed])
    told = [story_entry(cast.operator.pk, number, number) for number in range(entries)]
    told += [_accusation(cast, signal) for signal in ACCUSED]
    with organization_scope(*cast.ids):
        append(incident=incident, tellings=told, now=make.AT)
    return incident


def _accusation(cast: "Cast", signal: str) -> "TimelineDraft":
    from apps.incidents.timeline import TimelineDraft  # noqa: PLC0415  needs settings
    from tests.cast import make  # noqa: PLC0415  the same

    return TimelineDraft(
        organization_id=cast.operator.pk,
        identity=("bench", signal),
        lane="gpu",
        kind="anomaly",
        role="initiating",
        statement=statement("measured", detector="counter-step", signal=signal),
        at=make.AT - timedelta(minutes=5),
        order_key=1,
        detail={"host": "gpu001"},
    )
