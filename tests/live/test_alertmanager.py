"""A real Alertmanager, set up with the text that is pasted, tells the portal of its alerts."""

import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import Event as Pause
from time import time

import pytest
import requests
import yaml
from pytest_django.live_server_helper import LiveServer

from apps.telemetry.logs.interpretation import drain
from apps.telemetry.models import Batch, Event
from apps.telemetry.snippets.agents import SnippetRequest, filled
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.snippets.agent_by_key import agent_of
from tests.cast.pushes import Cast, cast
from tests.live.serving import free_port, served

NAMES = ("prometheus-alertmanager", "alertmanager")
BINARY = next((found for name in NAMES if (found := shutil.which(name))), "")
pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(
        not BINARY,
        reason="no Alertmanager on this machine: its webhook was tried from written bodies alone; "
        "install the package `prometheus-alertmanager` to try the program itself",
    ),
    pytest.mark.django_db(transaction=True),
]
SECONDS = 30


@pytest.mark.skipif(
    not shutil.which("amtool"), reason="no amtool: install the package `prometheus-alertmanager`"
)
def test_the_pasted_text_is_a_whole_configuration(tmp_path: Path) -> None:
    people = cast()
    token = people.token(people.operator)
    wanted = SnippetRequest(base="http://portal", cluster=people.cluster.slug, token=token)
    path = tmp_path / "alertmanager.yml"
    path.write_text(filled(agent=agent_of(key="alertmanager"), wanted=wanted))

    said = subprocess.run(  # noqa: S603  the program that comes with it
        ["amtool", "check-config", str(path)],  # noqa: S607  wherever it is installed
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip

    assert said.returncode == 0, said.stdout + said.stderr


def configured(folder: Path, *, base: str, people: Cast) -> Path:
    """Write the pasted text as a whole configuration that waits for nothing."""
    wanted = SnippetRequest(
        base=base, cluster=people.cluster.slug, token=people.token(people.operator)
    )
    said = yaml.safe_load(filled(agent=agent_of(key="alertmanager"), wanted=wanted))
    said["route"] |= {
        "group_by": ["..."],
        "group_wait": "1s",
        "group_interval": "1s",
        "repeat_interval": "2s",
    }
    path = folder / "alertmanager.yml"
    path.write_text(yaml.safe_dump(said))
    return path


def waited_for(people: Cast, is_enough: Callable[[list[Event]], bool]) -> list[Event]:
    """Interpret what arrives until it is enough; return the events."""
    pause, events = Pause(), list[Event]()
    for _ in range(SECONDS * 4):
        drain.take_turn(
            organization_id=people.operator.pk,
            clock=lambda: 0.0,
            now=lambda: datetime.fromtimestamp(time(), UTC),
        )
        with organization_scope(people.operator.pk):
            events = list(Event.objects.order_by("id"))
        if is_enough(events):
            return events
        pause.wait(0.25)
    raise AssertionError(f"after {SECONDS} s: {[event.signature for event in events]}")


def tell(url: str, **more: str) -> None:
    """Raise an alert at Alertmanager, or end it."""
    labels = {"alertname": "GpuXidError", "severity": "critical", "instance": "gpu017:9400"}
    alert = {"labels": {**labels, "gpu": "3"}, "annotations": {"summary": f"{time()}"}, **more}
    answer = requests.post(f"{url}/api/v2/alerts", json=[alert], timeout=10)
    assert answer.ok, answer.text


def test_an_alert_fires_is_told_again_and_is_over(tmp_path: Path, live_server: LiveServer) -> None:
    people, port = cast(), free_port()
    url = f"http://127.0.0.1:{port}"
    command = [
        BINARY,
        f"--config.file={configured(tmp_path, base=live_server.url, people=people)}",
        f"--storage.path={tmp_path / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    began = datetime.fromtimestamp(int(time()) - 5, UTC).isoformat().replace("+00:00", "Z")

    with served(command=command, log=tmp_path / "log", ready=f"{url}/-/ready"):
        tell(url, startsAt=began)
        (fired,) = waited_for(people, lambda events: len(events) == 1)
        pause = Pause()
        pause.wait(5)  # it repeats every two seconds
        over = datetime.fromtimestamp(time(), UTC).isoformat().replace("+00:00", "Z")
        tell(url, startsAt=began, endsAt=over)
        both = waited_for(people, lambda events: len(events) == 2)

    assert [event.signature for event in both] == ["alert-gpu-xid", "alert-resolved"]
    assert (fired.host, fired.body["fields"]["gpu"]) == ("gpu017", "3")
    assert fired.at == datetime.fromisoformat(began)
    with organization_scope(people.operator.pk):
        assert Batch.objects.count() >= 2
