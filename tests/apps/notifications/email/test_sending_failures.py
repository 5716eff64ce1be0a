"""Letters that cannot be sent: a server that refuses, hangs or is away, and a worker that dies."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest

from apps.notifications.delivery import outbox
from apps.notifications.email import email_delivery, emails, smtp_backend
from apps.notifications.models import Delivery
from apps.notifications.notification_kinds import Channel
from apps.notifications.occasions.incident_changes import look
from apps.tenancy.models import User
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.email.sent_emails import send, states, tries
from tests.apps.notifications.receiving import (
    Mailbox,
    mail_server,
    person,
    plain,
)
from tests.apps.notifications.revised_incidents import NOW
from tests.cast.incidents import Cast, attempt_of, stop_of


def test_a_letter_that_is_refused_for_now_goes_later_and_one_refused_for_ever_does_not(
    cast: Cast, box: Mailbox
) -> None:
    for name in ("ann", "bob"):
        person(cast.tenant, name)
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    box.answers = ["451 4.3.0 try later", "550 5.1.1 no such person"]
    assert send().failed_count == 2
    assert states(cast.tenant) == ["waiting", "failed"]
    assert tries(cast.tenant)[1] == (False, "5.1.1 no such person")
    assert send().sent_count == 0
    assert send(NOW + outbox.PAUSES[0]).sent_count == 1
    assert states(cast.tenant) == ["sent", "failed"]


@pytest.mark.parametrize("address", ["no address", "a@b@c", "ünicode@example.com", "a\r\nb@c.d"])
def test_an_address_that_is_none_holds_up_nobody(cast: Cast, box: Mailbox, address: str) -> None:
    ann = User.objects.filter(pk=person(cast.tenant, "ann").pk)
    ann.update(email=address, confirmed_email=address)
    person(cast.tenant, "bob")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    assert states(cast.tenant) == ["failed", "sent"]
    assert [letter["To"] for letter in box.letters] == ["bob@example.com"]


def test_what_waits_for_the_server_goes_as_one_letter_when_it_is_back(
    cast: Cast, settings: Any
) -> None:
    person(cast.tenant, "ann")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        settings.PORTAL_SMTP = plain(nobody.getsockname()[1])
        for minute in range(3):
            at = NOW + timedelta(minutes=10 * minute)
            stop_of(cast, attempt_of(cast, cast.tenant))
            look(organization_id=cast.tenant.pk, now=at)
            assert send(at).is_server_away
    assert set(states(cast.tenant)) == {"waiting"}
    assert tries(cast.tenant)[0][1].startswith("mail server: connecting to 127.0.0.1:")
    with mail_server(settings) as box:
        send(NOW + timedelta(hours=1))
    assert box.subjects == [f"3 pieces of news, {cast.tenant.name}"]
    assert states(cast.tenant) == ["sent"] * 3


def test_a_letter_put_off_after_many_tries_without_a_server_is_not_given_up(
    cast: Cast, box: Mailbox
) -> None:
    person(cast.tenant, "ann")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    with organization_scope(cast.tenant.pk):
        Delivery.objects.update(attempt_count=len(outbox.PAUSES) + 5)
    box.answers = ["451 4.7.1 greylisted, try later"]
    later = NOW + timedelta(hours=4)

    assert send(later).failed_count == 1
    assert states(cast.tenant) == ["waiting"]
    assert send(later + outbox.PAUSES[-1]).sent_count == 1


@pytest.fixture
def hanging() -> Iterator[int]:
    """A server that takes connections and says a byte now and then; its port."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(8)
        over = threading.Event()

        def dribble() -> None:
            met = []
            server.settimeout(0.05)
            while not over.is_set():
                with suppress(TimeoutError):
                    met.append(server.accept()[0])
                for each in met:
                    with suppress(OSError):
                        each.send(b"2")
            for each in met:
                each.close()

        thread = threading.Thread(target=dribble)
        thread.start()
        yield server.getsockname()[1]
        over.set()
        thread.join()


def test_a_server_that_dribbles_holds_a_turn_no_longer_than_its_limit(
    cast: Cast, settings: Any, hanging: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp_backend, "CONVERSATION_SECONDS", 1.0)
    settings.PORTAL_SMTP = plain(hanging)
    for name in ("ann", "bob", "cem"):
        person(cast.tenant, name)
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    began = monotonic()
    assert send().is_server_away
    assert monotonic() - began < 30  # and not for ever
    assert set(states(cast.tenant)) == {"waiting"}


def test_a_worker_that_dies_between_sending_and_marking_sends_the_same_letter_again(
    cast: Cast, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    person(cast.tenant, "ann")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    with monkeypatch.context() as dying:
        dying.setattr(outbox, "note", _die)
        with pytest.raises(KeyboardInterrupt):
            send()
    assert send().sent_count == 0
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    send(NOW + outbox.LEASE.lasts)
    ids = [letter["Message-ID"] for letter in box.letters]
    assert len(ids) == 3
    assert ids[0] in ids[1:]
    assert len(set(ids)) == 2


def _die(**_: Any) -> None:
    raise KeyboardInterrupt


def test_one_who_gets_much_does_not_hold_up_the_others(cast: Cast, box: Mailbox) -> None:
    for name in ("ann", "bob"):
        person(cast.tenant, name)
    person(cast.operator, "eve")
    stop_of(cast, attempt_of(cast, cast.tenant))
    for who in (cast.tenant, cast.operator):
        look(organization_id=who.pk, now=NOW)
    send()
    names = [str(letter["To"]).partition("@")[0] for letter in box.letters]
    assert sorted(names) == ["ann", "bob", "eve"]
    assert names[1] != "bob" or names[0] == "eve"


def test_two_turns_never_take_the_same_letter(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    with organization_scope(cast.tenant.pk):
        assert outbox.claim_letter(organization_id=cast.tenant.pk, now=NOW)
    assert send().sent_count == 0
    with organization_scope(cast.tenant.pk):
        rows = outbox.waiting(
            organization_id=cast.tenant.pk, channel=Channel.EMAIL, now=NOW + outbox.LEASE.lasts
        )
        assert rows.count() == 1


def test_news_that_cannot_be_written_keeps_no_other_out_of_the_letter(
    cast: Cast, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    person(cast.operator, "ann")
    for _ in range(2):
        stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.operator.pk, now=NOW)
    with organization_scope(cast.operator.pk):
        bad = Delivery.objects.order_by("id").values_list("pk", flat=True)[0]
    written = emails.letter_of

    def failing(*, deliveries: list[Delivery], **more: Any) -> Any:
        if any(each.pk == bad for each in deliveries):
            raise KeyError("CANARY-TEXT")
        return written(deliveries=deliveries, **more)

    monkeypatch.setattr(email_delivery, "letter_of", failing)
    for again in range(5):
        send(NOW + timedelta(hours=again))

    assert len(box.letters) == 1
    assert sorted(set(states(cast.operator))) == ["failed", "sent"]
    assert states(cast.operator).count("failed") == 1
    failed = [error for is_success, error in tries(cast.operator) if not is_success]
    assert 2 <= len(failed) <= 5
    assert all(error.startswith("it could not be made (KeyError") for error in failed)
    assert "CANARY" not in str(failed)
