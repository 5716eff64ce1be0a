"""What the health pages say."""

import pytest
from django.test import Client


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
