"""A database of the former version keeps what people and the portal said beside the answers."""

from datetime import timedelta

import pytest

from apps.diagnosis.model import statement, statement_of
from apps.incidents.entries import Opinion
from apps.incidents.judgement.feedback import judge, take_back
from apps.incidents.migrations import _former_sentences as former
from apps.incidents.models import Incident, TimelineEntry
from apps.incidents.states import Judgement
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.wording import in_english
from tests.cast import make
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of
from tests.former_version import execute, migrate

NOW = make.AT + timedelta(hours=1)
BEFORE = ("incidents", "0014_evidence_statement")
NOT_ALL = (
    "There are more than 20,000 findings in the logs of one organization: "
    "of each kind in each log the first and the last were looked at"
)
WRONG = Opinion(judgement=Judgement.WRONG, layer="network", cause="link-down")


def _judged(who: Organization, incident: Incident, opinion: Opinion | None) -> None:
    with organization_scope(who.pk):
        if opinion is None:
            take_back(actor=actor(who), incident=incident, now=NOW)
        else:
            judge(actor=actor(who), incident=incident, opinion=opinion, now=NOW)


def _entries(cast: Cast) -> dict[bytes, tuple[str, bool]]:
    with organization_scope(*cast.ids):
        rows = list(TimelineEntry.objects.filter(kind="feedback"))
    return {
        bytes(row.key): (in_english(statement_of(row.statement or {})), row.is_retracted)
        for row in rows
    }


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_judgements_and_withdrawals_of_the_former_version_show_the_same() -> None:
    cast = assemble()
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    _judged(cast.tenant, incident, WRONG)
    _judged(cast.tenant, incident, None)
    _judged(cast.vendor, incident, Opinion(judgement=Judgement.RIGHT))
    before = _entries(cast)
    assert len(before) == 3
    try:
        migrate(BEFORE)
        execute(
            "UPDATE incidents_incident SET status = 'withdrawn', withdrawn_because = %s",
            "it has another cause",
        )
        execute("UPDATE incidents_timelineentry SET statement = NULL WHERE kind = 'feedback'")
    finally:
        execute("SELECT set_config('portal.organizations', '', false)")
        migrate()

    assert _entries(cast) == before
    with organization_scope(*cast.ids):
        row = Incident.objects.get(pk=incident.pk)
    assert row.withdrawal == {"kind": "has-another-cause", "values": {}}


@pytest.mark.parametrize(
    "title",
    ["Withdrawn: it has another cause", "Withdrawn: no failure was found", NOT_ALL],
)
def test_what_the_portal_said_is_said_in_the_same_words(title: str) -> None:
    told = former.portal_fact(title)
    assert told is not None
    assert told.kind != "text"
    assert in_english(told) == title


def test_a_reason_that_nobody_recognises_keeps_its_words() -> None:
    told = former.portal_fact("Withdrawn: the moon was full")
    assert told == statement("withdrawn", because=statement("text", text="the moon was full"))
    assert former.portal_fact("gpu071 reboots") is None
