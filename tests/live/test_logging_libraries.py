"""A real failure, logged through the libraries that people use, is read as if it were printed."""

import pytest
from pytest_django.live_server_helper import LiveServer

from apps.diagnosis.model import Origin, Stream
from apps.diagnosis.signatures.read import read_source
from apps.telemetry.models import Event, LogStream
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import cast
from tests.live.foreign import Library
from tests.live.gate import Gate
from tests.live.kept_lines import count_of, waited_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sweep]
OOM = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB "
    "of which 1.00 GiB is free."
)
PRINTED = f"""training failed
Traceback (most recent call last):
  File "train.py", line 9, in <module>
    step()
  File "train.py", line 5, in step
    raise OutOfMemoryError(message)
torch.OutOfMemoryError: {OOM}
"""
# torch itself is too large for a test: its class has the module's name.
FAILS = f"""
import logging, sys, time
url, token, cluster = sys.argv[-3:]
OutOfMemoryError = type("OutOfMemoryError", (RuntimeError,), {{"__module__": "torch"}})
log = logging.getLogger("trainer")
log.setLevel(logging.INFO)
def step():
    raise OutOfMemoryError({OOM!r})
def fail():
    try:
        step()
    except RuntimeError:
        log.exception("training failed")
"""
OTEL_PYTHON = Library(
    name="OpenTelemetry SDK for Python",
    needs="opentelemetry.exporter.otlp.proto.http",
    text=FAILS
    + """
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
try:
    from opentelemetry.instrumentation.logging.handler import LoggingHandler
except ImportError:
    from opentelemetry.sdk._logs import LoggingHandler
provider = LoggerProvider(resource=Resource.create({
    "host.name": "gpu017", "session": "run-7", "rank": 3, "stream": "session"}))
provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(
    endpoint=f"{url}/v1/logs?cluster={cluster}", headers={"Authorization": f"Bearer {token}"})))
log.addHandler(LoggingHandler(logger_provider=provider))
fail()
provider.shutdown()
""",
)
LOGGING_LOKI = Library(
    name="python-logging-loki",
    needs="logging_loki",
    text=FAILS
    + """
import logging_loki
log.addHandler(logging_loki.LokiHandler(
    url=f"{url}/loki/api/v1/push", auth=("any", token), version="1",
    tags={"session": "run-7", "host": "gpu017", "rank": "3", "stream": "session"}))
fail()
""",
)
LOKI_HANDLER = Library(
    name="loki-logger-handler",
    needs="loki_logger_handler",
    text=FAILS
    + """
from loki_logger_handler.loki_logger_handler import LokiLoggerHandler
log.addHandler(LokiLoggerHandler(
    url=f"{url}/loki/api/v1/push", auth=("any", token), timeout=1,
    labels={"session": "run-7", "host": "gpu017", "rank": "3", "stream": "session"}))
fail()
time.sleep(4)
""",
)
RAISES = f"""
const [url, token, cluster] = process.argv.slice(-3);
const why = new Error({OOM!r});
why.name = "torch.OutOfMemoryError";
why.stack = why.stack.replace(/^Error/, why.name);
"""
OTEL_SCRIPT = Library(
    name="OpenTelemetry SDK for JavaScript",
    needs="@opentelemetry/exporter-logs-otlp-proto",
    is_script=True,
    text=RAISES
    + """
const {LoggerProvider, BatchLogRecordProcessor} = require("@opentelemetry/sdk-logs");
const {OTLPLogExporter} = require("@opentelemetry/exporter-logs-otlp-proto");
const {resourceFromAttributes} = require("@opentelemetry/resources");
const exporter = new OTLPLogExporter({
  url: `${url}/v1/logs?cluster=${cluster}`, headers: {Authorization: `Bearer ${token}`}});
const resource = resourceFromAttributes({
  "host.name": "gpu017", session: "run-7", rank: 3, stream: "session"});
// Versions take the exporter itself, or what has it.
const batch = new BatchLogRecordProcessor(Object.assign(exporter, {exporter}));
const provider = new LoggerProvider({resource, processors: [batch]});
const attributes = {"exception.type": why.name, "exception.message": why.message,
  "exception.stacktrace": why.stack};
provider.getLogger("trainer").emit({body: "training failed", severityNumber: 17, attributes});
// What is on its way when it shuts down would be given up.
provider.forceFlush().finally(() => provider.shutdown());
""",
)
PINO_LOKI = Library(
    name="pino-loki",
    needs="pino-loki",
    is_script=True,
    text=RAISES
    + """
const pino = require("pino");
const transport = pino.transport({target: require.resolve("pino-loki"), options: {
  host: url, basicAuth: {username: "any", password: token}, batching: false,
  labels: {session: "run-7", host: "gpu017", rank: "3", stream: "session"}}});
pino(transport).error(why, "training failed");
setTimeout(() => transport.end(), 1500);
""",
)


def _param(library: Library) -> object:
    why = library.lacking
    return pytest.param(library, id=library.name, marks=pytest.mark.skipif(bool(why), reason=why))


LIBRARIES = (OTEL_PYTHON, LOGGING_LOKI, LOKI_HANDLER, OTEL_SCRIPT, PINO_LOKI)


@pytest.mark.parametrize("library", [_param(each) for each in LIBRARIES])
def test_a_logged_failure_is_read_like_a_printed_one(
    live_server: LiveServer, library: Library
) -> None:
    people = cast()
    # Chunked bodies, as JavaScript sends them, are more than the test server takes.
    gate = Gate(behind=live_server.url)
    with gate.opened():
        token = people.token(people.tenant)
        library.run(url=gate.url, token=token, cluster=people.cluster.slug)

    waited_for(people.tenant, lambda found: count_of(found) > 0, why=lambda: library.name)

    origin = Origin(source="printed", stream=Stream.SESSION)
    (printed,) = [
        each
        for each in read_source(origin=origin, text=PRINTED).events
        if each.signature == "cuda-oom"
    ]
    with organization_scope(people.tenant.pk):
        (event,) = Event.objects.filter(signature="cuda-oom")
        stream = LogStream.objects.select_related("session").get()
    assert (event.role, event.layer) == (printed.role, printed.layer)
    assert (stream.kind, stream.host, stream.rank) == ("session", "gpu017", 3)
    assert stream.session is not None
    assert stream.session.name == "run-7"
    if not library.is_script:
        assert event.body["fields"]["frames"].endswith(":step")
