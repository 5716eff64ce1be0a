"""Write one step of the work on an incident, with nobody else in between."""

import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from apps.incidents.annotations import annotate
from apps.incidents.entries import STEP_LANE, TEXT_LIMIT, Audience, Note, StepEntry
from apps.incidents.lifecycle.telling import person_of
from apps.incidents.models import Incident, IncidentStep
from apps.incidents.projection.access import known_parties
from apps.incidents.refusals import BadStep
from apps.incidents.states import OTHER, StepKind
from apps.incidents.threads import live
from apps.tenancy.access import Actor
from apps.tenancy.scope import organization_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedIncident:
    """An incident that nobody else acts on until the transaction ends, with all of its steps."""

    row: Incident
    steps: Sequence[IncidentStep]

    def audience(self, *named: int) -> list[int]:
        """Return the parties that know of each of these organizations."""
        return sorted(
            party["organization"]
            for party in self.row.parties
            if {*named} <= self._known(party["organization"])
        )

    def _known(self, organization_id: int) -> set[int]:
        found = known_parties(incident=self.row, organization_id=organization_id)
        return {each["organization"] for each in found}


@contextmanager
def locked(*, actor: Actor, incident: Incident) -> Iterator[LockedIncident]:
    """Hold the incident against others who act on it, until the transaction ends.

    What is decided takes all steps, also those that the actor may not read.
    """
    with organization_scope(incident.organization_id, actor.organization.pk):
        row = Incident.objects.select_for_update().get(pk=incident.pk)
    with organization_scope(row.organization_id, *(each["organization"] for each in row.parties)):
        steps = list(IncidentStep.objects.filter(incident=row).order_by("number", "id"))
    yield LockedIncident(row=row, steps=steps)


def new_subject(prefix: str) -> str:
    """Return a random id; a counter would tell one party how many others have."""
    return f"{prefix}-{secrets.token_hex(5).upper()}"


def write_step(  # noqa: PLR0913  the columns of one row
    *,
    actor: Actor,
    held: LockedIncident,
    kind: StepKind,
    subject: str,
    state: str,
    entry: StepEntry,
    audience: Collection[int],
    note: str = "",
    sides: tuple[int | None, int | None] = (None, None),
    due_at: datetime | None = None,
    ticket: str = "",
    now: datetime,
) -> IncidentStep:
    """Append a step, and let the open pages of its readers know once it is durable.

    Needs the actor's scope, inside of `locked`.
    """
    with organization_scope(held.row.organization_id, actor.organization.pk):
        own = Incident.objects.filter(pk=held.row.pk)
        own.update(step_count=F("step_count") + 1, touched_by_people=True)
        number = own.values_list("step_count", flat=True)[0]
    step = IncidentStep(
        organization=actor.organization,
        incident_id=held.row.pk,
        number=number,
        kind=kind,
        subject=subject,
        state=state,
        reason=entry.reason,
        sender_id=sides[0],
        recipient_id=sides[1],
        due_at=due_at,
        ticket=ticket,
        note=note,
        author_name=person_of(actor),
        audience=sorted({*audience} - {actor.organization.pk}),
        created_at=now,
    )
    step.save(force_insert=True)
    live.announce(incident=held.row, readers={actor.organization.pk, *audience})
    return step


def check_entry(entry: StepEntry, *, reasons: Sequence[str]) -> None:
    """Raise BadStep unless the reason is one of these, with words where it takes them."""
    if entry.reason not in reasons:
        known = f"one of {', '.join(reasons)}"
        raise BadStep("reason", known if entry.reason else f"say why: {known}")
    check_text(entry, is_needed=entry.reason == OTHER)


def check_text(entry: StepEntry, *, is_needed: bool) -> None:
    """Raise BadStep where words are missing, or are far too many."""
    if is_needed and not entry.text.strip():
        raise BadStep("text", "say it in your own words")
    if len(entry.text) > TEXT_LIMIT:
        raise BadStep("text", f"at most {TEXT_LIMIT} characters")


def write_words(
    *, actor: Actor, incident: Incident, entry: StepEntry, audience: Audience, now: datetime
) -> str:
    """Keep the words of a step as an annotation for its readers; return its id, or nothing."""
    if not entry.text.strip():
        return ""
    note = Note(text=entry.text, lane=STEP_LANE)
    row = annotate(actor=actor, incident=incident, note=note, audience=audience, now=now)
    return row.public_id
