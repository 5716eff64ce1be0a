"""Letters that ask whose an address is: when one is written, tried again, and given up."""

from datetime import timedelta

import pytest

from apps.tenancy.models import Confirmation, User
from apps.tenancy.people import email_addresses
from apps.tenancy.people.email_addresses import (
    FIRST_PAUSE,
    LEASE,
    TRIED_FOR,
    AddressLinkGone,
    AskingLetter,
)
from tests.cast import make

pytestmark = pytest.mark.django_db
NOW = make.AT
SECOND = timedelta(seconds=1)


def person(email: str, *, confirmed: str = "") -> User:
    """Make a member with an address."""
    user = make.user(organization=make.organization())
    user.email, user.confirmed_email = email, confirmed
    user.save()
    return user


def moved(user: User, email: str) -> User:
    """Let somebody have another address."""
    user.email = email
    user.save()
    return user


def claimed() -> AskingLetter:
    """Take the letter that waits."""
    letter = email_addresses.claim(now=NOW)
    assert letter is not None
    return letter


@pytest.mark.parametrize(("email", "confirmed"), [("", ""), ("a@x.example", "a@x.example")])
def test_who_has_no_address_or_a_confirmed_one_is_asked_nothing(email: str, confirmed: str) -> None:
    assert email_addresses.ask(user=person(email, confirmed=confirmed), now=NOW) is None
    assert not Confirmation.objects.exists()


def test_asking_again_while_a_letter_waits_changes_nothing() -> None:
    user = person("a@x.example")
    email_addresses.ask(user=user, now=NOW)
    email_addresses.ask(user=user, now=NOW + timedelta(hours=1))
    row = Confirmation.objects.get()
    assert (row.asked_at, row.due_at) == (NOW, NOW)


def test_another_address_is_asked_for_even_while_a_letter_waits() -> None:
    user = person("a@x.example")
    email_addresses.ask(user=user, now=NOW)
    email_addresses.ask(user=moved(user, "b@x.example"), now=NOW + SECOND)
    row = Confirmation.objects.get()
    assert (row.email, row.asked_at) == ("b@x.example", NOW + SECOND)


def test_the_first_letter_holds_until_the_second_is_written_but_for_no_other_address() -> None:
    user = person("a@x.example")
    email_addresses.ask(user=user, now=NOW)
    letter = claimed()
    email_addresses.note_sent(letter=letter, now=NOW)
    email_addresses.ask(user=user, now=NOW + SECOND)
    assert email_addresses.asks_for(code=letter.code, now=NOW + SECOND).email == "a@x.example"

    email_addresses.ask(user=moved(user, "b@x.example"), now=NOW + SECOND)
    with pytest.raises(AddressLinkGone):
        email_addresses.asks_for(code=letter.code, now=NOW + SECOND)


def test_a_link_confirms_nothing_for_who_has_another_address_by_now() -> None:
    user = person("a@x.example")
    email_addresses.ask(user=user, now=NOW)
    code = claimed().code
    moved(user, "b@x.example")
    with pytest.raises(AddressLinkGone):
        email_addresses.asks_for(code=code, now=NOW)
    with pytest.raises(AddressLinkGone):
        email_addresses.confirm(code=code, remote_address=None, now=NOW)
    assert User.objects.get(pk=user.pk).confirmed_email == ""


def test_the_next_letter_waits_from_when_the_last_went_and_is_never_due_before_it_is_asked() -> (
    None
):
    user = person("a@x.example")
    email_addresses.ask(user=user, now=NOW)
    email_addresses.note_sent(letter=claimed(), now=NOW)
    assert email_addresses.ask(user=user, now=NOW + SECOND)
    assert Confirmation.objects.get().due_at == NOW + FIRST_PAUSE

    later = NOW + timedelta(hours=1)
    email_addresses.ask(user=moved(user, "b@x.example"), now=later)
    assert Confirmation.objects.get().due_at == later


def test_after_a_letter_that_nobody_took_for_good_the_next_waits_from_now() -> None:
    user = person("a@x.example")
    email_addresses.ask(user=user, now=NOW)
    email_addresses.note_failed(letter=claimed(), said="no such person", is_final=True, now=NOW)
    assert Confirmation.objects.get().due_at is None

    email_addresses.ask(user=moved(user, "b@x.example"), now=NOW + SECOND)
    assert Confirmation.objects.get().due_at == NOW + SECOND + FIRST_PAUSE


@pytest.mark.parametrize(("after", "is_tried"), [(TRIED_FOR, True), (TRIED_FOR + SECOND, False)])
def test_a_letter_is_tried_for_three_days(after: timedelta, *, is_tried: bool) -> None:
    email_addresses.ask(user=person("a@x.example"), now=NOW)
    at = NOW + after
    email_addresses.note_failed(letter=claimed(), said="try later", is_final=False, now=at)
    assert Confirmation.objects.get().due_at == (at + LEASE.lasts if is_tried else None)
