"""The agents that are known, in the order in which they are offered, and how each is filled in."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Template
from typing import Final
from urllib.parse import urlencode, urlsplit

FOLDER: Final = Path(__file__).parent / "texts"
SESSIONS: Final = "/var/log/training"  # where logs of sessions lie, to be changed by who pastes
SCHEDULER: Final = "/var/log/slurm/slurmctld.log"  # the same of the controller's log


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A program that sends, or tells, or is read."""

    key: str
    name: str
    group: str  # logs metrics scheduler alerts
    text: str  # its file
    place: str = ""  # where it is pasted
    tells: tuple[str, ...] = ()  # kinds of stream whose first line shows that it works
    parts: Mapping[str, str] = field(default_factory=dict)  # programs that the text writes, by name


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetRequest:
    """Where to, for which cluster, and with which token: empty for one that is kept elsewhere."""

    base: str
    cluster: str = ""
    token: str = ""


AGENTS: Final = (
    Agent(key="alloy", name="Grafana Alloy", group="logs", text="alloy.alloy",
          place="/etc/alloy/config.alloy", tells=("kernel", "session")),
    Agent(key="promtail", name="Promtail", group="logs", text="promtail.yaml",
          place="/etc/promtail/config.yml", tells=("kernel", "session")),
    Agent(key="vector", name="Vector", group="logs", text="vector.yaml",
          place="/etc/vector/vector.yaml", tells=("kernel", "session")),
    Agent(key="fluent-bit", name="Fluent Bit", group="logs", text="fluent-bit.yaml",
          place="/etc/fluent-bit/fluent-bit.yaml", tells=("kernel", "session")),
    Agent(key="collector", name="OpenTelemetry Collector", group="logs", text="collector.yaml",
          place="/etc/otelcol-contrib/config.yaml", tells=("kernel", "session")),
    Agent(key="syslog-ng", name="syslog-ng", group="logs", text="syslog-ng.conf",
          place="/etc/syslog-ng/conf.d/faultline.conf", tells=("kernel", "session")),
    Agent(key="curl", name="curl", group="logs", text="curl.sh", tells=("kernel", "session")),
    Agent(key="remote-write", name="Prometheus, sending", group="metrics",
          text="remote-write.yaml", place="prometheus.yml", tells=("metrics",)),
    Agent(key="prometheus-read", name="Prometheus, being read", group="metrics",
          text="prometheus-read.sh", tells=("metrics",)),
    Agent(key="collector-metrics", name="OpenTelemetry Collector", group="metrics",
          text="collector-metrics.yaml", place="/etc/otelcol-contrib/config.yaml",
          tells=("metrics",)),
    Agent(key="slurm", name="Slurm", group="scheduler", text="slurm.sh",
          tells=("sessions",),
          parts={"hook": "slurm-hook.sh", "sender": "slurm-sender.python"}),
    Agent(key="backend-ai", name="Backend.AI", group="scheduler", text="backend-ai.python",
          place="/usr/local/bin/faultline-backend-ai", tells=("sessions",)),
    Agent(key="inventory", name="Inventory, with curl", group="scheduler", text="inventory.sh",
          tells=("inventory",)),
    Agent(key="alertmanager", name="Alertmanager", group="alerts", text="alertmanager.yaml",
          place="/etc/prometheus/alertmanager.yml", tells=("alerts",)),
)  # fmt: skip


class _Text(Template):
    """A text with places like @{this}: agents have other uses for dollars and braces."""

    delimiter = "@"


def filled(*, agent: Agent, wanted: SnippetRequest) -> str:
    """Return what is pasted; where no token is given it is read from where agents keep secrets."""
    values = _values(wanted)
    parts = {name: _text(file).substitute(values) for name, file in agent.parts.items()}
    return _text(agent.text).substitute(values | parts)


@cache
def _text(name: str) -> _Text:
    return _Text((FOLDER / name).read_text(encoding="utf-8"))


def _values(wanted: SnippetRequest) -> dict[str, str]:
    address, token = urlsplit(wanted.base), wanted.token
    is_secure = address.scheme == "https"
    query = urlencode({"cluster": wanted.cluster}) if wanted.cluster else ""
    return {
        "base": wanted.base.rstrip("/"),
        "cluster": wanted.cluster or "my-cluster",
        "query": f"?{query}" if query else "",
        "and_cluster": f"&{query}" if query else "",
        "sessions": SESSIONS,
        "scheduler": SCHEDULER,
        "hostname": address.hostname or "",
        "port": str(address.port or (443 if is_secure else 80)),
        "prefix": address.path.rstrip("/"),
        "tls": "on" if is_secure else "off",
        "env_token": token or "${FAULTLINE_TOKEN}",
        "otel_token": token or "${env:FAULTLINE_TOKEN}",
        "shell_token": token or "$FAULTLINE_TOKEN",
        "syslog_token": token or "`FAULTLINE_TOKEN`",
        "syslog_tls": " tls(use-system-cert-store(yes))" if is_secure else "",
        "alloy_token": f'"{token}"' if token else 'sys.env("FAULTLINE_TOKEN")',
        "promtail_token": f"bearer_token: {token}"
        if token
        else "bearer_token_file: /etc/promtail/faultline.token",
        "prometheus_token": f"credentials: {token}"
        if token
        else "credentials_file: /etc/prometheus/faultline.token",
        "quoted_token": shlex.quote(token)
        if token
        else '"${FAULTLINE_TOKEN:?is not set: make a token under Sources}"',
        "python_token": f'TOKEN = "{token}"' if token else 'TOKEN = os.environ["FAULTLINE_TOKEN"]',
    }
