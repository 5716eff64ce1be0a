"""Who fell silent, and who is heard again: told once, and not for what comes and goes."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from apps.diagnosis.model import statement_of
from apps.notifications.email.emails import letter_of
from apps.notifications.fan_out import delivery
from apps.notifications.models import Delivery, Notification, SourceLiveness
from apps.notifications.notification_kinds import Channel
from apps.notifications.silence.silence_detection import listen
from apps.telemetry.models import LogStream, PushedState, Source
from apps.telemetry.samples.accept import KIND
from apps.tenancy.scope import organization_scope
from apps.wording import in_english
from tests.apps.notifications.email.sent_emails import send
from tests.apps.notifications.receiving import mail_server, person, subscription
from tests.cast import make
from tests.cast.incidents import Cast

NOW = make.AT


def source(cast: Cast, **values: Any) -> Source:
    """Make a metrics source of the operator that was read a moment ago."""
    with organization_scope(cast.operator.pk):
        return Source.objects.create(
            organization=cast.operator,
            public_id="SRC-1",
            cluster=cast.cluster,
            name="dcgm",
            created_at=NOW,
            **({"kind": "prometheus", "state": "fresh", "last_success_at": NOW} | values),
        )


def minutes(cast: Cast, *, until: int, heard: Iterable[int] = ()) -> list[str]:
    """Listen every minute; at the minutes in `heard` the source answers."""
    kinds: list[str] = []
    answered = set(heard)
    for minute in range(until + 1):
        at = NOW + timedelta(minutes=minute)
        with organization_scope(cast.operator.pk):
            rows = Source.objects.filter(public_id="SRC-1")
            if minute in answered:
                rows.update(state="fresh", last_success_at=at)
            elif minute:
                rows.update(state="stale")
        kinds += [notice.kind for notice in listen(organization_id=cast.operator.pk, now=at)]
    return kinds


def test_a_source_that_stops_answering_is_told_once(cast: Cast) -> None:
    source(cast)
    assert minutes(cast, until=5) == []
    assert minutes(cast, until=60) == ["source.silent"]


def test_one_that_misses_a_few_answers_is_not_told(cast: Cast) -> None:
    source(cast)
    assert minutes(cast, until=60, heard=range(0, 60, 4)) == []


def test_one_that_is_back_for_two_minutes_is_told(cast: Cast) -> None:
    source(cast)
    assert minutes(cast, until=30, heard=range(20, 30)) == ["source.silent", "source.back"]
    with organization_scope(cast.operator.pk):
        body = Notification.objects.latest("id").body
    assert body["title"] == f"dcgm of {cast.cluster.slug}, after 20 min of silence"
    assert body["source"]["state"] == "heard"
    assert in_english(statement_of(body["statement"])) == body["title"]


@pytest.mark.parametrize(
    ("language", "subject"),
    [
        ("en", "Heard again: dcgm of {}, after 20 min of silence"),
        ("ko", "다시 수신: {}의 dcgm: 20분 만에 다시 수신됨"),
    ],
)
def test_the_letter_of_it_is_in_its_readers_language(
    cast: Cast, language: str, subject: str
) -> None:
    source(cast)
    minutes(cast, until=30, heard=range(20, 30))
    reader = person(cast.operator, f"reader-{language}")
    reader.language = language
    with organization_scope(cast.operator.pk):
        notice = Notification.objects.latest("id")
        sent = delivery(notice=notice, channel=Channel.EMAIL, due=NOW, now=NOW, user=reader)
        letter = letter_of(deliveries=[sent], user=reader, zone=ZoneInfo("UTC"), now=NOW)
    assert letter.subject == subject.format(cast.cluster.slug)


def test_one_that_flaps_while_it_is_gone_is_told_once(cast: Cast) -> None:
    source(cast)
    assert minutes(cast, until=90, heard=range(20, 90, 10)) == ["source.silent"]


def test_a_second_silence_is_told_again(cast: Cast) -> None:
    source(cast)
    told = minutes(cast, until=40, heard=range(15, 20))
    assert told == ["source.silent", "source.back", "source.silent"]


def test_a_portal_that_did_not_listen_blames_nobody(cast: Cast) -> None:
    source(cast, kind=KIND)
    with organization_scope(cast.operator.pk):
        PushedState.objects.create(
            organization=cast.operator,
            source=Source.objects.get(),
            cluster=cast.cluster,
            last_body_at=NOW,
        )
    assert listen(organization_id=cast.operator.pk, now=NOW) == []
    later = NOW + timedelta(hours=3)
    assert listen(organization_id=cast.operator.pk, now=later) == []
    for minute in range(1, 6):
        assert listen(organization_id=cast.operator.pk, now=later + timedelta(minutes=minute)) == []
    after = later + timedelta(minutes=6)
    assert [each.kind for each in listen(organization_id=cast.operator.pk, now=after)] == [
        "source.silent"
    ]


def test_one_that_was_gone_before_anybody_listened_is_no_news(cast: Cast) -> None:
    source(cast, last_success_at=NOW - timedelta(days=20), state="stale")
    assert minutes(cast, until=30) == []
    with organization_scope(cast.operator.pk):
        assert SourceLiveness.objects.get().is_silent


@pytest.mark.parametrize("values", [{"is_enabled": False}, {"last_success_at": None}])
def test_one_that_is_switched_off_or_never_answered_is_not_missed(
    cast: Cast, values: dict[str, Any]
) -> None:
    source(cast, **values)
    assert minutes(cast, until=30) == []


def _log_at(cast: Cast, at: datetime, kind: str = "kernel") -> None:
    with organization_scope(cast.operator.pk):
        LogStream.objects.update_or_create(
            organization=cast.operator,
            label_digest=kind.encode().ljust(32),
            defaults={
                "cluster": cast.cluster,
                "labels": {},
                "kind": kind,
                "last_received_at": at,
            },
        )


def _hours(cast: Cast, *, kind: str, speaks: set[int], until: int) -> list[tuple[int, str]]:
    """Listen every four minutes; return the hour and kind of what is told."""
    told = []
    for step in range(until * 15):
        at = NOW + timedelta(minutes=4 * step)
        hour, minute = divmod(4 * step, 60)
        if hour in speaks and minute == 0:
            _log_at(cast, at, kind)
        notices = listen(organization_id=cast.operator.pk, now=at)
        told += [(hour, notice.kind) for notice in notices]
    return told


def test_a_log_is_missed_after_twice_its_longest_usual_pause(cast: Cast) -> None:
    # It speaks every third hour for a day and a half, then no more.
    told = _hours(cast, kind="kernel", speaks=set(range(0, 37, 3)), until=48)
    assert told == [(42, "source.silent")]


def test_logs_of_sessions_are_never_missed(cast: Cast) -> None:
    assert _hours(cast, kind="session", speaks={0}, until=4) == []


def test_several_at_once_are_one_letter(cast: Cast, settings: Any) -> None:
    subscription(cast.operator, person(cast.operator, "ann"), clusters=[cast.cluster.pk])
    source(cast)
    with organization_scope(cast.operator.pk):
        Source.objects.create(
            organization=cast.operator,
            public_id="SRC-2",
            cluster=cast.cluster,
            kind="prometheus",
            name="node",
            created_at=NOW,
            state="stale",
            last_success_at=NOW,
        )

    with mail_server(settings) as box:
        minutes(cast, until=10)
        send(NOW + timedelta(minutes=10))
    assert box.subjects == [f"2 pieces of news, {cast.operator.name}"]
    with organization_scope(cast.operator.pk):
        assert Delivery.objects.count() == 2


def test_other_organizations_are_told_nothing(cast: Cast) -> None:
    source(cast)
    minutes(cast, until=10)
    for who in (cast.tenant, cast.vendor, cast.stranger):
        assert listen(organization_id=who.pk, now=NOW + timedelta(minutes=10)) == []
