"""The alert rules and the dashboard: they ask for what there is, and fire when they should."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.test import Client

from apps.operations.monitoring import task_log

DOCKER = Path(settings.BASE_DIR) / "docker"
RULES = DOCKER / "alerts.yml"
NAME = re.compile(r"\b(?:portal|process|up)(?:_[a-z_]+)?\b(?=[^\"]*)")
PROMTOOL = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="no promtool here (Debian: apt-get install prometheus)"
)
# Minutes of samples: everything is well, with one exception a row.
WELL = {
    'up{job="faultline",instance="web:8000"}': "1x120",
    'portal_check_ok{check="database"}': "1x120",
    'portal_oldest_waiting_seconds{kind="logs"}': "2x120",
    'portal_task_last_success_timestamp_seconds{task="telemetry.sweep"}': "0+60x120",
    'portal_task_seconds_count{task="telemetry.pull_source",outcome="failure"}': "0x120",
    "portal_batches_dead": "3x120",
    'portal_work_set_aside{kind="diagnosis"}': "0x120",
    'portal_notifications_oldest_seconds{channel="email"}': "0x120",
    'portal_sources{kind="prometheus",state="stale"}': "0x120",
    'portal_request_seconds_count{route="home",status="2xx"}': "0+60x120",
    'portal_request_seconds_count{route="home",status="5xx"}': "0x120",
    "portal_disk_free_bytes": "50x120",
    "portal_disk_size_bytes": "100x120",
    'portal_metrics_part_ok{part="rows"}': "1x120",
}
ILL = {
    "FaultlineDown": ('up{job="faultline",instance="web:8000"}', "0x120"),
    "FaultlineWorkSetAside": ('portal_work_set_aside{kind="diagnosis"}', "1x120"),
    "FaultlineNotReady": ('portal_check_ok{check="database"}', "0x120"),
    "FaultlineBehind": ('portal_oldest_waiting_seconds{kind="logs"}', "400+60x120"),
    "FaultlineTasksStopped": (
        'portal_task_last_success_timestamp_seconds{task="telemetry.sweep"}',
        "0x120",
    ),
    "FaultlineTasksFail": (
        'portal_task_seconds_count{task="telemetry.pull_source",outcome="failure"}',
        "0+1x120",
    ),
    "FaultlineBodiesGivenUp": ("portal_batches_dead", "3x80 5x40"),
    "FaultlineNotificationsLate": (
        'portal_notifications_oldest_seconds{channel="email"}',
        "0+60x120",
    ),
    "FaultlineSourcesStale": ('portal_sources{kind="prometheus",state="stale"}', "2x120"),
    "FaultlineAnswersFail": (
        'portal_request_seconds_count{route="home",status="5xx"}',
        "0+6x120",
    ),
    "FaultlineDiskFills": ("portal_disk_free_bytes", "12x120"),
    "FaultlineMetricsIncomplete": ('portal_metrics_part_ok{part="rows"}', "0x120"),
}


def rules() -> list[dict[str, Any]]:
    """Return every alert."""
    return [
        rule
        for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
    ]


def questions() -> list[str]:
    """Return every query of the rules and of the dashboard."""
    panels = json.loads((DOCKER / "grafana-dashboard.json").read_text(encoding="utf-8"))["panels"]
    drawn = [target["expr"] for panel in panels for target in panel["targets"]]
    return [rule["expr"] for rule in rules()] + drawn


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Ask Prometheus' own tool."""
    return subprocess.run(  # noqa: S603  our own arguments
        [str(shutil.which("promtool")), *arguments], capture_output=True, text=True, check=False
    )


def fired(tmp_path: Path, series: dict[str, str], alert: str) -> bool:
    """Whether an alert fires within an hour of these samples."""
    (tmp_path / "test.yml").write_text(
        yaml.safe_dump(
            {
                "rule_files": [str(RULES)],
                "evaluation_interval": "1m",
                "tests": [
                    {
                        "interval": "1m",
                        "input_series": [
                            {"series": name, "values": values} for name, values in series.items()
                        ],
                        "alert_rule_test": [
                            {"eval_time": "110m", "alertname": alert, "exp_alerts": []}
                        ],
                    }
                ],
            }
        ),
        encoding="utf-8",
    )
    done = promtool("test", "rules", tmp_path / "test.yml")
    said = done.stdout + done.stderr
    assert done.returncode == 0 or "got:" in said, said
    return done.returncode != 0


@pytest.mark.django_db
def test_rules_and_dashboard_ask_only_for_metrics_that_there_are() -> None:
    task_log._add(name="telemetry.sweep", outcome="success", seconds=0.1)
    client = Client()
    client.get("/healthz")
    told = set(re.findall(r"^# TYPE (\S+)", client.get("/metrics").content.decode(), re.MULTILINE))

    asked = {name for question in questions() for name in NAME.findall(question)}

    bare = {re.sub(r"_(bucket|count|sum)$", "", name) for name in asked}
    assert len(bare) > 15
    assert bare - told - {"up"} == set()


def test_every_alert_says_what_to_do_and_how_urgent_it_is() -> None:
    for rule in rules():
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["action"]


@PROMTOOL
def test_prometheus_takes_the_rules_and_its_configuration(tmp_path: Path) -> None:
    config = (DOCKER / "prometheus.yml").read_text(encoding="utf-8")
    config = config.replace("/run/secrets/metrics_token", str(tmp_path / "token"))
    (tmp_path / "token").write_text("secret")
    (tmp_path / "alerts.yml").write_text(RULES.read_text(encoding="utf-8"))
    (tmp_path / "prometheus.yml").write_text(config)
    for arguments in (("rules", RULES), ("config", tmp_path / "prometheus.yml")):
        done = promtool("check", *arguments)
        assert done.returncode == 0, done.stderr


@PROMTOOL
@pytest.mark.parametrize("alert", ILL)
def test_an_alert_fires_when_it_should_and_only_then(tmp_path: Path, alert: str) -> None:
    name, values = ILL[alert]

    assert fired(tmp_path, WELL | {name: values}, alert)
    assert not fired(tmp_path, WELL, alert)


def test_every_alert_is_tried() -> None:
    assert {rule["alert"] for rule in rules()} == set(ILL)
