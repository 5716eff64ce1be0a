"""The stream of changes behind a real nginx with its usual settings: nothing is held back."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from django.conf import settings
from django.test import Client

from apps.incidents.models import Incident
from apps.tenancy.changes.announcements import announce
from apps.tenancy.models import Organization, Topic
from tests.cast import make
from tests.cast.incidents import Cast
from tests.e2e.asgi_server import CUT_OFF, serving
from tests.live.serving import free_port, served

NGINX = shutil.which("nginx")
pytestmark = [
    pytest.mark.skipif(NGINX is None, reason="no nginx on the PATH: install the package nginx"),
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
    CUT_OFF,
]
# No word of buffering: a proxy that nobody tuned.
CONFIGURATION = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  gzip on;
  gzip_types *;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass {portal};
      proxy_set_header Host $http_host;
    }}
  }}
}}
"""


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[str]:
    """Serve the portal behind nginx."""
    port = free_port()
    with serving() as portal:
        written = tmp_path / "nginx.conf"
        written.write_text(CONFIGURATION.format(folder=tmp_path, port=port, portal=portal))
        command = [str(NGINX), "-p", str(tmp_path), "-c", str(written)]
        base = f"http://127.0.0.1:{port}"
        with served(command=command, log=tmp_path / "log", ready=f"{base}/healthz"):
            yield base


def _cookies(organization: Organization) -> dict[str, str]:
    client = Client()
    client.force_login(
        make.user(organization=organization),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    name = settings.SESSION_COOKIE_NAME
    return {name: client.cookies[name].value}


def _say(incident: Incident, *readers: Organization) -> None:
    announce(topic=Topic.INCIDENT, subject=incident.pk, readers=[each.pk for each in readers])


def test_events_come_through_while_the_stream_is_open(
    cast: Cast, incident: Incident, proxy: str
) -> None:
    where = f"{proxy}/o/{cast.operator.slug}/live/stream/"
    with requests.get(where, cookies=_cookies(cast.operator), stream=True, timeout=20) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        lines = answer.iter_lines(chunk_size=1, decode_unicode=True)
        assert next(lines) == "event: ready"
        _say(incident, cast.operator)
        (event,) = [line for _, line in zip(range(6), lines, strict=False) if "incident" in line]
        assert incident.public_id in event


def test_who_asks_one_by_one_waits_there_and_hears_nothing_of_others(
    cast: Cast, incident: Incident, proxy: str
) -> None:
    def asked(who: Organization, **query: str) -> dict[str, object]:
        where = f"{proxy}/o/{who.slug}/live/changes/"
        answer = requests.get(where, params=query, cookies=_cookies(who), timeout=20)
        told: dict[str, object] = answer.json()
        return told

    first = str(asked(cast.operator)["mark"])
    _say(incident, cast.operator, cast.stranger)
    told = asked(cast.operator, after=first, wait="10")
    assert incident.public_id in str(told["events"])
    assert asked(cast.operator, after=str(told["mark"]), wait="1")["events"] == []
    assert asked(cast.stranger, after=first, wait="1")["events"] == []
