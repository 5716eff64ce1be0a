"""A real Fluent Bit that sends by its other outputs: http, as many run it, and opentelemetry."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from pytest_django.live_server_helper import LiveServer

from tests.cast.pushes import cast
from tests.live.gate import Gate
from tests.live.kept_lines import count_of, running, waited_for

BINARY = shutil.which("fluent-bit")
pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(
        not BINARY,
        reason="no fluent-bit on the PATH: what its outputs send was tried from written bodies "
        "alone; install Fluent Bit 3.2 or newer to try the program itself",
    ),
    pytest.mark.django_db(transaction=True),
]
LINES = [f"step {number} took 1.5 s" for number in range(50)]
HTTP = {"name": "http", "uri": "/api/v1/logs?cluster={}", "header": ["Authorization Bearer {}"]}
OUTPUTS: dict[str, dict[str, Any]] = {
    "json": {**HTTP, "format": "json"},
    "json-lines": {**HTTP, "format": "json_lines"},
    "packed": {**HTTP, "format": "json", "compress": "gzip"},
    "opentelemetry": {
        "name": "opentelemetry",
        "logs_uri": "/v1/logs?cluster={}",
        "header": ["Authorization Bearer {}"],
        "logs_body_key": "$log",
        "logs_body_key_attributes": True,
    },
}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=list(OUTPUTS))
def test_records_are_sorted_by_what_they_say(
    tmp_path: Path, live_server: LiveServer, output: dict[str, Any]
) -> None:
    people, gate, log = cast(), Gate(behind=live_server.url), tmp_path / "log"
    filled = {
        name: [each.format(people.token(people.operator)) for each in value]
        if isinstance(value, list)
        else value.format(people.cluster.slug)
        if isinstance(value, str)
        else value
        for name, value in output.items()
    }
    said = {"stream": "session", "host": "gpu017", "session": "run-7", "rank": "3"}
    config = {
        "pipeline": {
            "inputs": [{"name": "tail", "path": f"{tmp_path}/*.txt", "read_from_head": True}],
            "filters": [
                {
                    "name": "record_modifier",
                    "match": "*",
                    "record": [f"{name} {value}" for name, value in said.items()],
                }
            ],
            "outputs": [{"match": "*", "host": "127.0.0.1", "port": gate.port, **filled}],
        }
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    (tmp_path / "rank.txt").write_text("\n".join(LINES) + "\n")

    with gate.opened(), running([str(BINARY), f"--config={tmp_path / 'config.yaml'}"], log=log):
        found = waited_for(
            people.operator,
            lambda each: count_of(each) >= len(LINES),
            why=lambda: f"{gate.told} {log.read_text(errors='replace')[-3000:]}",
        )

    (voice,) = found
    assert (voice.kind, voice.host, voice.session, voice.rank) == ("session", "gpu017", "run-7", 3)
    assert len(voice.lines) == len(LINES)
    assert all(line in text for line, text in zip(LINES, voice.texts, strict=True))
