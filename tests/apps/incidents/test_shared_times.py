"""What one tenant reads of a shared incident tells no time at which another was hit."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.diagnosis.model import Diagnosis, statement_of
from apps.incidents.correlation.incident_rows.hit_attempts import SETTLES_AFTER
from apps.incidents.entries import Opinion
from apps.incidents.facade import acts, reads
from apps.incidents.projection.access import access_incident, access_incidents
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.headers import read_header, read_headers
from apps.incidents.projection.incident_view import read_timeline
from apps.incidents.states import Judgement
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.wording import headline_in_english
from tests.apps.incidents.correlation.struck_sessions import NOW, STORAGE, UNKNOWN, _look
from tests.cast.incidents import Cast, actor, attempt_of

pytestmark = pytest.mark.django_db
FIRST = STORAGE.failed_at or NOW
AGAIN = timedelta(minutes=20)  # the second tenant's stop is so much later
LONG_AGO = timedelta(hours=3)
LESS_SURE = replace(STORAGE, verdict=replace(STORAGE.verdict, probability=0.6))
RIGHT = Opinion(judgement=Judgement.RIGHT)


def hit_at(at: datetime) -> Diagnosis:
    """Return what a tenant's session that broke then makes of the shared part."""
    return replace(STORAGE, failed_at=at)


def told(cast: Cast, tenant: Organization, *, base: timedelta = timedelta(0)) -> dict[str, Any]:
    """Return all that an organization reads of times in its newest incident, by every way in."""

    def early(at: datetime | None) -> datetime | None:
        return at - base if at else None

    with organization_scope(tenant.pk):
        reader = actor(tenant)
        listed = access_incidents(actor=reader)[0]
        opened = access_incident(actor=reader, public_id=listed.public_id)
        header = read_header(actor=reader, incident=opened)
        (in_list,) = read_headers(actor=reader, incidents=[listed])
        times = ("started_at", "detected_at", "settled_at", "newest_evidence_at")
        ways: dict[str, Any] = {"page": opened, "header": header.incident, "list": in_list.incident}
        return {
            **{way: [early(getattr(one, name)) for name in times] for way, one in ways.items()},
            "revisions": [each.revision for each in ways.values()],
            "place": early(vars(listed)["moment"]),
            "is_collecting": header.is_collecting,
            "story": [
                (headline_in_english(statement_of(each.statement)), early(each.at), each.revision)
                for each in read_timeline(incident=opened)
            ],
        }


def judge_and_note(cast: Cast, mine: Organization, *, at: datetime) -> None:
    """Let the operator and a tenant judge the newest incident, and take note of it."""
    for who in (cast.operator, mine):
        with organization_scope(who.pk):
            own = actor(who)
            found = newest(own)
            acts.judge(actor=own, incident=found, opinion=RIGHT, now=at)
            acts.acknowledge(actor=own, incident=found, now=at)


def newest(own: Actor) -> IncidentFacts:
    """Return the newest incident through its door."""
    return reads.open_incident(actor=own, public_id=access_incidents(actor=own)[0].public_id)


def judgements(cast: Cast, reader: Organization) -> list[tuple[bool, int]]:
    """Return who judged which answer of the newest incident, as an organization reads it."""
    with organization_scope(reader.pk):
        own = actor(reader)
        opinions = reads.opinions_of(actor=own, incident=newest(own))
    return [(each.organization.id == cast.operator.pk, each.revision) for each in opinions]


def acted(cast: Cast, reader: Organization) -> list[tuple[str, int]]:
    """Return what people did, and of which answer that is, as an organization reads it."""
    people = {"acknowledged", "judged"}
    story = told(cast, reader)["story"]
    return [(title.split(")")[1], of) for title, _, of in story if set(title.split()) & people]


def found_since(tenant: Organization, at: datetime) -> int:
    """Return how many incidents a tenant's list has from a time on."""
    with organization_scope(tenant.pk):
        return access_incidents(actor=actor(tenant), since=at).count()


@pytest.mark.parametrize("is_collecting", [True, False])
def test_who_was_hit_later_reads_the_same_whether_another_was_hit_before(
    cast: Cast, *, is_collecting: bool
) -> None:
    mine = cast.other_tenant
    looks = [AGAIN] if is_collecting else [AGAIN, AGAIN + SETTLES_AFTER]

    def told_of_mine(base: timedelta) -> dict[str, Any]:
        attempt = attempt_of(cast, mine)
        for after in looks:
            _look(cast, attempt, hit_at(FIRST + AGAIN + base), after + base)
        return told(cast, mine, base=base)

    alone = told_of_mine(-LONG_AGO)
    other = attempt_of(cast, cast.tenant)
    for after, diagnosis in ((0, UNKNOWN), (10, hit_at(FIRST)), (20, hit_at(FIRST - AGAIN / 10))):
        _look(cast, other, diagnosis, timedelta(seconds=after))
    _look(cast, other, hit_at(FIRST), SETTLES_AFTER)
    both = told_of_mine(timedelta(0))
    assert both == alone
    assert both["page"][0] == FIRST + AGAIN
    assert both["is_collecting"] == is_collecting
    assert found_since(cast.other_tenant, FIRST + AGAIN) == 1
    assert found_since(cast.other_tenant, FIRST + AGAIN + timedelta(seconds=1)) == 0


def test_no_number_of_a_judged_answer_tells_that_another_was_hit_before(cast: Cast) -> None:
    mine = cast.other_tenant
    read = []
    for base in (-LONG_AGO, timedelta(0)):
        if not base:
            other = attempt_of(cast, cast.tenant)
            for after, diagnosis in ((0, UNKNOWN), (10, hit_at(FIRST)), (20, LESS_SURE)):
                _look(cast, other, diagnosis, timedelta(seconds=after))
        _look(cast, attempt_of(cast, mine), hit_at(FIRST + AGAIN + base), AGAIN + base)
        judge_and_note(cast, mine, at=NOW + AGAIN + base + timedelta(minutes=1))
        read.append((judgements(cast, mine), acted(cast, mine)))
    assert read[0] == read[1]
    assert read[0][0] == [(True, 1), (False, 1)]
    # Who runs the cluster counts all answers: both judged the same one.
    numbers = {number for _, number in judgements(cast, cast.operator)}
    assert len(numbers) == 1
    assert min(numbers) > 1


def test_who_runs_the_cluster_reads_when_it_first_hit_anybody(cast: Cast) -> None:
    _look(cast, attempt_of(cast, cast.tenant), hit_at(FIRST), timedelta(0))
    _look(cast, attempt_of(cast, cast.other_tenant), hit_at(FIRST + AGAIN), AGAIN)
    for reader in (cast.operator, cast.vendor, cast.tenant):
        assert told(cast, reader)["page"][:2] == [FIRST, NOW]
        assert told(cast, reader)["place"] == FIRST


def test_of_two_sessions_of_one_tenant_the_first_counts(cast: Cast) -> None:
    for minutes in (8, 4):
        at = timedelta(minutes=minutes)
        _look(cast, attempt_of(cast, cast.tenant), hit_at(FIRST + at), at)
    read = told(cast, cast.tenant)
    assert read["page"][0] == read["place"] == FIRST + timedelta(minutes=4)
    assert read["page"][1] == NOW + timedelta(minutes=4)


def test_what_was_not_all_looked_at_is_told_to_nobody_elses_tenant(cast: Cast) -> None:
    _look(cast, attempt_of(cast, cast.tenant), hit_at(FIRST), timedelta(0), is_cut=True)
    _look(cast, attempt_of(cast, cast.other_tenant), hit_at(FIRST), timedelta(0))
    assert not [
        title for title, *_ in told(cast, cast.other_tenant)["story"] if "more than" in title
    ]
    for reader in (cast.tenant, cast.operator):
        assert [title for title, *_ in told(cast, reader)["story"] if "more than" in title]
