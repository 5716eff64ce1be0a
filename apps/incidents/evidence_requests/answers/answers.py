"""Answering a request by a signed statement. Needs the scope of the holder, whose data it is of.

What is signed is computed here, from the holder's rows alone: the holder chooses which rules and
which part of the window, reads every sentence before it goes, and changes none.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from apps.fleet.hosts.host_names import alias_table, resolve
from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.evidence_requests.acts import require_waiting, write_act
from apps.incidents.evidence_requests.answers.answer_document import document_of
from apps.incidents.evidence_requests.answers.findings import find_all
from apps.incidents.evidence_requests.answers.values import CheckFinding, CheckSubject
from apps.incidents.evidence_requests.request_terms import (
    BadRequestTerms,
    GrantEntry,
    GrantTerms,
    granted_terms,
)
from apps.incidents.models import EvidenceRequest
from apps.incidents.projection.access import sessions_of
from apps.incidents.projection.shared.reader_place import own_spans, reader_names
from apps.incidents.projection.view_as.other_party import other_party
from apps.incidents.states import RequestActKind
from apps.sharing.models import SignedAnswer
from apps.sharing.redactor import ReaderNames
from apps.sharing.signing.answer_file import canonical, sign
from apps.sharing.signing.signing_keys import private_key, signing_key
from apps.sharing.terms import Level
from apps.tenancy.access import Actor, Right


class FindingsMoved(Exception):
    """What would be signed is not what was read: there is more data meanwhile. Read it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEntry:
    """Which findings go, each as it was read, and of which part of the window."""

    findings: Mapping[str, str] = field(default_factory=dict)  # rule → digest of what was read
    starts_at: datetime | None = None  # None: as it was asked
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPreview:
    """What the holder would state, before anything leaves."""

    starts_at: datetime
    ends_at: datetime
    hosts: tuple[str, ...]
    findings: tuple[CheckFinding, ...]


def preview(*, actor: Actor, public_id: str, entry: AnswerEntry, now: datetime) -> AnswerPreview:
    """Return what can be stated. Raises NotFound, RequestMoved, BadRequestTerms."""
    actor.require(Right.MANAGE)
    row = require_waiting(actor=actor, public_id=public_id, now=now)
    subject = _subject(actor, row, entry, now)
    return AnswerPreview(
        starts_at=subject.starts_at,
        ends_at=subject.ends_at,
        hosts=subject.hosts,
        findings=find_all(data=row.data, subject=subject),
    )


def answer(*, actor: Actor, public_id: str, entry: AnswerEntry, context: ActContext) -> None:
    """Sign what was read and send it. Raises as `preview` does, and FindingsMoved."""
    actor.require(Right.MANAGE)
    row = require_waiting(actor=actor, public_id=public_id, now=context.now)
    subject = _subject(actor, row, entry, context.now)
    found = {each.check.name: each for each in find_all(data=row.data, subject=subject)}
    if not entry.findings or not entry.findings.keys() <= found.keys():
        raise BadRequestTerms("findings", "choose at least one of those that are offered")
    chosen = [each for name, each in found.items() if name in entry.findings]
    if any(digest_of(each) != entry.findings[each.check.name] for each in chosen):
        raise FindingsMoved
    key = signing_key(organization=actor.organization, by=actor.name, now=context.now)
    named = "ANS-" + secrets.token_hex(6).upper()
    document = canonical(
        document_of(
            public_id=named, request=row, subject=subject, findings=chosen, key=key.fingerprint
        )
    )
    SignedAnswer.objects.create(
        organization=actor.organization,
        counterpart=row.organization,
        key=key,
        public_id=named,
        request=row.public_id,
        document=document,
        signature=sign(document, key=private_key(key=key)),
        made_by=actor.name,
        made_at=context.now,
    )
    write_act(actor=actor, row=row, kind=RequestActKind.ANSWERED, context=context)


def digest_of(found: CheckFinding) -> str:
    """Return what changes when a finding does: what was read is what is signed."""
    told = repr((found.check, found.outcome, found.told, found.count, found.gaps))
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _subject(actor: Actor, row: EvidenceRequest, entry: AnswerEntry, now: datetime) -> CheckSubject:
    asked = GrantTerms(
        level=Level(row.level), starts_at=row.starts_at, ends_at=row.ends_at, until=row.until
    )
    window = granted_terms(
        GrantEntry(starts_at=entry.starts_at, ends_at=entry.ends_at), asked=asked, now=now
    )
    cluster_id = int(row.incident.cluster_id or 0)
    aliases = alias_table(cluster_id=cluster_id, reader_id=actor.organization.pk)
    names = _names(actor, row)
    return CheckSubject(
        holder_id=actor.organization.pk,
        cluster_id=cluster_id,
        incident=row.incident,
        hosts=(row.host,) if row.host else _hosts(row, names),
        knows_all_hosts=names.knows_all_hosts,
        named=lambda name: resolve(name=name, aliases=aliases),
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        now=now,
    )


def _names(actor: Actor, row: EvidenceRequest) -> ReaderNames:
    """Return what the incident names to the asker: no sentence names it another host."""
    incident = row.incident
    other = other_party(actor=actor, incident=incident, slug=row.organization.slug)
    return reader_names(
        incident,
        parts=other.parts,
        sees_culprit=other.rights.sees_culprit and not other.is_of_several,
        sessions=own_spans(incident, row.organization_id),
    )


def _hosts(row: EvidenceRequest, names: ReaderNames) -> tuple[str, ...]:
    hosts = set(names.hosts)
    if names.knows_all_hosts:
        hosts.update(*(each.attempt.hosts for each in sessions_of(incident=row.incident)))
    return tuple(sorted(hosts))
