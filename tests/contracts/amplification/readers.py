"""What the portal does with a body, from receiver to worker, but the rows it writes."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.exceptions import SuspiciousOperation
from django.core.handlers.asgi import ASGIRequest
from django.http.multipartparser import MultiPartParserError
from requests import Response
from urllib3 import HTTPResponse

from apps.diagnosis.dumps.dump_lines import as_text
from apps.diagnosis.model import Origin
from apps.diagnosis.signatures.read import StreamReader
from apps.offline.series.series_tables import read_series
from apps.offline.series.wide_tables import read_wide
from apps.operations.setup.description_file import read_text
from apps.operations.setup.parties import BadParties
from apps.telemetry.files import text_sources, unusable_input
from apps.telemetry.formats import alertmanager, remote_write, upload
from apps.telemetry.formats.columns import Columns
from apps.telemetry.formats.compression import coding
from apps.telemetry.formats.lines.complaints import (
    Archive,
    Complaints,
    NoText,
    NothingUsable,
    TooBig,
)
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.formats.loki import loki_json as pushed_json
from apps.telemetry.formats.loki import loki_protobuf as pushed_protobuf
from apps.telemetry.formats.otlp import otlp_logs, otlp_metrics
from apps.telemetry.formats.pack import packed, unpacked
from apps.telemetry.formats.schedulers import inventory_json, json_values, scheduler_json
from apps.telemetry.logs import accept
from apps.telemetry.sources import answer_checks, matrix
from apps.telemetry.sources.address import Address
from apps.telemetry.sources.errors import SourceUnreachable
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.tenancy.outbound.policy import Policy
from tests.contracts.amplification.cost import turn

LIMIT_BYTES = 16 * 2**20
OTLP_LIMIT_BYTES = 8 * 2**20
DECODED_BYTES = 192 * 2**20
REFUSED = (
    NothingUsable,
    TooBig,
    Archive,
    NoText,
    json_values.BadReport,
    unusable_input.UnusableInput,
    answer_checks.AnswerUnreadable,
    answer_checks.QueryRefused,
    BadParties,
    SourceUnreachable,
    SuspiciousOperation,
    MultiPartParserError,
)
NOW = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)


def answered(read: Callable[[bytes], object]) -> Callable[[bytes], str]:
    """Return a reader that says in words what became of a body."""

    def words(body: bytes) -> str:
        try:
            said = read(body)
        except REFUSED as error:
            return f"refused: {str(error)[:90]}"
        return f"taken: {said}"

    return words


def stored(pieces: Iterable[LinePiece]) -> str:
    """Do with pieces what `accept` does but the rows; return how many lines there are."""
    count = 0
    for position, found in enumerate(accept._groups(pieces)):
        group = accept._joined(found)
        accept._digest(1, "loki", position, group, "")
        packed(pieces=group)
        count += accept._lines(group)
    return f"{count} lines"


def _columns(columns: Columns) -> str:
    return f"{len(columns.series)} samples of {len(columns.keys)} series"


@answered
def loki_json(body: bytes) -> str:
    return stored(pushed_json.read_json(body=body, complaints=Complaints()))


@answered
def loki_snappy(body: bytes) -> str:
    plain = coding.unsnapped(body=body, limit=LIMIT_BYTES)
    return stored(pushed_protobuf.read_protobuf(body=plain, complaints=Complaints()))


@answered
def loki_protobuf(body: bytes) -> str:
    return stored(pushed_protobuf.read_protobuf(body=body, complaints=Complaints()))


@answered
def otlp_logs_json(body: bytes) -> str:
    return stored(otlp_logs.read_json(body=body, complaints=Complaints()).pieces)


@answered
def otlp_logs_protobuf(body: bytes) -> str:
    return stored(otlp_logs.read_protobuf(body=body, complaints=Complaints()).pieces)


@answered
def otlp_metrics_json(body: bytes) -> str:
    return _columns(otlp_metrics.read_json(body=body))


@answered
def otlp_metrics_protobuf(body: bytes) -> str:
    return _columns(otlp_metrics.read_protobuf(body=body))


@answered
def remote_write_1(body: bytes) -> str:
    return _columns(remote_write.read_v1(body=body))


@answered
def remote_write_2(body: bytes) -> str:
    return _columns(remote_write.read_v2(body=body))


@answered
def alerts(body: bytes) -> str:
    return stored(alertmanager.read(body=body, complaints=Complaints()).pieces)


@answered
def session_events(body: bytes) -> str:
    said = scheduler_json.document(body=body)
    return f"{len(scheduler_json.session_reports(said=said, complaints=Complaints()))} events"


@answered
def inventory(body: bytes) -> str:
    report = inventory_json.inventory_report(
        said=scheduler_json.document(body=body), complaints=Complaints()
    )
    return f"{len(report.nodes)} nodes, {len(report.links)} links, {len(report.mounts)} mounts"


def _uploaded(body: bytes, *, is_json: bool) -> str:
    source = coding.steps(body=BytesIO(body), limit=64 * 2**20)
    return stored(
        upload.read_file(
            source=source,
            labels={"filename": "rank0.log"},
            limit=DECODED_BYTES,
            complaints=Complaints(),
            is_json=is_json,
        )
    )


@answered
def log_file(body: bytes) -> str:
    return _uploaded(body, is_json=False)


@answered
def log_records(body: bytes) -> str:
    return _uploaded(body, is_json=True)


@answered
def dump(body: bytes) -> str:
    text = as_text(data=body, name="dump_3", rank=3)
    return f"{len(text or '')} characters of lines"


@answered
def work(body: bytes) -> str:
    """Read what a worker reads of one stream: batch by batch, each a turn at the longest."""
    reader = StreamReader(origin=Origin(source="stream:1", received_at=NOW))
    events = lines = 0
    for found in accept._groups(
        upload.read_file(
            source=coding.steps(body=BytesIO(body), limit=64 * 2**20), labels={},
            limit=DECODED_BYTES, complaints=Complaints(),
        )
    ):  # fmt: skip
        stored = packed(pieces=accept._joined(found))
        with turn():
            for piece in unpacked(body=stored):
                text = piece.text.decode()
                events += len(reader.feed(text=text, first_number=lines + 1).events)
                lines += piece.line_count
    return f"{events} events of {lines} lines"


@answered
def tar(body: bytes) -> str:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.tar"
        path.write_bytes(body)
        sources = text_sources.open_paths(paths=[str(path)], now=NOW)
        return f"{sum(len(piece.text()) for each in sources for piece in each.pieces())} characters"


@answered
def table(body: bytes) -> str:
    return f"{len(read_series(name='metrics/a.csv', raw=body))} series"


@answered
def wide_table(body: bytes) -> str:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "node.csv"
        path.write_bytes(body)
        return f"{read_wide(path).test.shape} numbers"


@answered
def range_answer(body: bytes) -> str:
    return f"{len(matrix.read(body).series())} series"


@answered
def label_values(body: bytes) -> str:
    """Ask a server for the values of a label, as the pull does, and be answered this."""
    address = Address(name="a server", url="http://192.0.2.1:9090", policy=Policy())
    with PrometheusSource(address=address) as source:
        vars(source._server.session)["_send_discreetly"] = lambda request, **kwargs: _response(body)
        return f"{len(source.label_values('simulated', starts_at=0, ends_at=1))} values"


def _response(body: bytes) -> Response:
    response = Response()
    response.status_code = 200
    response.raw = HTTPResponse(body=BytesIO(body), preload_content=False)
    return response


@answered
def multipart(body: bytes) -> str:
    """Read a form with files as the web process does, in front of every view of the pages."""
    headers = [
        (b"content-type", b"multipart/form-data; boundary=b"),
        (b"content-length", str(len(body)).encode()),
    ]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}
    request = ASGIRequest(scope, BytesIO(body))
    count = sum(len(files) for _, files in request.FILES.lists())
    return f"{len(request.POST)} fields, {count} files"


@answered
def vector_answer(body: bytes) -> str:
    return f"{len(answer_checks.results(body, kind='vector'))} entries"


@answered
def parties(body: bytes) -> str:
    return f"{len(read_text(text=body.decode()).parties)} parties"
