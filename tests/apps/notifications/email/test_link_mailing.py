"""Letters with a link: an address is confirmed by who reads it, and an invitation arrives."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from email.message import EmailMessage
from time import monotonic
from typing import Any

import pytest

from apps.notifications.delivery.outbox import SendingTurn
from apps.notifications.email import link_mailing
from apps.notifications.models import Delivery
from apps.notifications.occasions.incident_changes import look
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import AuditEntry, Confirmation, Invitation, MemberRole, User
from apps.tenancy.people import email_addresses, invitations, link_acceptance
from apps.tenancy.people.account import BadAccount, NewAccount, change_account
from apps.tenancy.people.email_addresses import AddressLinkGone
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.people.link_acceptance import LinkGone
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.email.sent_emails import send, states, tries
from tests.apps.notifications.receiving import Mailbox, mail_server, person
from tests.apps.notifications.revised_incidents import NOW
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of

LINK = re.compile(r"https?://\S+/(?:address|join)/([^/\s]+)/")
SOON = NOW + timedelta(minutes=30)
NEW = NewAccount(username="noor", name="", email="noor@example.com", password="a good long one")  # noqa: S106


@pytest.fixture
def box(settings: Any) -> Iterator[Mailbox]:
    """A mail server that takes everything."""
    with mail_server(settings) as made:
        yield made


def turn(at: datetime = NOW) -> SendingTurn:
    """Take one turn."""
    return link_mailing.LINKS.take_turn(clock=monotonic, now=lambda: at)


def code_of(letter: EmailMessage) -> str:
    """Return the code of the one link in a letter; both its halves carry the same."""
    texts = [letter.get_body((kind,)).get_content() for kind in ("plain", "html")]  # type: ignore[union-attr]
    (code,) = {code for text in texts for code in LINK.findall(text)}
    return str(code)


def moved(user: User, email: str, at: datetime = NOW) -> User:
    """Let a person type another address."""
    change_account(user=user, name="", email=email, language="", remote_address=None, now=at)
    return user


def confirm(code: str, at: datetime = NOW) -> User:
    """Follow a link."""
    return email_addresses.confirm(code=code, remote_address=None, now=at)


def test_nothing_goes_to_an_address_before_its_reader_confirmed_it(
    cast: Cast, box: Mailbox
) -> None:
    ann = moved(person(cast.tenant, "ann"), "ann@elsewhere.example")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    assert states(cast.tenant) == []
    assert turn().sent_count == 1
    (letter,) = box.letters
    assert letter["To"] == "ann@elsewhere.example"
    confirm(code_of(letter))
    ann.refresh_from_db()
    assert ann.is_reachable
    with organization_scope(cast.tenant.pk):
        actions = list(AuditEntry.objects.values_list("action", flat=True))
    assert actions[-1] == "account.address_confirmed"
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    assert send().sent_count == 1
    assert box.letters[-1]["To"] == "ann@elsewhere.example"


def test_what_waited_for_the_former_address_waits_until_the_new_one_is_confirmed(
    cast: Cast, box: Mailbox
) -> None:
    ann = person(cast.tenant, "ann")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    moved(ann, "ann@elsewhere.example")
    assert send().sent_count == 0
    assert tries(cast.tenant) == [(False, "this address is not confirmed yet")]
    turn()
    confirm(code_of(box.letters[0]))
    assert send(NOW + timedelta(minutes=15)).sent_count == 1
    assert [letter["To"] for letter in box.letters] == ["ann@elsewhere.example"] * 2


def test_a_link_works_once_for_three_days_and_for_the_address_it_was_sent_to(
    cast: Cast, box: Mailbox
) -> None:
    ann = moved(person(cast.tenant, "ann"), "one@example.com")
    turn()
    moved(ann, "two@example.com", SOON)
    with pytest.raises(AddressLinkGone):
        confirm(code_of(box.letters[0]))
    turn(SOON)
    code = code_of(box.letters[1])
    with pytest.raises(AddressLinkGone):
        confirm(code, SOON + email_addresses.LINK_LASTS)
    assert email_addresses.asks_for(code=code, now=SOON).email == "two@example.com"
    confirm(code, SOON)
    for wrong in (code, "", "x" * 200):
        with pytest.raises(AddressLinkGone):
            confirm(wrong, SOON)
    ann.refresh_from_db()
    assert ann.confirmed_email == "two@example.com"


def test_who_changes_back_to_the_confirmed_address_is_written_to_at_once(cast: Cast) -> None:
    ann = person(cast.tenant, "ann")
    moved(ann, "other@example.com")
    assert not ann.is_reachable
    moved(ann, "ann@example.com")
    assert ann.is_reachable


def test_whoever_types_many_addresses_writes_to_few(cast: Cast, box: Mailbox) -> None:
    ann = person(cast.tenant, "ann")
    for minute in range(60):
        at = NOW + timedelta(minutes=minute)
        moved(ann, f"stranger-{minute}@example.com", at)
        turn(at)
    assert len(box.letters) <= 7


def test_whoever_confirms_addresses_in_between_writes_to_few_others(
    cast: Cast, box: Mailbox
) -> None:
    ann = person(cast.tenant, "ann")
    for minute in range(60):
        at = NOW + timedelta(minutes=minute)
        # Two minutes each: a stranger's, then one of one's own, whose link is followed.
        is_own = minute % 2
        name = "ann" if is_own else "stranger"
        moved(ann, f"{name}-{minute}@example.com", at)
        if turn(at).sent_count and is_own:
            confirm(code_of(box.letters[-1]), at)
            ann.refresh_from_db()
    strangers = [each for each in box.letters if str(each["To"]).startswith("stranger")]
    assert len(strangers) <= 4


def test_a_letter_counts_whose_address_was_changed_while_it_was_on_the_wire(cast: Cast) -> None:
    ann = person(cast.tenant, "ann")
    moved(ann, "one@example.com")
    first = email_addresses.claim(now=NOW)
    assert first is not None
    moved(ann, "two@example.com")
    email_addresses.note_sent(letter=first, now=NOW)
    second = email_addresses.claim(now=NOW)
    assert second is not None
    email_addresses.note_sent(letter=second, now=NOW)
    moved(ann, "three@example.com")

    assert Confirmation.objects.get().letter_count == 2
    assert email_addresses.claim(now=NOW) is None


def test_no_letter_goes_to_an_address_that_was_given_up_before_it_went(
    cast: Cast, box: Mailbox
) -> None:
    ann = person(cast.tenant, "ann")
    moved(ann, "stranger@example.com")
    moved(ann, "ann@example.com")  # the confirmed one
    assert ann.is_reachable
    assert turn().sent_count == 0
    assert not link_mailing.is_due(now=NOW)


def test_a_letter_says_nothing_that_was_typed_freely(cast: Cast, box: Mailbox) -> None:
    ann = person(cast.tenant, "www.evil.example")  # mail readers make a link of it
    name, email = "Buy now https://evil.example", "stranger@example.com"
    change_account(user=ann, name=name, email=email, language="", remote_address=None, now=NOW)
    turn()
    assert "evil" not in box.letters[0].as_string()


def test_addresses_of_commands_are_asked_by_themselves_and_once(cast: Cast, box: Mailbox) -> None:
    user = make.user(organization=cast.tenant)
    User.objects.filter(pk=user.pk).update(email="root@example.com")
    assert link_mailing.is_due(now=NOW)
    turn()
    assert not link_mailing.is_due(now=SOON)
    turn(SOON)
    assert [letter["To"] for letter in box.letters] == ["root@example.com"]


def test_without_a_mail_server_nobody_is_asked(cast: Cast) -> None:
    moved(person(cast.tenant, "ann"), "ann@elsewhere.example")
    assert not link_mailing.is_due(now=NOW)
    assert turn() == SendingTurn()


@pytest.mark.parametrize(
    ("answer", "is_final"), [("451 try later", False), ("550 no such person", True)]
)
def test_a_refused_letter_says_so_and_is_tried_on_unless_it_can_not_help(
    cast: Cast, box: Mailbox, answer: str, *, is_final: bool
) -> None:
    moved(person(cast.tenant, "ann"), "ann@elsewhere.example")
    box.answers = [answer]
    assert turn().failed_count == 1
    row = Confirmation.objects.get()
    assert row.said == answer[4:]
    assert (row.due_at is None) == is_final
    assert turn(SOON).sent_count == (not is_final)


def invited(cast: Cast, email: str = "noor@example.com") -> str:
    """Let an admin invite by letter; the code that the admin is shown."""
    admin = Actor(organization=cast.tenant, rights=frozenset(Right))
    wish = InvitationWish(role=MemberRole.RESPONDER, email=email, is_mailed=True)
    with organization_scope(cast.tenant.pk):
        return invitations.invite(actor=admin, wish=wish, now=NOW).code


def test_who_follows_the_mailed_invitation_has_confirmed_the_address(
    cast: Cast, box: Mailbox
) -> None:
    shown = invited(cast)
    assert turn().sent_count == 1
    mailed = code_of(box.letters[0])
    user = link_acceptance.accept_as_new(code=mailed, account=NEW, remote_address=None, now=NOW)
    user.refresh_from_db()

    assert mailed != shown
    assert user.is_reachable
    with pytest.raises(LinkGone):
        link_acceptance.look_at(code=shown, now=NOW)
    assert turn(SOON).sent_count == 0


def test_the_link_that_the_admin_was_shown_confirms_nothing(cast: Cast, box: Mailbox) -> None:
    shown = invited(cast)
    turn()
    user = link_acceptance.accept_as_new(code=shown, account=NEW, remote_address=None, now=NOW)
    user.refresh_from_db()

    assert not user.is_reachable


def test_an_invitation_that_was_revoked_is_not_mailed(cast: Cast, box: Mailbox) -> None:
    invited(cast)
    with organization_scope(cast.tenant.pk):
        Invitation.objects.update(revoked_at=NOW)
    assert turn() == SendingTurn()


def test_an_organization_mails_so_many_invitations_an_hour(cast: Cast) -> None:
    for number in range(invitations.LETTERS_AT_MOST):
        invited(cast, f"p{number}@example.com")
    with pytest.raises(BadAccount) as refusal:
        invited(cast)
    assert refusal.value.field == "email"


def test_letters_that_were_refused_count_too(cast: Cast, box: Mailbox) -> None:
    for number in range(invitations.LETTERS_AT_MOST):
        invited(cast, f"p{number}@example.com")
    box.answers = ["550 no such person"] * invitations.LETTERS_AT_MOST
    assert turn().failed_count == invitations.LETTERS_AT_MOST
    with pytest.raises(BadAccount):
        invited(cast)


def test_letters_are_in_the_language_of_who_reads_them(cast: Cast, box: Mailbox) -> None:
    User.objects.filter(pk=person(cast.tenant, "ann").pk).update(language="ko")
    stop_of(cast, attempt_of(cast, cast.tenant))
    look(organization_id=cast.tenant.pk, now=NOW)
    send()
    page = box.letters[0].get_body(("html",)).get_content()  # type: ignore[union-attr]
    assert '<html lang="ko">' in page


def test_no_secret_of_a_link_is_kept(cast: Cast, box: Mailbox) -> None:
    moved(person(cast.tenant, "ann"), "ann@elsewhere.example")
    invited(cast)
    turn()
    with organization_scope(cast.tenant.pk):
        kept = [*Confirmation.objects.values(), *Invitation.objects.values()]
        assert Delivery.objects.count() == 0
    for letter in box.letters:
        assert code_of(letter).rpartition(".")[2] not in str(kept)
