"""The nodes and GPUs of an attempt as a picture: what is told of them makes no page larger."""

import pytest

from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.parties import build, send
from tests.web.conftest import Browser


def _page(cast: Cast, browser: Browser, *, hosts: list[str], gpu: int) -> str:
    ranks = {"0": {"host": hosts[0], "gpu": gpu}}
    session = attempt_of(cast, cast.tenant, hosts=hosts, ranks=ranks).session
    there = f"/o/{cast.tenant.slug}/sessions/{session.public_id}/"
    answer = browser(cast.tenant).get(there)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_gpu_of_a_number_that_no_node_has_makes_no_page_of_as_many_rows(
    cast: Cast, browser: Browser
) -> None:
    text = _page(cast, browser, hosts=["gpu001"], gpu=20_000)
    assert "GPU 7" in text
    assert "GPU 1000" not in text


def test_of_more_nodes_than_a_picture_shows_it_is_told_how_many_are_drawn(
    cast: Cast, browser: Browser
) -> None:
    text = _page(cast, browser, hosts=[f"n{number:05}" for number in range(1_500)], gpu=0)
    assert "400 of 1,500 nodes are drawn" in text
    assert "n00399 GPU 0" in text
    assert "n00400 GPU 0" not in text


@pytest.mark.django_db
def test_a_report_names_no_gpu_beyond_those_of_a_node() -> None:
    world = build()
    for gpu, status in ((1023, 200), (1024, 400), (2**31 - 1, 400)):
        ranks = {"0": {"host": "gpu001", "gpu": gpu}}
        event = {"session": "job-1", "state": "running", "ranks": ranks}
        assert send(world, "victim", "/api/v1/session-events", event).status_code == status


def test_a_gpu_that_vanished_has_its_box_with_no_data_and_its_mark(
    cast: Cast, browser: Browser
) -> None:
    hosts = ["gpu013", "gpu014", "gpu015"]
    ranks = {"0": {"host": "gpu013", "gpu": 0}, "1": {"host": "gpu014", "gpu": 0}}
    attempt = attempt_of(cast, cast.tenant, hosts=hosts, ranks=ranks)
    gpu = {"index": 1, "uuid": "ab12"}
    stop_of(cast, attempt, culprits=[{"kind": "gpu", "host": "gpu017", "name": None, "gpu": gpu}])
    there = f"/o/{cast.tenant.slug}/sessions/{attempt.session.public_id}/"
    text = browser(cast.tenant).get(there).content.decode()
    assert text.count('class="matrix-lost"') == 1
    assert "gpu017 GPU 1, no rank reported, blamed" in text
    assert all(f">{column}</text>" in text for column in ("013", "014", "015", "017"))


def test_sessions_say_of_their_time_that_it_is_when_they_started(
    cast: Cast, browser: Browser
) -> None:
    attempt_of(cast, cast.tenant)
    text = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/sessions/").content.decode()
    assert "<small>started " in text
