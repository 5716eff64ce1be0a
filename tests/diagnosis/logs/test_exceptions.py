"""Exceptions in fields of a record are read like printed ones, whoever wrote the record."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.logs.envelopes import Unwrapper
from apps.diagnosis.logs.escaped_line_ends import MOST_REPEATED
from apps.diagnosis.logs.exceptions import printed
from apps.diagnosis.logs.parse import shown_lines
from apps.diagnosis.model import Event, Origin, Stream
from apps.diagnosis.signatures.read import read_source

WHY = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
AT = "2026-11-09T03:12:44.123Z"
EPOCH = 1794193964.123
INNER = f"""Traceback (most recent call last):
  File "/app/train.py", line 5, in step
    loss.backward()
    ^^^^^^^^^^^^^^^
{WHY}"""
OUTER = """Traceback (most recent call last):
  File "/app/train.py", line 9, in <module>
    step()
ValueError: step 3 failed"""
CAUSED = "The above exception was the direct cause of the following exception:"
PRINTED = f"{INNER}\n\n{CAUSED}\n\n{OUTER}"
FRAMES = [{"filename": "/app/train.py", "lineno": 5, "name": "step", "locals": {}}]
CHAIN = [
    {"exc_type": "ValueError", "exc_value": "step 3 failed", "is_cause": False, "frames": FRAMES},
    {
        "exc_type": WHY.split(": ", maxsplit=1)[0],
        "exc_value": WHY.split(": ", 1)[1],
        "frames": FRAMES,
    },
]
OTEL = {
    "exception.type": "ValueError",
    "exception.message": "step 3 failed",
    "exception.stacktrace": PRINTED,
}
RECORDS: Mapping[str, Mapping[str, Any]] = {
    "python-json-logger without a time": {"message": "it failed", "exc_info": PRINTED},
    "python-json-logger": {"asctime": AT, "levelname": "ERROR", "message": "", "exc_info": PRINTED},
    "structlog": {"event": "it failed", "level": "error", "timestamp": AT, "exception": PRINTED},
    "structlog's dictionaries": {"event": "it failed", "timestamp": AT, "exception": CHAIN},
    "loki-logger-handler": {
        "message": "it failed",
        "timestamp": EPOCH,
        "process": 7,
        "stacktrace": f"{PRINTED}\n",
    },
    "OpenTelemetry behind Loki": {"body": "it failed", "severity": "ERROR", "attributes": OTEL},
    "OpenTelemetry, flat": {"timestamp": AT, "message": "it failed", **OTEL},
    "the Elastic Common Schema": {
        "@timestamp": AT,
        "message": "it failed",
        "error": {"type": "ValueError", "message": "step 3 failed", "stack_trace": PRINTED},
    },
    "its flat spelling": {"@timestamp": AT, "message": "x", "error.stack_trace": PRINTED},
    "zap": {
        "level": "error",
        "ts": EPOCH,
        "msg": "it failed",
        "error": WHY,
        "stacktrace": "main.step\n\t/app/train.go:5\nmain.main\n\t/app/train.go:9",
    },
    "Kubernetes": {"ts": EPOCH, "v": 0, "msg": "it failed", "err": WHY},
    "pino": {
        "level": 50,
        "time": EPOCH * 1000,
        "msg": "it failed",
        "err": {"type": "Error", "message": WHY, "stack": f"Error: {WHY}\n    at step (t.js:5:9)"},
    },
    "winston": {"level": "error", "message": "it failed", "stack": f"Error: {WHY}\n    at t.js:5"},
    "loguru": {
        "text": f"2026-11-09 03:12:44.123 | ERROR    | __main__:step:9 - it failed\n{PRINTED}\n",
        "record": {
            "exception": {"type": "ValueError", "value": "step 3 failed", "traceback": True},
            "message": "it failed",
            "time": {"repr": AT, "timestamp": EPOCH},
        },
    },
}


def events(text: str) -> tuple[Event, ...]:
    origin = Origin(source="log", stream=Stream.SESSION)
    return read_source(origin=origin, text=text).events


def signs(text: str) -> set[str]:
    return {event.signature for event in events(text)}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_the_record_says_what_the_printed_exception_says(record: Mapping[str, Any]) -> None:
    assert "cuda-ecc" in signs(WHY)
    assert "cuda-ecc" in signs(json.dumps(record))


def test_a_chain_names_its_first_exception_and_its_frames() -> None:
    (ecc,) = [each for each in events(json.dumps(RECORDS["structlog"])) if "ecc" in each.signature]
    (printed_one,) = [each for each in events(PRINTED) if "ecc" in each.signature]
    assert ecc.fields == printed_one.fields
    assert (ecc.role, ecc.line.text) == (printed_one.role, WHY)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda line: json.dumps({"log": line + "\n", "stream": "stderr", "time": AT}),
        lambda line: f"{AT} stderr F {line}",
        lambda line: f"<134>1 {AT} gpu017 train 7 - - {line}",
        lambda line: f"Nov  9 03:12:44 gpu017 train[7]: {line}",
        lambda line: f"[rank3]: {line}",
        lambda line: json.dumps({"MESSAGE": line, "__REALTIME_TIMESTAMP": "1794193964123456"}),
        lambda line: json.dumps({"date": EPOCH, "log": f"{AT} stderr F {line}"}),
    ],
    ids=["docker", "CRI", "syslog 5424", "syslog 3164", "rank", "journald", "CRI in JSON"],
)
def test_collectors_wrappings_come_off_first(wrap: Any) -> None:
    line = json.dumps({"message": "it failed", "level": "ERROR", "exc_info": PRINTED})
    (ecc,) = [each for each in events(wrap(line)) if each.signature == "cuda-ecc"]
    assert (ecc.line.text, ecc.line.number) == (WHY, 1)


def test_what_a_wrapping_tells_of_the_sender_stays() -> None:
    record = {"asctime": "2026-11-09 12:12:44,123", "message": "x", "process": 7, "exc_info": WHY}
    line = json.dumps(record)
    (ecc,) = events(f"{AT} stderr F {line}")
    assert (ecc.line.pid, ecc.line.at and ecc.line.at.isoformat()[:19]) == (
        7,
        "2026-11-09T03:12:44",
    )
    assert ecc.line.local_at is not None
    assert ecc.line.local_at.hour == 12


@pytest.mark.parametrize(
    "record",
    [
        {"message": "fine", "level": "INFO", "exc_info": True, "error": None, "stack": ""},
        {"message": "fine", "level": "INFO", "exception": "None", "error": False},
        {"event": "step", "level": "info", "error": {}},
        {"event": "step", "level": "info", "error": [], "exception": [{"frames": 3}, 4, None]},
        {"message": "fine", "level": "INFO", "err": {"err": {"err": {"stack": WHY}}}},
    ],
)
def test_fields_that_tell_of_no_exception_print_none(record: Mapping[str, Any]) -> None:
    assert not events(json.dumps(record))


def test_what_the_message_says_already_is_not_said_twice() -> None:
    assert printed(fields={"exc_info": INNER}, beside=f"it failed\n{INNER}") == ""
    assert printed(fields={"error": WHY, "stack": "main.go:3"}) == f"{WHY}\nmain.go:3"
    assert printed(fields={"error.type": "ValueError", "error.message": "x"}) == "ValueError: x"


QUOTED = PRINTED.replace('"', r"\"").replace("\n", r"\n") + '" step=3'
SYSLOG = "Nov  9 03:12:44 gpu017 train[7]: "


@pytest.mark.parametrize(
    "line",
    [
        f"{SYSLOG}it failed#012" + PRINTED.replace("\n", "#012").replace("    l", "#011l"),
        f"<11>{SYSLOG}" + PRINTED.replace("\n", "#012"),
        'time="2026-11-09T03:12:44Z" level=error err="' + QUOTED,
        '{"message": "torn", "exc_info": "' + QUOTED,
    ],
    ids=["rsyslog", "rsyslog without a message", "logfmt", "torn JSON"],
)
def test_line_ends_that_an_agent_wrote_as_letters_end_lines(line: str) -> None:
    (ecc,) = [each for each in events(line) if each.signature == "cuda-ecc"]
    (printed_one,) = [each for each in events(PRINTED) if each.signature == "cuda-ecc"]
    assert (ecc.line.text, ecc.fields) == (WHY, printed_one.fields)
    if "gpu017" in line:
        assert (ecc.line.host, ecc.line.pid) == ("gpu017", 7)


def test_a_journal_says_a_traceback_line_by_line() -> None:
    told = events("\n".join(SYSLOG + each for each in PRINTED.split("\n")))
    (ecc,) = [each for each in told if each.signature == "cuda-ecc"]
    (printed_one,) = [each for each in events(PRINTED) if each.signature == "cuda-ecc"]
    assert ecc.fields == printed_one.fields


@pytest.mark.parametrize("text", ["C:\\new#01 2", "issue #012", "last):\\t", "\x1e\x1e#012#012"])
def test_letters_that_only_look_so_do_no_harm(text: str) -> None:
    assert {each.signature for each in events(f"{text}\n{WHY}")} == {"cuda-ecc"}


@pytest.mark.parametrize("form", ["json", "syslog"])
def test_a_prefix_is_not_repeated_without_end(form: str) -> None:
    head, lines = f"{AT} stderr F ", ["x"] * 100_000 + [WHY]
    if form == "json":
        block = head + json.dumps({"message": "\n".join(lines), "level": "ERROR"})
        shown, _ = Unwrapper().unwrap(text=block)
    else:
        block = SYSLOG + "#012".join(lines)
        shown = "".join(shown_lines(raw=block))
    assert len(shown) < len(block) + MOST_REPEATED
    assert "cuda-ecc" in signs(block)


def test_the_verdict_is_that_of_the_printed_log() -> None:
    origin = Origin(source="rank3.log", stream=Stream.SESSION, host="gpu017", rank=3)
    oom = INNER.replace(
        WHY,
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a "
        "total capacity of 79.11 GiB of which 1.00 GiB is free.",
    )
    record = json.dumps({"message": "it failed", "timestamp": AT, "stacktrace": oom})
    told = [
        diagnose(readings=[read_source(origin=origin, text=text)])
        for text in (f"{AT} it failed\n{oom}", record)
    ]
    assert told[0].verdict == told[1].verdict
    assert told[0].verdict.cause == "cuda-oom"
