"""Words of two parties in what they share: hand-overs, agreements, requests, evidence bundles."""

from typing import Any

from django.utils import timezone

from apps.incidents.entries import HandOverEntry, StepEntry
from apps.incidents.facade import evidence_requests as requests
from apps.incidents.facade.bundles import make_bundle
from apps.incidents.lifecycle.hand_over import answer, propose, set_ticket
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.incidents.states import HandOverState
from apps.sharing import agreement_acts as acts
from apps.sharing.bundles.bundle_contents import BundleChoice
from apps.sharing.facade import bundles
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import admin_of
from tests.cast.bundles import told_by
from tests.cast.evidence_requests import asked, context
from tests.cast.incidents import Cast, actor

AGREED, ASKED, GIVEN = "AGREED", "ASKED", "GIVEN"


def canary(who: Organization, what: str) -> str:
    """Return the word of a party; part of no other word."""
    return f"CANARY-{what}-{who.pk}-END"


def plant_sharing(cast: Cast, platform: Organization, incident: Incident) -> dict[str, str]:
    """Let operator and platform agree, ask and answer in words; let the operator give a file.

    Return the ids by the folders that they stand in.
    """
    return {
        "agreements": _agreement(cast, platform),
        "evidence-requests": _request(cast, platform, incident),
        "bundles": _bundle(cast, incident),
    }


def _agreement(cast: Cast, platform: Organization) -> str:
    _propose(cast, cast.operator, platform)
    return _propose(cast, platform, cast.operator)


def _propose(cast: Cast, by: Organization, to: Organization) -> str:
    told = admin_of(by, now=timezone.now())  # noqa: TID251  what is proposed waits for thirty days
    wish = acts.Proposal(counterpart=to.slug, preset="closed", note=canary(by, AGREED))
    with organization_scope(by.pk):
        made = acts.propose(actor=told.actor, cluster=cast.cluster, proposal=wish, context=told)
    return made.public_id


def _request(cast: Cast, platform: Organization, incident: Incident) -> str:
    now = timezone.now()  # noqa: TID251  what is asked expires
    made = asked(incident, platform, cast.operator, now=now, reason=canary(platform, ASKED))
    told = context(cast.operator, now=now)
    with organization_scope(cast.operator.pk):
        requests.decline(
            actor=told.actor, public_id=made, reason=canary(cast.operator, ASKED), context=told
        )
    return made


def _bundle(cast: Cast, incident: Incident) -> str:
    told = told_by(cast.operator)
    word = canary(cast.operator, GIVEN)
    wish = BundleChoice(outside=word, purpose=word)
    with organization_scope(cast.operator.pk):
        made = make_bundle(actor=told.actor, incident=incident.public_id, choice=wish, context=told)
        bundles.send(actor=told.actor, public_id=made, context=told)
    return made


def hand_over(cast: Cast, platform: Organization, incident: Incident) -> str:
    """Hand it over from the operator to the platform, with words and ticket numbers of both."""
    entry = HandOverEntry(
        to=platform.slug,
        reason="other",
        text=canary(cast.operator, "WORDS"),
        ticket=canary(cast.operator, "TICKET"),
    )
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        found = access_incident(actor=asking, public_id=incident.public_id)
        subject = propose(actor=asking, incident=found, entry=entry, now=make.AT)
    with organization_scope(platform.pk):
        asking = actor(platform)
        found = access_incident(actor=asking, public_id=incident.public_id)
        about: dict[str, Any] = {"actor": asking, "incident": found, "subject": subject}
        set_ticket(ticket=canary(platform, "TICKET"), now=make.AT, **about)
        answer(
            state=HandOverState.INFORMATION_NEEDED,
            entry=StepEntry(text=canary(platform, "WORDS")),
            now=make.AT,
            **about,
        )
    return subject
