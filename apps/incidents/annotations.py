"""What people write on the timeline, for a named audience. An edit is a new version."""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from django.db import transaction

from apps.incidents import subscribers
from apps.incidents.entries import COUNT_LIMIT, OWN, TEXT_LIMIT, Audience, Note
from apps.incidents.human_activity import mark_touched
from apps.incidents.models import Annotation, Incident
from apps.incidents.projection.access import require_part
from apps.incidents.projection.annotations import party_ids
from apps.incidents.refusals import (
    AlreadyChanged,
    AudienceUnknown,
    TextMissing,
    TooManyAnnotations,
)
from apps.incidents.threads import live
from apps.incidents.threads.mentions import mentions_of
from apps.incidents.threads.replies import answered, readers_of
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import OwnedQuerySet


def annotate(
    *, actor: Actor, incident: Incident, note: Note, audience: Audience = OWN, now: datetime
) -> Annotation:
    """Write an annotation and return it. Its own organization alone reads it unless told.

    A reply has at most the readers of what it answers.
    """
    require_part(actor=actor, incident=incident)
    if _count(actor=actor, incident=incident) >= COUNT_LIMIT:
        raise TooManyAnnotations
    row = _version(
        actor=actor, incident=incident, note=note, audience=audience, now=now,
        public_id="NOTE-" + secrets.token_hex(5), version=1,
    )  # fmt: skip
    row.save(force_insert=True)
    mark_touched(actor=actor, incident=incident)
    live.announce_notes(incident=incident, readers=readers_of(row))
    _wake(row)
    return row


def revise(
    *,
    actor: Actor,
    former: Annotation,
    note: Note,
    audience: Audience = OWN,
    seen_version: int | None = None,
    now: datetime,
) -> Annotation:
    """Write the next version of one's own organization's annotation; the former one stays.

    Raises AlreadyChanged where `seen_version`, that the author had before it, is not the newest.
    """
    require_part(actor=actor, incident=former.incident)
    if former.organization_id != actor.organization.pk:
        raise NotFound(owner_id=former.organization_id)
    if seen_version is not None and seen_version != former.version:
        raise AlreadyChanged
    row = _version(
        actor=actor, incident=former.incident, note=replace(note, answers=former.answers),
        audience=audience, now=now, public_id=former.public_id, version=former.version + 1,
    )  # fmt: skip
    if Annotation.objects.bulk_create([row], ignore_conflicts=True) and not _is_newest(row):
        raise AlreadyChanged
    _narrow_former(row)
    readers = readers_of(row) | readers_of(former)
    live.announce_notes(incident=former.incident, readers=readers)
    _wake(row)
    return row


def withdraw(*, actor: Actor, former: Annotation, now: datetime) -> None:
    """Take an annotation back: a last version without words; the history stays its author's.

    Who read it reads from now on that it was withdrawn, by whom and when, and none of its words.
    """
    require_part(actor=actor, incident=former.incident)
    if former.organization_id != actor.organization.pk:
        raise NotFound(owner_id=former.organization_id)
    row = Annotation(
        organization=actor.organization, incident=former.incident, public_id=former.public_id,
        version=former.version + 1, author=actor.user, author_name=_name(actor), text="",
        lane=former.lane, starts_at=former.starts_at, ends_at=former.ends_at,
        answers=former.answers, audience=former.audience, is_withdrawn=True, created_at=now,
    )  # fmt: skip
    if Annotation.objects.bulk_create([row], ignore_conflicts=True) and not _is_newest(row):
        raise AlreadyChanged
    _versions(row).exclude(version=row.version).update(audience=[])
    live.announce_notes(incident=former.incident, readers=readers_of(former))


def access_annotation(*, actor: Actor, incident: Incident, public_id: str) -> Annotation:
    """Return the newest version of an annotation of the actor's own organization."""
    rows = Annotation.objects.for_organization(actor.organization).filter(
        incident=incident, public_id=public_id
    )
    row = rows.select_related("incident", "organization").order_by("-version").first()
    if row is None or row.is_withdrawn:
        read = Annotation.objects.filter(incident=incident, public_id=public_id).first()
        raise NotFound(owner_id=read.organization_id if read else None)
    return row


def _version(  # noqa: PLR0913  the columns of one row
    *,
    actor: Actor,
    incident: Incident,
    note: Note,
    audience: Audience,
    now: datetime,
    public_id: str,
    version: int,
) -> Annotation:
    text = note.text.replace("\x00", "")
    if not text.strip() or len(text) > TEXT_LIMIT:
        raise TextMissing(f"write between 1 and {TEXT_LIMIT} characters")
    known = party_ids(actor=actor, incident=incident)
    recipients = _recipients(known=known, audience=audience)
    if note.answers:
        thread = answered(incident=incident, public_id=note.answers)
        recipients = _of_thread(recipients, readers_of(thread), known, audience)
    mentions = mentions_of(actor=actor, text=text, parties=known, readers=recipients)
    return Annotation(
        organization=actor.organization,
        incident=incident,
        public_id=public_id,
        version=version,
        author=actor.user,
        author_name=_name(actor),
        text=text,
        lane=note.lane,
        starts_at=note.starts_at,
        ends_at=note.ends_at,
        # All parties the author may know, by name: a later party does not read old notes.
        audience=sorted(recipients),
        answers=note.answers,
        mentioned_parties=list(mentions.parties),
        mentioned_people=list(mentions.people),
        created_at=now,
    )


def _recipients(*, known: Mapping[str, int], audience: Audience) -> frozenset[int]:
    unknown = sorted(set(audience.organizations) - set(known))
    if unknown:
        raise AudienceUnknown(f"no party of this incident: {', '.join(unknown)}")
    named = known if audience.all_parties else audience.organizations
    return frozenset(known[slug] for slug in named)


def _of_thread(
    recipients: frozenset[int],
    readers: frozenset[int],
    known: Mapping[str, int],
    audience: Audience,
) -> frozenset[int]:
    """Return the recipients of a reply: all parties are those who read what it answers."""
    beyond = sorted(slug for slug in audience.organizations if known[slug] not in readers)
    if beyond:
        raise AudienceUnknown(f"reads not what this answers: {', '.join(beyond)}")
    return recipients & readers


def _count(*, actor: Actor, incident: Incident) -> int:
    own = Annotation.objects.for_organization(actor.organization)
    return own.filter(incident=incident, version=1).count()


def _narrow_former(row: Annotation) -> None:
    # Who left the audience reads no version any more; who joined it reads the new one only. Who
    # left the cluster keeps what it read, unless somebody who stayed was left out, too.
    cluster_id = row.incident.cluster_id
    present = frozenset(parties_of(cluster_id=cluster_id)) if cluster_id else frozenset[int]()
    for version in _versions(row).filter(version__lt=row.version):
        former, wanted = frozenset(version.audience), frozenset(row.audience)
        is_narrowed = bool((former & present) - wanted)
        kept = former & wanted if is_narrowed else (former & wanted) | (former - present)
        if kept != former:
            version.audience = sorted(kept)
            version.save(update_fields=["audience"])


def _wake(row: Annotation) -> None:
    """Let those hear of it soon who tell the mentioned."""
    own = {row.organization_id} if row.mentioned_people else set()
    ids = {*row.mentioned_parties, *own}
    transaction.on_commit(partial(subscribers.tell, organization_ids=ids))


def _versions(row: Annotation) -> OwnedQuerySet[Annotation]:
    own = Annotation.objects.for_organization(row.organization_id)
    return own.filter(public_id=row.public_id)


def _is_newest(row: Annotation) -> bool:
    stored = Annotation.objects.for_organization(row.organization_id).filter(
        public_id=row.public_id, version=row.version
    )
    return stored.filter(text=row.text, created_at=row.created_at).exists()


def _name(actor: Actor) -> str:
    if actor.user is not None:
        return actor.user.get_full_name() or actor.user.get_username()
    return actor.token.name if actor.token else ""
