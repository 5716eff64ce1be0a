"""What the health pages say."""

from typing import Any

import pytest
from django.test import Client, override_settings

from apps.operations.monitoring import health


@pytest.mark.django_db
def test_a_portal_with_its_servers_is_ready(client: Client) -> None:
    answer = client.get("/readyz")

    assert answer.json()["checks"] == {
        "database": "ok",
        "broker": "ok",
        "migrations": "ok",
        "work": "ok",
    }
    assert answer.status_code == 200


def test_health_needs_no_database(client: Client) -> None:
    assert client.get("/healthz").status_code == 200


@pytest.mark.django_db
def test_own_metrics_are_gauges_per_check(client: Client) -> None:
    assert 'portal_check_ok{check="database"} 1' in client.get("/metrics").content.decode()


@pytest.mark.django_db
def test_a_stranger_learns_only_whether_it_is_ready(client: Client) -> None:
    answer = client.get("/readyz", REMOTE_ADDR="203.0.113.9")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
@pytest.mark.parametrize(
    "told",
    [
        {"REMOTE_ADDR": "203.0.113.9"},
        {"REMOTE_ADDR": "203.0.113.9", "HTTP_AUTHORIZATION": "Bearer "},
        {"REMOTE_ADDR": "203.0.113.9", "HTTP_AUTHORIZATION": "Bearer guess"},
        # The address of a proxy that nobody said to believe.
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "203.0.113.9"},
    ],
)
def test_own_metrics_are_not_there_for_strangers(client: Client, told: dict[str, Any]) -> None:
    with override_settings(PORTAL_METRICS_TOKEN="s" * 40):
        assert client.get("/metrics", **told).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    "told",
    [
        {"REMOTE_ADDR": "203.0.113.9", "HTTP_AUTHORIZATION": f"Bearer {'s' * 40}"},
        {"REMOTE_ADDR": "10.1.2.3"},
        {"REMOTE_ADDR": "::ffff:10.1.2.3"},
    ],
)
def test_own_metrics_are_for_who_shows_the_token_or_asks_from_near(
    client: Client, told: dict[str, Any]
) -> None:
    near = ["10.0.0.0/8"]
    with override_settings(PORTAL_METRICS_TOKEN="s" * 40, PORTAL_METRICS_NETWORKS=near):
        assert client.get("/metrics", **told).status_code == 200


def test_without_a_token_none_opens_the_metrics(client: Client) -> None:
    told: dict[str, Any] = {"REMOTE_ADDR": "203.0.113.9", "HTTP_AUTHORIZATION": "Bearer "}
    with override_settings(PORTAL_METRICS_TOKEN=""):
        assert client.get("/metrics", **told).status_code == 404


def test_who_asks_often_whether_it_is_ready_costs_one_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[int] = []

    def look() -> str:
        looks.append(1)
        return "ok"

    monkeypatch.setattr(health, "CHECKS", {"a": look})
    checked = health.HealthReport()

    for at in (5.0, 5.5, 5.9, 6.0):
        assert checked.results(at=at) == {"a": "ok"}
    assert len(looks) == 2
