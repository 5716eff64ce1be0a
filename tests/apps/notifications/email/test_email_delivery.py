"""Letters through a real mail server: what they say, to whom, and when the server misbehaves."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from email import message_from_bytes, policy
from email.headerregistry import Address
from time import monotonic
from typing import Any

import pytest

from apps.incidents.models import Incident, IncidentParty
from apps.notifications.delivery import outbox
from apps.notifications.delivery.outbox import SendingTurn
from apps.notifications.email import email_delivery, emails, smtp_backend
from apps.notifications.email.emails import envelope
from apps.notifications.models import Delivery
from apps.notifications.notification_kinds import Channel
from apps.notifications.occasions.incident_changes import RESTED_FOR, look
from apps.tenancy.models import MemberRole, Membership, User
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.email.sent_emails import send, states, tries
from tests.apps.notifications.receiving import (
    Mailbox,
    mail_server,
    person,
    plain,
    subscription,
    webhook,
)
from tests.apps.notifications.revised_incidents import NOW, UNKNOWN, revise
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.make import text_fact


@pytest.fixture
def box(settings: Any) -> Iterator[Mailbox]:
    """A mail server that takes everything."""
    with mail_server(settings) as made:
        yield made


def test_a_member_is_written_to_in_words_and_the_letter_leads_to_the_page(
    cast: Cast, box: Mailbox
) -> None:
    person(cast.operator, "ann")
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.operator.pk, now=NOW)
    assert send().sent_count == 1
    (letter,) = box.letters
    text = letter.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    page = letter.get_body(("html",)).get_content()  # type: ignore[union-attr]
    link = f"/o/{cast.operator.slug}/incidents/{incident.public_id}/"
    for body in (text, page):
        assert link in body
        assert "GPU lost on PCIe" in body
        assert "a GPU on gpu001" in body
        assert f"{cast.operator.name} (your organization)" in body
        assert "WORDS" not in body
    assert letter["To"] == "ann@example.com"
    assert str(letter["Subject"]).startswith("Yours to act on: Session run-")
    assert states(cast.operator) == ["sent"]
    assert send().sent_count == 0


def test_one_letter_tells_what_is_opened_and_ours(cast: Cast, box: Mailbox) -> None:
    person(cast.operator, "ann")
    stop_of(cast, attempt_of(cast, cast.tenant))
    assert len(look(organization_id=cast.operator.pk, now=NOW)) == 2
    send()
    assert len(box.letters) == 1


def test_who_looks_on_or_has_no_address_or_chose_nothing_is_left_alone(
    cast: Cast, box: Mailbox
) -> None:
    person(cast.tenant, "onlooker", MemberRole.VIEWER)
    without = person(cast.tenant, "without")
    without.email = ""
    without.save()
    subscription(cast.tenant, person(cast.tenant, "silent"), kinds=[])
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    assert send() == SendingTurn()
    assert states(cast.tenant) == []


def test_nobody_is_written_to_without_a_mail_server(cast: Cast) -> None:
    person(cast.tenant, "ann")
    stop_of(cast, attempt_of(cast, cast.tenant))
    assert look(organization_id=cast.tenant.pk, now=NOW)
    assert states(cast.tenant) == []


def test_what_comes_together_is_one_letter(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    incidents = [stop_of(cast, attempt_of(cast, cast.tenant)) for _ in range(3)]
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    (letter,) = box.letters
    assert letter["Subject"] == f"3 pieces of news, {cast.tenant.name}"
    text = letter.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert all(incident.public_id in text for incident in incidents)
    assert states(cast.tenant) == ["sent"] * 3


def test_a_verdict_is_written_once_it_is_as_sure_as_wished(cast: Cast, box: Mailbox) -> None:
    chosen = {"minimum": "likely", "kinds": ["incident.opened"]}
    subscription(cast.tenant, person(cast.tenant, "ann"), **chosen)
    incident = stop_of(cast, attempt_of(cast, cast.tenant), **UNKNOWN)
    look(organization_id=cast.tenant.pk, now=NOW)
    assert send().sent_count == 0
    revise(cast, incident)
    look(organization_id=cast.tenant.pk, now=NOW)
    look(organization_id=cast.tenant.pk, now=NOW + RESTED_FOR)
    send(NOW + RESTED_FOR)
    assert len(box.letters) == 1


def test_other_clusters_than_the_chosen_are_left_out(cast: Cast, box: Mailbox) -> None:
    other = make.cluster()
    make.participation(organization=cast.tenant, cluster=other)
    subscription(cast.tenant, person(cast.tenant, "ann"), clusters=[other.pk])
    subscription(cast.tenant, person(cast.tenant, "bob"), clusters=[cast.cluster.pk])
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    assert [letter["To"] for letter in box.letters] == ["bob@example.com"]


def test_nobody_falls_silent_because_the_one_chosen_cluster_was_left(
    cast: Cast, box: Mailbox
) -> None:
    subscription(cast.tenant, person(cast.tenant, "ann"), clusters=[make.cluster().pk])
    webhook(cast.tenant, "https://hooks.example.com/", clusters=[make.cluster().pk])
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    with organization_scope(cast.tenant.pk):
        assert set(Delivery.objects.values_list("channel", flat=True)) == {"email", "webhook"}


@pytest.mark.parametrize(
    "subject", ["Yours to act on: " + "words of a title " * 9, "Yours to act on: " + "a" * 160]
)
def test_a_subject_of_any_length_begins_on_its_line(subject: str) -> None:
    to = Address(addr_spec="ann@example.com")
    letter = envelope(subject=subject, to=to, name="x", now=NOW)
    written = letter.message().as_bytes()
    assert b"\nSubject: Yours to act on:" in b"\n" + written
    assert message_from_bytes(written, policy=policy.default)["Subject"] == subject.strip()


def test_a_name_with_a_line_end_forges_no_header(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    attempt = attempt_of(cast, cast.tenant)
    with organization_scope(cast.tenant.pk):
        attempt.session.name = "x\r\nBcc: all@example.com\r\n\r\n<b>"
        attempt.session.save()
    stop_of(cast, attempt)
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    (letter,) = box.letters
    assert letter["Bcc"] is None
    assert "x Bcc: all@example.com" in str(letter["Subject"])
    page = letter.get_body(("html",)).get_content()  # type: ignore[union-attr]
    assert "<b>" not in page


def test_a_simulated_incident_says_so_in_subject_and_body(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(is_simulated=True)
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    (letter,) = box.letters
    assert str(letter["Subject"]).startswith("[Simulated] ")
    text = letter.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert text.startswith("SIMULATED DATA")


def test_of_several_each_that_is_simulated_says_so(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    real, simulated = (stop_of(cast, attempt_of(cast, cast.tenant)) for _ in range(2))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=simulated.pk).update(is_simulated=True)
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    (letter,) = box.letters
    for kind in ("plain", "html"):
        text = letter.get_body((kind,)).get_content()  # type: ignore[union-attr]
        assert " ".join(text.split()).count("[Simulated] ") == 1
        assert "SIMULATED DATA" not in text.upper()
        assert real.public_id in text


def test_who_left_meanwhile_is_not_written_to(cast: Cast, box: Mailbox) -> None:
    ann = person(cast.tenant, "ann")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    with organization_scope(cast.tenant.pk):
        Membership.objects.filter(user=ann).delete()
    send()
    assert box.letters == []
    assert states(cast.tenant) == ["dropped"]
    assert tries(cast.tenant) == [(False, "no member any more")]


def test_an_organization_that_is_no_party_any_more_is_told_nothing(
    cast: Cast, box: Mailbox
) -> None:
    person(cast.vendor, "ann")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.vendor.pk, now=NOW)
    with organization_scope(cast.vendor.pk):
        IncidentParty.objects.for_organization(cast.vendor).delete()
    send()
    assert box.letters == []
    assert states(cast.vendor) == ["dropped"]


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


def test_a_letter_says_whether_to_restart_and_whom_to_leave_out(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    korean = person(cast.tenant, "kim")
    User.objects.filter(pk=korean.pk).update(language="ko")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    told = {str(letter["To"]): letter for letter in box.letters}
    for form in ("plain", "html"):
        bodies = {
            to: each.get_body((form,)).get_content()  # type: ignore[union-attr]
            for to, each in told.items()
        }
        assert "Restart without gpu001." in bodies["ann@example.com"]
        assert "gpu001" in bodies["kim@example.com"]
        assert "Restart without" not in bodies["kim@example.com"]


def test_a_digest_says_so_of_each_piece_of_news(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    stop_of(cast, attempt_of(cast, cast.tenant))
    stop_of(cast, attempt_of(cast, cast.tenant), culprits=[], restart={"advice": "fix-first"})
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    (letter,) = box.letters
    lines = letter.get_body(("plain",)).get_content().splitlines()  # type: ignore[union-attr]
    assert "Restart without gpu001." in lines
    assert "Don't restart yet: which node to leave out is not known." in lines


def test_a_letter_names_the_cause_that_is_as_likely(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    look_at = {
        "statement": text_fact("Fix that exception"),
        "owner": "tenant",
        "hosts": [],
    }
    alike = [
        {
            "statement": text_fact("Reboot the node"),
            "owner": "operator",
            "hosts": [],
        }
    ]
    stop_of(
        cast,
        attempt_of(cast, cast.tenant),
        verdict_status="possible",
        actions=[*alike, look_at | {"rival": "rank-exception"}],
    )
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    text = box.letters[0].get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert "As likely: Exception in one rank" in text
    assert "or as likely the program raised an exception" in " ".join(text.split())


def test_a_hosts_name_forges_no_line_of_a_letter(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    stop_of(
        cast,
        attempt_of(cast, cast.tenant),
        restart={"advice": "restart-without", "exclude_hosts": ["gpu\nVerdict: x"]},
    )
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    text = box.letters[0].get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert "Restart without gpu Verdict: x." in text


def test_what_is_withdrawn_is_no_advice(cast: Cast, box: Mailbox) -> None:
    person(cast.tenant, "ann")
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(status="withdrawn")
    look(organization_id=cast.tenant.pk, now=NOW + RESTED_FOR)
    look(organization_id=cast.tenant.pk, now=NOW + 2 * RESTED_FOR)
    send(NOW + 2 * RESTED_FOR)
    text = box.letters[-1].get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert "Withdrawn" in text
    assert "Restart" not in text
