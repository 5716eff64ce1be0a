"""One kind of e-mails that wait: a turn, whatever they are about."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

import pytest
from django.core.mail import EmailMessage

from apps.diagnosis.model import statement
from apps.notifications.delivery.outbox import Outcome, SendingTurn
from apps.notifications.email import mail_queue, smtp_backend
from apps.notifications.email.mail_queue import MailQueue
from tests.apps.notifications.revised_incidents import NOW


@dataclass
class Told:
    """An e-mail that keeps what is noted of it."""

    error: Exception | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    rest: "Told | None" = None

    def write(self, *, now: datetime) -> EmailMessage:
        if self.error is not None:
            raise self.error
        return EmailMessage(subject="news")

    def note(self, *, outcome: Outcome, now: datetime) -> None:
        self.outcomes.append(outcome)

    def drop_unwritable(self, *, error: Exception, now: datetime) -> "Told | None":
        self.note(
            outcome=Outcome(is_success=False, failure=statement("text", text="unwritable")), now=now
        )
        return self.rest


class Server:
    """A mail server at the edge: takes all, or says no."""

    def __init__(self) -> None:
        self.taken = 0
        self.refusal: Exception | None = None

    def hand_over(self, _: EmailMessage) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.taken += 1


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Server:
    """A server that can be reached."""
    made = Server()

    @contextmanager
    def conversation() -> Iterator[Server]:
        yield made

    settings.PORTAL_SMTP = "smtp://mail.example"
    monkeypatch.setattr(smtp_backend, "conversation", conversation)
    return made


def queue(*emails: Told, notes_away: bool = True) -> MailQueue:
    return MailQueue(
        is_due=lambda _: bool(emails), emails=lambda _: iter(emails), notes_away=notes_away
    )


def turn(waiting: MailQueue, clock: Callable[[], float] = lambda: 0.0) -> SendingTurn:
    return waiting.take_turn(clock=clock, now=lambda: NOW)


def test_all_that_waits_is_sent_and_noted(server: Server) -> None:
    emails = [Told() for _ in range(3)]
    assert turn(queue(*emails)) == SendingTurn(sent_count=3)
    assert server.taken == 3
    assert all([each.is_success for each in one.outcomes] == [True] for one in emails)


def test_a_turn_ends_after_its_time_and_holds_no_other_e_mail(server: Server) -> None:
    emails = iter([Told(), Told(), Told()])
    waiting = MailQueue(is_due=lambda _: True, emails=lambda _: emails, notes_away=True)
    ticks = count(step=mail_queue.TURN_SECONDS)
    assert turn(waiting, clock=lambda: float(next(ticks))) == SendingTurn(
        sent_count=1, is_more=True
    )
    assert len(list(emails)) == 2


def test_one_that_can_not_be_written_stops_no_other_and_its_rest_is_sent(server: Server) -> None:
    halves = Told(error=KeyError("title"), rest=Told())
    lost, bad = Told(error=TypeError("at")), Told(error=ValueError("no address"))
    good = Told()
    assert turn(queue(halves, lost, bad, good)) == SendingTurn(sent_count=2, failed_count=2)
    assert [each.error for each in (*halves.outcomes, *lost.outcomes)] == ["unwritable"] * 2
    assert [(each.failure, each.is_final) for each in bad.outcomes] == [
        (mail_queue.NO_ADDRESS, True)
    ]
    assert good.outcomes[0].is_success


def test_what_the_server_refuses_is_noted_as_it_said(server: Server) -> None:
    server.refusal = smtp_backend.LetterRefused(status=550, said="no such user")
    one = Told()
    assert turn(queue(one)) == SendingTurn(failed_count=1)
    (outcome,) = one.outcomes
    assert (outcome.status, outcome.error, outcome.is_final) == (550, "no such user", True)


def test_a_server_that_goes_away_ends_the_turn_at_the_e_mail_it_had(server: Server) -> None:
    server.refusal = smtp_backend.ServerAway("it hung up")
    first, second = Told(), Told()
    assert turn(queue(first, second)) == SendingTurn(failed_count=1, is_server_away=True)
    (outcome,) = first.outcomes
    assert (outcome.error, outcome.is_away) == ("mail server: it hung up", True)
    assert second.outcomes == []


@pytest.mark.parametrize(("notes_away", "noted"), [(True, 1), (False, 0)])
def test_a_server_that_is_never_reached_is_noted_where_it_tells_something(
    monkeypatch: pytest.MonkeyPatch, settings: Any, *, notes_away: bool, noted: int
) -> None:
    def conversation() -> None:
        raise smtp_backend.ServerAway("nobody there")

    settings.PORTAL_SMTP = "smtp://mail.example"
    monkeypatch.setattr(smtp_backend, "conversation", conversation)
    first, second = Told(), Told()
    assert turn(queue(first, second, notes_away=notes_away)).is_server_away
    assert (len(first.outcomes), second.outcomes) == (noted, [])


def test_nothing_is_asked_where_nothing_waits_or_no_server_is_named(settings: Any) -> None:
    settings.PORTAL_SMTP = "smtp://mail.example"
    assert turn(queue()) == SendingTurn()
    settings.PORTAL_SMTP = ""
    one = Told()
    assert turn(queue(one)) == SendingTurn()
    assert one.outcomes == []
