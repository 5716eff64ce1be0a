"""What parties do with an incident is told to the open pages of its readers, and no others."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import ParticipationRole
from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.coordination.action_ids import action_id
from apps.incidents.entries import HandOverEntry, Opinion, StepEntry
from apps.incidents.evidence_requests import acts
from apps.incidents.evidence_requests.request_terms import RequestEntry
from apps.incidents.judgement.feedback import judge
from apps.incidents.lifecycle.acknowledge import acknowledge
from apps.incidents.lifecycle.actions import set_action
from apps.incidents.lifecycle.hand_over import answer, propose, set_ticket
from apps.incidents.lifecycle.resolution import reopen, resolve
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.incidents.states import ActionState, HandOverState, Judgement
from apps.incidents.timeline import append, retract_missing
from apps.sharing.agreement_acts import revoke
from apps.sharing.terms import Level
from apps.tenancy.models import Organization, Topic
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.leaving import leave
from tests.cast import make
from tests.cast.agreements import admin_of, agreed, proposed
from tests.cast.incidents import Cast, actor, telling
from tests.cast.page_changes import told, told_of

NOW = make.AT + timedelta(hours=1)


class Watch:
    """Says whose pages an act was told to."""

    def __init__(self, cast: Cast, incident: Incident) -> None:
        self.cast, self.incident = cast, incident

    def after(self, who: Organization, act: Callable[..., Any], **more: Any) -> set[int]:
        """Let somebody act, and return which organizations' pages heard of it."""
        before = self._told()
        with organization_scope(who.pk):
            found = access_incident(actor=actor(who), public_id=self.incident.public_id)
            self.returned = act(actor=actor(who), incident=found, **({"now": NOW} | more))
        after = self._told()
        return {pk for pk in after if after[pk] != before.get(pk)}

    def _told(self) -> Mapping[int, int]:
        return told(self.cast, self.incident, Topic.INCIDENT)


@pytest.fixture
def watch(cast: Cast, incident: Incident) -> Watch:
    """Watch what is told of one incident."""
    return Watch(cast, incident)


def _propose(cast: Cast, watch: Watch) -> str:
    entry = HandOverEntry(to=cast.vendor.slug, reason="your-layer")
    watch.after(cast.operator, propose, entry=entry)
    return str(watch.returned)


def _all(cast: Cast) -> set[int]:
    return {cast.tenant.pk, cast.operator.pk, cast.vendor.pk}


def test_a_hand_over_and_its_answers_are_heard_by_those_who_know_both_sides(
    cast: Cast, watch: Watch
) -> None:
    entry = HandOverEntry(to=cast.vendor.slug, reason="your-layer")
    assert watch.after(cast.operator, propose, entry=entry) == _all(cast)
    subject = str(watch.returned)
    told = {"subject": subject, "entry": StepEntry(reason="not-ours")}
    declined = watch.after(cast.vendor, answer, state=HandOverState.DECLINED, **told)
    assert declined == _all(cast)


def test_a_ticket_is_heard_by_the_two_sides_alone(cast: Cast, watch: Watch) -> None:
    subject = _propose(cast, watch)
    heard = watch.after(cast.vendor, set_ticket, subject=subject, ticket="RMA-4")
    assert heard == {cast.operator.pk, cast.vendor.pk}


def test_opinions_acknowledgements_and_actions_are_heard_by_all_parties(
    cast: Cast, watch: Watch
) -> None:
    opinion = Opinion(judgement=Judgement.WRONG, layer="network", cause="link-down")
    assert watch.after(cast.vendor, judge, opinion=opinion) == _all(cast)
    # The same again is no change.
    assert watch.after(cast.vendor, judge, opinion=opinion) == set()
    assert watch.after(cast.tenant, acknowledge) == _all(cast)
    first = action_id(watch.incident.actions[0])
    taken = {"subject": first, "state": ActionState.TAKEN, "entry": StepEntry()}
    assert watch.after(cast.operator, set_action, **taken) == _all(cast)


def test_resolving_and_reopening_are_heard_by_all_parties(cast: Cast, watch: Watch) -> None:
    assert watch.after(cast.tenant, resolve, entry=StepEntry(reason="fixed")) == _all(cast)
    again = StepEntry(reason="came-back")
    assert watch.after(cast.vendor, reopen, entry=again) == _all(cast)


def test_a_request_for_evidence_is_heard_by_who_asks_and_who_is_asked(
    cast: Cast, watch: Watch
) -> None:
    context = ActContext(actor=actor(cast.tenant), now=NOW, remote_address="")
    entry = RequestEntry(
        holder=cast.operator.slug, data="metrics:gpu", level=Level.FULL, reason="was it hot?"
    )

    def ask(**asked: Any) -> None:
        asked.pop("now")
        acts.ask(entry=entry, context=context, **asked)

    assert watch.after(cast.tenant, ask) == {cast.tenant.pk, cast.operator.pk}


def test_a_moment_that_is_taken_back_is_heard_by_who_read_it(
    cast: Cast, incident: Incident
) -> None:
    attempt = incident.attempt_id
    assert attempt is not None
    step = telling(cast.tenant, "a step that was none", attempt_id=attempt)
    shown = telling(cast.operator, "shown to one", audience=(cast.vendor.pk,), attempt_id=attempt)
    with organization_scope(*cast.ids):
        append(incident=incident, tellings=[step, shown], now=NOW)
    for kept, heard in (([shown], [cast.tenant]), ([], [cast.operator, cast.vendor])):
        before = told(cast, incident, Topic.INCIDENT)
        with organization_scope(*cast.ids):
            retract_missing(incident=incident, attempt_id=attempt, tellings=kept, now=NOW)
        after = told(cast, incident, Topic.INCIDENT)
        moved = {pk for pk, count in after.items() if count != before.get(pk)}
        assert moved == {each.pk for each in heard}


def test_who_left_the_cluster_hears_nothing_more(cast: Cast, watch: Watch) -> None:
    subject = _propose(cast, watch)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    step = {"subject": subject, "state": HandOverState.WITHDRAWN, "entry": StepEntry()}
    heard = watch.after(cast.operator, answer, **step)
    assert heard == {cast.tenant.pk, cast.operator.pk}


def test_an_agreement_that_holds_and_ends_is_heard_by_its_two_sides(cast: Cast) -> None:
    proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    assert told_of(cast, Topic.SHARING) == {}
    held = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    known = [told_of(cast, Topic.SHARING)]
    admin = admin_of(cast.tenant)
    with organization_scope(cast.tenant.pk):
        revoke(actor=admin.actor, agreement=held, number=2, reason="over", context=admin)
    known.append(told_of(cast, Topic.SHARING))
    assert [set(each) for each in known] == [{cast.operator.pk, cast.tenant.pk}] * 2
    assert all(known[1][pk] > known[0][pk] for pk in known[0])
