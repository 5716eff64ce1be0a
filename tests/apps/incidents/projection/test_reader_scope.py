"""What of an incident faces a reader: who is one of several tenants, and which times it reads."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from apps.incidents.projection.reader_scope import (
    NOBODY,
    AttemptImpact,
    as_faced,
    header_of,
    hit_of,
    hypothesis_of,
    is_of_several_tenants,
    own_conclusion,
)
from apps.incidents.states import IncidentKind
from tests.cast.make import AT

LATER = AT + timedelta(minutes=5)


@pytest.mark.parametrize(
    ("kind", "parts", "is_one"),
    [
        (IncidentKind.SHARED, ["tenant"], True),
        (IncidentKind.SHARED, ["tenant", "gpu_vendor"], True),
        (IncidentKind.SHARED, ["tenant", "operator"], False),
        (IncidentKind.SHARED, ["tenant", "platform"], False),
        (IncidentKind.SHARED, ["gpu_vendor"], False),
        (IncidentKind.STOP, ["tenant"], False),
    ],
)
def test_who_runs_nothing_reads_a_shared_incident_as_one_of_several_tenants(
    kind: str, parts: list[str], *, is_one: bool
) -> None:
    assert is_of_several_tenants(kind=kind, parts=parts) is is_one


def test_evidence_is_waited_for_until_it_settled() -> None:
    waits = AttemptImpact(detected_at=AT)
    assert waits.settles_at(after=timedelta(minutes=5)) == LATER
    settled = AttemptImpact(detected_at=AT, settled_at=LATER)
    assert settled.settles_at(after=timedelta(minutes=5)) is None


def test_a_stored_conclusion_tells_its_times_and_an_old_one_takes_those_given() -> None:
    told = {"detected_at": AT.isoformat(), "revisions": 2, "started_at": None}
    assert hit_of(conclusion=told, detected_at=LATER) == AttemptImpact(detected_at=AT, revisions=2)
    former = hit_of(conclusion={"started_at": AT.isoformat()}, detected_at=LATER)
    assert former == AttemptImpact(detected_at=LATER, revisions=0, started_at=AT)


def conclusion(organization_id: int, probability: float = 0.5, **times: Any) -> Any:
    """Return what was concluded for a session of an organization."""
    told = {name: at and at.isoformat() for name, at in times.items()}
    header = {"probability": probability}
    return SimpleNamespace(
        organization_id=organization_id, conclusion={"started_at": None, "header": header} | told
    )


def incident(**more: Any) -> Any:
    """Return a shared incident that hit others earlier."""
    first = AT - timedelta(hours=1)
    said = {"kind": IncidentKind.SHARED, "faced_since": None, "revision": 7}
    times = {"detected_at": first, "started_at": first, "settled_at": first}
    return SimpleNamespace(**said | times | {"newest_evidence_at": first} | more)


TENANT: Any = SimpleNamespace(organization_id=1, parts=["tenant"], moment=LATER)


def test_one_of_several_tenants_reads_the_times_of_its_own_sessions() -> None:
    rows = [
        conclusion(2, detected_at=AT - timedelta(hours=1), settled_at=AT),
        conclusion(1, detected_at=LATER, started_at=AT, settled_at=LATER, newest_evidence_at=AT),
        conclusion(1, detected_at=AT, started_at=LATER, settled_at=AT, newest_evidence_at=LATER),
    ]
    shown = as_faced(incident=incident(), mine=TENANT, rows=rows)
    assert (shown.detected_at, shown.started_at) == (AT, AT)
    assert (shown.settled_at, shown.newest_evidence_at) == (LATER, LATER)
    assert (shown.faced_since, shown.revision) == (AT, 7)


def test_it_has_not_settled_while_one_of_its_sessions_has_not() -> None:
    rows = [conclusion(1, detected_at=AT, settled_at=AT), conclusion(1, detected_at=AT)]
    assert as_faced(incident=incident(), mine=TENANT, rows=rows).settled_at is None


def test_without_a_session_of_its_own_it_begins_when_it_became_a_party() -> None:
    shown = as_faced(incident=incident(), mine=TENANT, rows=[conclusion(2, detected_at=AT)])
    assert (shown.detected_at, shown.started_at, shown.settled_at) == (LATER, None, None)


@pytest.mark.parametrize(
    ("parts", "more"),
    [(["operator"], {}), (["tenant"], {"kind": "stop"}), (["tenant"], {"faced_since": AT})],
)
def test_whoever_else_reads_it_reads_it_as_it_is(parts: list[str], more: dict[str, Any]) -> None:
    mine: Any = SimpleNamespace(organization_id=1, parts=parts, moment=LATER)
    whole = incident(**more)
    assert as_faced(incident=whole, mine=mine, rows=[conclusion(1, detected_at=AT)]) is whole


def test_of_its_own_conclusions_the_strongest_counts() -> None:
    rows = [conclusion(1, 0.4), conclusion(1, 0.6), conclusion(2, 0.9)]
    assert own_conclusion(rows=rows, organization_id=1) == rows[1].conclusion
    assert own_conclusion(rows=rows, organization_id=3) is None


def test_a_tenant_reads_the_names_of_its_own_session_or_nobodys() -> None:
    whole: Any = SimpleNamespace(**dict.fromkeys(NOBODY, "all"))
    own = {"header": {"culprits": ["own"]}}
    assert header_of(incident=whole, is_tenant=True, own=own) == own["header"]
    assert header_of(incident=whole, is_tenant=True, own=None) == NOBODY
    assert header_of(incident=whole, is_tenant=False, own=own) == dict.fromkeys(NOBODY, "all")


def test_of_a_shared_hypothesis_it_reads_its_own_sessions_parts_else_those_of_no_host() -> None:
    culprits = [
        {"host": "gpu017", "rank": None},
        {"host": "", "rank": 3},
        {"host": "", "rank": 0},
        {"host": "", "rank": None, "part": "nas1"},
    ]
    missing = [{"source": "kernel", "hosts": ["gpu017"]}]
    key = ("storage", "storage.slow")
    hypotheses = [
        {"layer": "storage", "cause": "other", "culprits": ["no"], "missing": []},
        {"layer": "storage", "cause": "storage.slow", "culprits": ["own"], "missing": ["it"]},
    ]
    told = {"culprits": culprits, "missing": missing, "key": key}
    assert hypothesis_of(**told, own={"hypotheses": hypotheses}) == (["own"], ["it"])  # type: ignore[arg-type]
    for own in (None, {"hypotheses": hypotheses[:1]}):
        assert hypothesis_of(**told, own=own) == (  # type: ignore[arg-type]
            [culprits[3]],
            [{"source": "kernel", "hosts": []}],
        )
