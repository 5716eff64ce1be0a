"""A copy of a portal writes to nobody beside the original, until who runs it lifts that."""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.db import connections
from django.test import Client

from apps.notifications import tasks
from apps.notifications.delivery import outbound_freeze
from apps.notifications.email import smtp_backend
from apps.notifications.occasions.incident_changes import look
from tests.apps.notifications.receiving import mail_server, person, receiver, webhook
from tests.apps.notifications.revised_incidents import NOW
from tests.apps.notifications.webhook.webhook_deliveries import deliveries
from tests.cast.incidents import Cast, attempt_of, stop_of

Say = Callable[[str | None], None]


@pytest.fixture
def comment(db: None) -> Iterator[Say]:
    """Return what comments on the table of migrations as its owner does, past this transaction."""
    known = connections["owner"].settings_dict
    with psycopg.connect(
        dbname=known["NAME"],
        host=known["HOST"],
        user=known["USER"],
        password=known["PASSWORD"] or None,
        autocommit=True,
    ) as owner:

        def say(text: str | None) -> None:
            statement = "COMMENT ON TABLE django_migrations IS {}"
            owner.execute(psycopg.sql.SQL(statement).format(psycopg.sql.Literal(text)))

        yield say
        say(None)


def test_on_hold_nothing_is_tried_and_all_of_it_goes_out_afterwards(
    cast: Cast, comment: Say, settings: Any
) -> None:
    person(cast.tenant, "ann")
    with mail_server(settings) as box, receiver() as there:
        webhook(cast.tenant, there.url)
        stop_of(cast, attempt_of(cast, cast.tenant))
        look(organization_id=cast.tenant.pk, now=NOW)

        comment(f"{outbound_freeze.MARK} since 2026-11-22 03:00 UTC: a test")
        _send(cast)
        assert (box.letters, there.arrived) == ([], [])
        assert {each.attempt_count for each in deliveries(cast.tenant)} == {0}
        # Whoever else would write a letter does not get to the server either.
        with pytest.raises(smtp_backend.ServerAway, match="on hold"), smtp_backend.conversation():
            pass

        comment(None)
        _send(cast)
        assert len(box.letters) == len(there.arrived) == 1


def _send(cast: Cast) -> None:
    tasks.send_mail()
    tasks.post(organization_id=cast.tenant.pk)


def test_every_page_says_so_until_it_is_lifted(
    cast: Cast, comment: Say, client: Client, settings: Any
) -> None:
    user = person(cast.tenant, "ann")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    page = f"/o/{cast.tenant.slug}/"

    client.cookies["zone"] = "Asia%2FSeoul"  # as the browser sends what the script wrote
    copied = f"{outbound_freeze.COPY}2026-11-21T22:10:05+00:00"
    comment(f"{outbound_freeze.MARK} since 2026-11-22 03:00 UTC: {copied}")
    told = client.get(page).content.decode()
    assert "Since 22 Nov 03:00:00 UTC (22 Nov 12:00:00 KST)." in told
    assert "from a backup of 21 Nov 22:10:05 UTC (22 Nov 07:10:05 KST)." in told
    assert "manage.py" not in told
    korean = client.get(page, headers={"accept-language": "ko"}).content.decode()
    assert "보내기가 보류되었습니다" in korean
    assert "restored" not in korean
    comment(f"{outbound_freeze.MARK} in words of another version")
    assert "Sending is on hold." in client.get(page).content.decode()
    comment("what somebody else noted of this table")
    assert "on hold" not in client.get(page).content.decode()


def test_a_test_that_is_asked_for_waits_and_says_so(
    cast: Cast, comment: Say, client: Client, settings: Any
) -> None:
    user = person(cast.tenant, "ann")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    comment(f"{outbound_freeze.MARK} since 2026-11-22 03:00 UTC: a test")
    with mail_server(settings):
        there = f"/o/{cast.tenant.slug}/settings/notifications/"
        answer = client.post(there + "test/", {"channel": "email"}, follow=True)
    text = answer.content.decode()
    assert "Sending is on hold: it waits below" in text
    assert "in a few seconds" not in text
    assert '<span class="state state-waiting">on hold</span>' in text
