"""Files of an incident tell what was changed around it, as far as their reader reads of it."""

import json
from datetime import timedelta
from typing import Any

import pytest
from time_machine import TimeMachineFixture

from apps.incidents.models import Incident
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.changes import changed
from tests.cast.clients import member
from tests.cast.incidents import Cast

FORMS = ("json", "html", "md", "ndjson", "csv")


@pytest.fixture(autouse=True)
def _at_one_time(time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(make.AT + timedelta(hours=1), tick=False)


def _file(who: Organization, incident: Incident, form: str) -> str:
    answer: Any = member(who).get(f"incidents/{incident.public_id}/export.{form}")
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


def _show(cast: Cast, level: Level) -> None:
    rule = SharingRule(data="changes:*", level=level)
    agreed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: [rule]})


@pytest.mark.parametrize("form", FORMS)
def test_ones_own_stand_in_each_file(cast: Cast, incident: Incident, form: str) -> None:
    changed(cast.operator, cast.cluster)
    text = _file(cast.operator, incident, form)
    for told in ("CHANGE-TITLE", "550.54", "560.35", "CHG-REFERENCE", "CHANGE-PERSON"):
        assert told.replace("-", r"\-") in text or told in text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", ["tenant", "vendor"])
def test_without_an_agreement_no_other_party_has_them(
    cast: Cast, incident: Incident, form: str, other: str
) -> None:
    changed(cast.operator, cast.cluster)
    text = _file(getattr(cast, other), incident, form)
    assert "CHANGE-" not in text
    assert "550.54" not in text
    assert "What was changed" not in text


@pytest.mark.parametrize("form", FORMS)
def test_as_a_signal_only_that_there_was_one(cast: Cast, incident: Incident, form: str) -> None:
    changed(cast.operator, cast.cluster)
    _show(cast, Level.SIGNAL)
    text = _file(cast.tenant, incident, form)
    assert "driver" in text
    for hidden in ("CHANGE-", "550.54", "560.35"):
        assert hidden not in text


def test_in_full_it_is_there_and_in_the_ledger_as_an_export(cast: Cast, incident: Incident) -> None:
    changed(cast.operator, cast.cluster)
    _show(cast, Level.FULL)
    (told,) = json.loads(_file(cast.tenant, incident, "json"))["changes"]
    assert told["title"] == "CHANGE-TITLE"
    assert told["told_by"] == cast.operator.slug
    with organization_scope(cast.operator.pk):
        looks = LedgerEntry.objects.filter(reader=cast.tenant).values_list("channel", "shown")
        found = {channel for channel, shown in looks if "changes:" in json.dumps(shown)}
        assert found == {"export"}
