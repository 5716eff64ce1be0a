"""A bundle for one tenant of an incident that hit others, too, tells it of none of them."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.incidents.bundles.recipient_scope import RecipientScope
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.models import EvidenceItem, Incident
from apps.sharing.facade.bundles import preview_of
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.bundles import kept_file, made, told_by
from tests.cast.incidents import Cast, assemble, attempt_of, conclusion, piece, stop_of

BEFORE = timedelta(minutes=7)


@pytest.fixture
def cast(db: None) -> Cast:
    """A shared part that hit the tenant, and another tenant seven minutes before."""
    cast = assemble()
    mine = attempt_of(cast, cast.tenant)
    theirs = attempt_of(cast, cast.other_tenant, hosts=["gpu009"])
    incident = stop_of(cast, mine)
    told = conclusion(cast)
    assert incident.started_at is not None
    other = replace(told, pieces=(piece(cast.operator, "ABOUT-THEIRS", 2.0),))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(
            kind="shared", started_at=incident.started_at - BEFORE
        )
        incident.refresh_from_db()
        attach(incident=incident, attempt=theirs, conclusion=other)
        own = EvidenceItem.objects.for_organization(cast.operator)
        template = own.get()
        own.update(attempt=mine)
        template.pk, template.attempt, template.position = None, theirs, 9
        template.statement = piece(cast.operator, "ABOUT-THEIRS", 2.0).statement
        template.save()
    return cast


def file_of(cast: Cast, **choice: Any) -> Any:
    return kept_file(cast.operator, made(cast.operator, cast.tenant, **choice))


def test_what_was_told_of_the_other_s_session_stays(cast: Cast) -> None:
    file = file_of(cast)

    (piece_of_mine,) = json.loads(file.files["evidence.json"])
    assert piece_of_mine["text"] == "OPERATOR-WORDS"
    assert b"ABOUT-THEIRS" not in b"".join(file.files.values())


def test_no_count_and_no_time_tells_of_the_other(cast: Cast) -> None:
    file = file_of(cast)
    with organization_scope(*cast.ids):
        started_at = Incident.objects.get().started_at

    assert file.manifest["withheld"] == []
    assert started_at is not None
    begins = datetime.fromisoformat(file.manifest["window"]["from"])
    assert begins == started_at + BEFORE - timedelta(minutes=30)


def test_its_holder_sees_what_stays(cast: Cast) -> None:
    public_id = made(cast.operator, cast.tenant)
    with organization_scope(cast.operator.pk):
        rows = preview_of(actor=told_by(cast.operator).actor, public_id=public_id)["evidence"]

    assert [row["original"] for row in rows if row.get("why") == "of-another-session"] == [
        "ABOUT-THEIRS"
    ]


def test_who_knows_all_sessions_gets_all(cast: Cast) -> None:
    file = kept_file(cast.operator, made(cast.operator, cast.vendor))

    assert len(json.loads(file.files["evidence.json"])) == 2


def test_a_vendor_gives_a_tenant_what_it_has_of_no_host() -> None:
    """It may know of no session, so nothing says whose a host was."""
    scope = RecipientScope(spans=(), hits=())

    assert scope.concerns(host="", at=make.AT)
    assert not scope.concerns(host="gpu009", at=make.AT)
    assert scope.times([make.AT, None, make.AT + BEFORE]) == (make.AT, make.AT + BEFORE)
    assert scope.times([]) is None
