"""What letters advise: whether to restart, whom to leave out, and what is as likely."""

from apps.incidents.models import Incident
from apps.notifications.occasions.incident_changes import RESTED_FOR, look
from apps.tenancy.models import User
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.email.sent_emails import send
from tests.apps.notifications.receiving import (
    Mailbox,
    person,
)
from tests.apps.notifications.revised_incidents import NOW
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.make import text_fact


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
