"""What is pasted can be read by what reads it, and names where, for whom and with what."""

import ast
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from apps.telemetry.formats import labels
from apps.telemetry.snippets.agents import AGENTS, FOLDER, Agent, SnippetRequest, filled
from tests.apps.telemetry.snippets.agent_by_key import agent_of
from tests.live.real_prometheus import TOOL, needs_prometheus

BASE, TOKEN = "https://portal.example:8443/faultline", "flt_abc_def"
GIVEN = SnippetRequest(base=BASE, cluster="meridian", token=TOKEN)
BARE = SnippetRequest(base="http://127.0.0.1:8000")
EACH = pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.key)
AMTOOL = shutil.which("amtool")


def of(key: str, wanted: SnippetRequest = GIVEN) -> str:
    """Return a text as it is pasted."""
    return filled(agent=agent_of(key=key), wanted=wanted)


def document(key: str, wanted: SnippetRequest = GIVEN) -> Any:
    """Return a text of YAML as its agent reads it."""
    return yaml.safe_load(of(key, wanted))


@EACH
@pytest.mark.parametrize("wanted", [GIVEN, BARE], ids=["with-token", "without"])
def test_a_text_can_be_read(agent: Agent, wanted: SnippetRequest) -> None:
    text = filled(agent=agent, wanted=wanted)

    assert "@{" not in text
    readers: dict[str, Callable[[str], object]] = {
        ".yaml": yaml.safe_load,
        ".python": ast.parse,
        ".sh": _shell,
        ".alloy": _blocks,
        ".conf": _closed,
    }
    readers[Path(agent.text).suffix](text)


@EACH
def test_a_text_says_where_to_and_carries_the_token_once_given(agent: Agent) -> None:
    text = filled(agent=agent, wanted=GIVEN)
    bare = filled(agent=agent, wanted=BARE)

    assert TOKEN not in bare
    if agent.key != "prometheus-read":
        assert TOKEN in text
        assert "portal.example" in text
        assert "meridian" in text
        assert "127.0.0.1" in bare


def test_every_text_is_offered_once() -> None:
    named = [name for agent in AGENTS for name in (agent.text, *agent.parts.values())]
    assert sorted(named) == sorted(path.name for path in FOLDER.iterdir())


def test_programs_that_a_text_writes_can_be_read() -> None:
    parts = [name for agent in AGENTS for name in agent.parts.values()]
    assert parts
    readers: dict[str, Callable[[str], object]] = {".python": ast.parse, ".sh": _shell}
    for name in parts:
        readers[Path(name).suffix]((FOLDER / name).read_text())
    assert len({agent.key for agent in AGENTS}) == len(AGENTS)


def test_labels_of_agents_are_those_of_the_portal() -> None:
    vector = document("vector")["sinks"]
    promtail = document("promtail")
    said = [
        vector["faultline_kernel"]["labels"],
        vector["faultline_sessions"]["labels"],
        promtail["clients"][0]["external_labels"],
        promtail["scrape_configs"][0]["journal"]["labels"],
    ]
    known = {*labels.KNOWN}
    assert {name for each in said for name in each} <= known
    assert {each.get("stream") for each in said} == {"kernel", "session", None}


def test_fluent_bit_is_told_host_port_and_path_apart() -> None:
    for output in document("fluent-bit")["pipeline"]["outputs"]:
        assert (output["host"], output["port"]) == ("portal.example", 8443)
        assert output["uri"] == "/faultline/loki/api/v1/push"
        assert output["tls"]  # YAML's `on`
    (plain, _) = document("fluent-bit", BARE)["pipeline"]["outputs"]
    assert (plain["port"], plain["tls"]) == (8000, False)


def test_a_collector_sends_logs_to_the_path_of_logs() -> None:
    said = document("collector")
    exporter = said["exporters"]["otlphttp/faultline"]
    (pipeline,) = said["service"]["pipelines"].values()

    assert exporter["logs_endpoint"] == f"{BASE}/v1/logs?cluster=meridian"
    assert set(pipeline["receivers"]) == set(said["receivers"])
    assert set(pipeline["processors"]) == set(said["processors"])


def test_metrics_go_where_metrics_are_taken() -> None:
    (sender,) = document("remote-write")["remote_write"]
    exporter = document("collector-metrics")["exporters"]["otlphttp/faultline"]

    assert sender["url"] == f"{BASE}/api/v1/write?cluster=meridian"
    assert sender["authorization"] == {"credentials": TOKEN}
    assert sender["queue_config"] == {"retry_on_http_429": True, "max_samples_per_send": 2000}
    assert exporter["metrics_endpoint"] == f"{BASE}/v1/metrics?cluster=meridian"
    assert exporter["headers"] == {"Authorization": f"Bearer {TOKEN}"}


@needs_prometheus
@pytest.mark.prometheus
def test_prometheus_takes_the_text(tmp_path: Path) -> None:
    config = tmp_path / "prometheus.yml"
    config.write_text(of("remote-write", SnippetRequest(base=BASE, cluster="a b", token=TOKEN)))

    _run(str(TOOL), "check", "config", str(config))


@pytest.mark.skipif(
    not AMTOOL,
    reason="no amtool on this machine: Alertmanager's text was not checked by its own tool; "
    "install the package `prometheus-alertmanager` to do so",
)
def test_alertmanager_takes_the_text(tmp_path: Path) -> None:
    said = document("alertmanager")
    said["route"]["receiver"] = "faultline"
    config = tmp_path / "alertmanager.yml"
    config.write_text(yaml.safe_dump(said))

    _run(str(AMTOOL), "check-config", str(config))


def _shell(text: str) -> None:
    subprocess.run(["/bin/sh", "-n"], input=text.encode(), check=True, capture_output=True)


def _blocks(text: str) -> None:
    """Check what can be checked of Alloy's language without Alloy: what opens, closes."""
    opened: list[str] = []
    pairs = {"}": "{", "]": "[", ")": "("}
    for place, line in enumerate(text.splitlines(), start=1):
        bare = "".join(line.partition("//")[0].split('"')[::2])
        for letter in bare:
            if letter in pairs.values():
                opened.append(letter)
            elif letter in pairs:
                assert opened.pop() == pairs[letter], f"line {place}"
        assert line.count('"') % 2 == 0 or "//" in line, f"line {place}"
    assert not opened


def _closed(text: str) -> None:
    """Check that what opens outside of quotes and comments, closes."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", re.sub(r"(?m)^#.*$", "", text))
    assert '"' not in bare
    while re.search(r"\([^(){}]*\)|\{[^(){}]*\}", bare):
        bare = re.sub(r"\([^(){}]*\)|\{[^(){}]*\}", "", bare)
    assert not set("(){}") & set(bare)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603  our own file
