"""The log exporter of OpenTelemetry's own SDK sends to the portal."""

import importlib.util
import os
import subprocess
import sys

import pytest
from pytest_django.live_server_helper import LiveServer

from apps.telemetry.models import Event, LogStream
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import cast, drain_all

# Another Python than the one that runs the tests may have it.
PYTHON = os.environ.get("OPENTELEMETRY_PYTHON", "")
IS_HERE = bool(PYTHON) or importlib.util.find_spec("opentelemetry") is not None
pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(
        not IS_HERE,
        reason="no OpenTelemetry SDK: /v1/logs was tried from written bodies alone; name a Python "
        "with `opentelemetry-exporter-otlp-proto-http` in OPENTELEMETRY_PYTHON to try it",
    ),
    pytest.mark.django_db(transaction=True),
]
PROGRAM = """
import logging, sys
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

url, token, packing = sys.argv[1:]
provider = LoggerProvider(resource=Resource.create({
    "service.name": "trainer", "host.name": "gpu017", "session": "run-7", "rank": 3,
    "stream": "session"}))
provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(
    endpoint=url, headers={"Authorization": f"Bearer {token}"},
    compression=Compression(packing))))
logger = logging.getLogger("trainer")
logger.addHandler(LoggingHandler(logger_provider=provider))
logger.setLevel(logging.INFO)
for step in range(3):
    logger.info("step %d of 3", step)
logger.error(
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.11 GiB of which 1.00 GiB is free.")
provider.shutdown()
"""


@pytest.mark.parametrize("packing", ["gzip", "none"])
def test_its_records_become_the_log_of_a_session(live_server: LiveServer, packing: str) -> None:
    people = cast()
    url = f"{live_server.url}/v1/logs?cluster={people.cluster.slug}"
    command = [PYTHON or sys.executable, "-c", PROGRAM, url, people.token(people.tenant), packing]

    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603

    assert done.returncode == 0, done.stderr
    assert "Failed to export" not in done.stderr
    assert drain_all(people.tenant) == 4
    with organization_scope(people.tenant.pk):
        stream = LogStream.objects.select_related("session").get()
        assert Event.objects.filter(signature="cuda-oom").exists()
    assert (stream.kind, stream.host, stream.rank) == ("session", "gpu017", 3)
    assert stream.session is not None
    assert stream.session.name == "run-7"
