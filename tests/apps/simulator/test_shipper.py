"""Who sends what with which token, how a busy portal is treated, and what a second start adds."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from apps.simulator.demo import read_demo, read_state
from apps.simulator.metrics_server.serving import Stores
from apps.simulator.sender import PortalAway, Sender
from apps.simulator.shipper import Shipper
from apps.simulator.world.streams import texts_of
from apps.telemetry.formats import changes_json, recovery_json
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.schedulers import exclusions_json, inventory_json, scheduler_json
from tests.apps.simulator.recording_portal import Portal, clock_until_told, recording_portal
from tests.apps.simulator.worlds import EPOCH, world

BACKEND_AI = (
    *("PENDING", "SCHEDULED", "PREPARING", "PREPARED", "CREATING"),
    *("RUNNING", "TERMINATING", "TERMINATED"),
)
PARTIES = ("aurora", "keel", "verdant", "strata", "northwind", "lumen")


@pytest.fixture
def portal() -> Iterator[Portal]:
    """Serve a portal that keeps what it gets."""
    with recording_portal() as serving:
        yield serving


def _write_demo(directory: Path, url: str) -> Path:
    path = directory / "demo.json"
    at = datetime.fromtimestamp(EPOCH, UTC).isoformat()
    organizations = [{"slug": slug, "token": f"token-{slug}"} for slug in PARTIES]
    document = {"base_url": url, "epoch": at, "ready_at": at, "organizations": organizations}
    path.write_text(json.dumps(document))
    return path


def _session_events(portal: Portal) -> list[dict[str, Any]]:
    bodies = [r.document for r in portal.received if r.path == "/api/v1/session-events"]
    return [event for body in bodies for event in body["events"]]


def _sender(url: str) -> Sender:
    tokens = {slug: f"token-{slug}" for slug in PARTIES}
    return Sender(base_url=url, tokens=tokens, wait=lambda _: None)


def _ship_until_followed(directory: Path, url: str, *, clock_ahead: float = 0.0) -> Shipper:
    """Run a shipper through its back-fill and two minutes of the present, told in quick ticks."""
    stop = threading.Event()
    shipper = Shipper(
        demo_path=_write_demo(directory, url),
        truth_path=directory / "simulator" / "truth.jsonl",
        seed=7,
        clock=clock_until_told(directory, stop, begins=EPOCH + clock_ahead),
        stop=stop,
        tick_seconds=0.05,
    )
    shipper.run()
    return shipper


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Portal, Path]]:
    """Ship everything once."""
    directory = tmp_path_factory.mktemp("shipped")
    with recording_portal() as portal:
        _ship_until_followed(directory, portal.url)
        yield (portal, directory)


def test_each_party_sends_its_own_with_its_own_token(shipped: tuple[Portal, Path]) -> None:
    holders = {(labels["stream"], request.token) for request, labels, _ in shipped[0].rows()}
    assert holders == {
        ("session", "token-northwind"),
        ("session", "token-lumen"),
        ("kernel", "token-aurora"),
        ("scheduler", "token-keel"),
        ("storage", "token-strata"),
        ("fabric", "token-verdant"),
    }


def test_inventory_and_events_come_from_operator_and_platform(
    shipped: tuple[Portal, Path],
) -> None:
    senders = Counter((r.path, r.token) for r in shipped[0].received if not r.streams)
    assert senders["/api/v1/inventory", "token-aurora"] == 1
    assert senders["/api/v1/session-events", "token-keel"] > 17
    # The drains of the back-fill, and the one after the live failure.
    assert senders["/api/v1/exclusions", "token-aurora"] == 2
    assert senders["/api/v1/exclusions", "token-keel"] == 2
    assert senders["/api/v1/recovery-events", "token-northwind"] >= 2
    traces = [path for path, sender in senders if "step-traces" in path]
    assert len(traces) == 1
    assert traces[0].startswith("/api/v1/step-traces?cluster=meridian&session=lantern-vl-")
    changes = {sender for path, sender in senders if path == "/api/v1/changes"}
    assert changes == {"token-lumen", "token-aurora", "token-verdant"}
    assert len(senders) == 9


def test_nothing_of_the_past_or_present_is_lost(shipped: tuple[Portal, Path]) -> None:
    attempt = next(a for a in world().attempts if a.key == "A1")
    pushed = {
        text
        for _, labels, rows in shipped[0].rows()
        for _, text in rows
        if labels.get("session") == attempt.session and labels["attempt"] == "1"
    }
    expected = world().session_lines(attempt, since=0, until=EPOCH)
    assert len(expected) > 1000
    assert {text for line in expected for text in texts_of(line)} - pushed == set()


def test_the_live_failure_is_sent_as_it_happens(shipped: tuple[Portal, Path]) -> None:
    events = _session_events(shipped[0])
    mine = [e for e in events if (e["job"], e["attempt"]) == ("solar-pro", 2)]
    assert [e["state"] for e in mine if "state" in e] == ["running", "failed"]
    words = [e["scheduler_state"] for e in mine]
    assert words == sorted(words, key=[*BACKEND_AI, *words].index)
    assert words[-1] == "TERMINATED"


def test_bodies_stay_below_a_mebibyte_and_some_are_compressed(
    shipped: tuple[Portal, Path],
) -> None:
    pushes = [r for r in shipped[0].received if r.streams]
    assert max(r.size for r in pushes) <= 1 << 20
    assert {r.is_compressed for r in pushes} == {True, False}


def test_some_batches_come_twice(shipped: tuple[Portal, Path]) -> None:
    bodies = Counter(json.dumps(r.document) for r in shipped[0].received if r.streams)
    assert 1 < sum(count == 2 for count in bodies.values()) < len(bodies) / 5


def test_some_kernel_logs_come_late_and_all_streams_keep_their_order(
    shipped: tuple[Portal, Path],
) -> None:
    newest: dict[str, int] = {}
    late: list[str] = []
    seen: set[str] = set()
    for _, labels, rows in shipped[0].rows():
        key = json.dumps(labels, sort_keys=True)
        body = json.dumps(rows)
        late += [] if int(rows[0][0]) >= newest.get(key, 0) or body in seen else [labels["stream"]]
        newest[key] = max(newest.get(key, 0), int(rows[-1][0]))
        seen.add(body)
    assert set(late) <= {"kernel"}


def test_the_portal_knows_every_key_of_what_is_told(shipped: tuple[Portal, Path]) -> None:
    complaints = Complaints()
    for each in shipped[0].received:
        if each.path == "/api/v1/session-events":
            scheduler_json.session_reports(said=each.document, complaints=complaints)
        elif each.path == "/api/v1/inventory":
            inventory_json.inventory_report(said=each.document, complaints=complaints)
        elif each.path == "/api/v1/exclusions":
            now = datetime.fromtimestamp(EPOCH + 3600, UTC)
            exclusions_json.exclusion_batch(said=each.document, complaints=complaints, now=now)
        elif each.path == "/api/v1/changes":
            now = datetime.fromtimestamp(EPOCH + 3600, UTC)
            changes_json.change_reports(said=each.document, complaints=complaints, now=now)
        elif each.path == "/api/v1/recovery-events":
            recovery_json.told_facts(said=each.document, complaints=complaints)

    assert complaints.as_json() == []


def test_everything_is_marked_as_simulated(shipped: tuple[Portal, Path]) -> None:
    assert {labels["simulated"] for _, labels, _ in shipped[0].rows()} == {"true"}
    documents = [r.document for r in shipped[0].received if r.document and not r.streams]
    marks = [d["simulated"] for d in documents if "simulated" in d]
    marks += [event["simulated"] for event in _session_events(shipped[0])]
    assert set(marks) == {True}
    assert [d for d in documents if "simulated" not in d and "events" not in d] == []


def test_the_ledger_is_written(shipped: tuple[Portal, Path]) -> None:
    lines = (shipped[1] / "simulator" / "truth.jsonl").read_text().splitlines()
    assert len(lines) == 16  # three of them are of the weeks before


def test_an_end_at_the_instant_between_two_looks_is_told_once(
    tmp_path: Path, portal: Portal
) -> None:
    attempt = next(each for each in world().attempts if each.ends_at)
    end = attempt.ends_at or 0.0
    shipper = Shipper(
        demo_path=tmp_path, truth_path=tmp_path, seed=7, clock=lambda: end, tick_seconds=1.0
    )
    shipper.world = world()
    for since in (end - 1.0, end):
        shipper._push_attempt(_sender(portal.url), attempt, since=since, until=since + 1.0)
    told = [event["state"] for event in _session_events(portal) if "state" in event]
    assert told == [attempt.state]


def test_a_second_start_adds_no_scenario(shipped: tuple[Portal, Path], portal: Portal) -> None:
    _ship_until_followed(shipped[1], portal.url, clock_ahead=1000.0)
    sessions = {
        (labels["session"], labels["attempt"])
        for _, labels, _ in portal.rows()
        if labels["stream"] == "session"
    }
    running = {(a.session, str(a.number)) for a in world().attempts if a.ends_at is None}
    assert sessions == running
    assert [r for r in portal.received if r.path == "/api/v1/inventory"] == []


def test_the_metrics_server_learns_of_the_live_fault(shipped: tuple[Portal, Path]) -> None:
    directory = shipped[1]
    state_path = directory / "simulator" / "state.json"
    stores = Stores(demo_path=directory / "demo.json", state_path=state_path, seed=7).current()
    live_at = read_state(state_path, epoch=EPOCH, seed=7).live_at
    assert live_at is not None
    assert stores["aurora"].world.outcomes["live"].truth.failed_at == live_at


def test_a_busy_portal_is_asked_again(portal: Portal) -> None:
    portal.answers += [429, 503, 429]
    sender = _sender(portal.url)
    sender.post_document(party="keel", path="/api/v1/session-events", document={"a": 1})
    assert [r.document for r in portal.received] == [{"a": 1}]


def test_a_refusal_is_counted_and_not_repeated(portal: Portal) -> None:
    portal.answers += [400]
    sender = _sender(portal.url)
    sender.post_document(party="keel", path="/api/v1/session-events", document={"a": 1})
    assert sender.refused_count == 1
    assert portal.received == []


def test_a_portal_that_stays_away_is_given_up() -> None:
    sender = _sender("http://127.0.0.1:9")
    with pytest.raises(PortalAway):
        sender.post_document(party="keel", path="/api/v1/session-events", document={})


def test_a_demo_file_that_is_not_whole_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "demo.json"
    assert read_demo(path) is None
    path.write_text('{"base_url": ')
    assert read_demo(path) is None


def test_another_epoch_starts_anew(shipped: tuple[Portal, Path]) -> None:
    state_path = shipped[1] / "simulator" / "state.json"
    assert read_state(state_path, epoch=EPOCH, seed=7).back_filled
    assert read_state(state_path, epoch=EPOCH + 1, seed=7).back_filled == ()
    assert read_state(state_path, epoch=EPOCH, seed=8).back_filled == ()


def test_tokens_are_not_in_representations(portal: Portal) -> None:
    assert "token-keel" not in repr(_sender(portal.url))
