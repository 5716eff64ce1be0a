"""Names in what a holder shows: those of the session that broke are hidden, however old it is."""

import pytest

from apps.fleet.models import Session
from apps.incidents.models import EvidenceItem, Incident
from apps.sharing import redactor
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import of, shared, view
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of
from tests.cast.make import text_fact

REDACTED = SharingRule(data="events:*", level=Level.REDACTED)


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of a job that has a telling name, in words of its tenant and of the operator."""
    attempt = attempt_of(cast, cast.tenant, hosts=["mare-a"])
    with organization_scope(*cast.ids):
        Session.objects.filter(pk=attempt.session_id).update(job="pretrain-lunar")
        made = stop_of(cast, attempt)
        text = text_fact("pretrain-lunar fell off mare-a")
        EvidenceItem.objects.filter(incident=made).update(statement=text)
    return made


def read(incident: Incident, reader: Organization) -> str:
    (piece,) = shared(view(incident, reader))
    return str(piece.statement["values"]["text"])


def test_a_session_is_not_too_old_to_be_hidden(
    cast: Cast, incident: Incident, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redactor, "MOST_SESSIONS", 1)
    monkeypatch.setattr(redactor, "MOST_ATTEMPTS", 1)
    attempt_of(cast, cast.tenant)
    agreed(cast.tenant, cast.vendor, cast.cluster, terms=of(REDACTED, cast.tenant))

    told = read(incident, cast.vendor)

    assert "fell off" in told
    assert "lunar" not in told
    assert "mare" not in told


def test_what_a_holder_says_of_another_s_session_is_hidden(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(REDACTED, cast.operator))

    told = read(incident, cast.vendor)

    assert "fell off" in told
    assert "lunar" not in told
    assert "mare" not in told


def test_a_reader_s_own_names_are_no_secret_of_a_holder(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(REDACTED, cast.operator))

    assert read(incident, cast.tenant) == "pretrain-lunar fell off mare-a"
