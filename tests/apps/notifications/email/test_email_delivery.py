"""Letters through a real mail server: what they say, and to whom."""

from email import message_from_bytes, policy
from email.headerregistry import Address

import pytest

from apps.incidents.models import Incident, IncidentParty
from apps.notifications.delivery.outbox import SendingTurn
from apps.notifications.email.emails import envelope
from apps.notifications.models import Delivery
from apps.notifications.occasions.incident_changes import RESTED_FOR, look
from apps.tenancy.models import MemberRole, Membership
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.email.sent_emails import send, states, tries
from tests.apps.notifications.receiving import (
    Mailbox,
    person,
    subscription,
    webhook,
)
from tests.apps.notifications.revised_incidents import NOW, UNKNOWN, revise
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of


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
