"""Answers as both sides read them, each checked against its request and its holder's keys.

Needs the scope of the reader. What the asker reads stands in the holder's ledger before it leaves.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.diagnosis.model import Statement, statement_of
from apps.incidents.evidence_requests.answers.values import CheckOutcome
from apps.incidents.models import EvidenceRequest
from apps.sharing.ledger.entries import Ground, Look, write_looks
from apps.sharing.ledger_kinds import GroundKind, LedgerChannel
from apps.sharing.models import SignedAnswer
from apps.sharing.signing.answer_file import file_of, is_signed
from apps.sharing.terms import Level
from apps.tenancy.access import Actor, NotFound

ANSWER = "answer"  # family of the ledger: what was stated, not shown


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFinding:
    """What a rule found, as it was signed."""

    rule: str
    outcome: CheckOutcome
    told: Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class AttestedAnswer:
    """What a holder stated, under which key, and whether that is what it signed."""

    public_id: str
    at: datetime
    by: str  # empty to the other side's readers: the signature is the organization's
    fingerprint: str
    is_good: bool
    findings: tuple[StatedFinding, ...]  # none where it is not good


def answers_to(
    *,
    actor: Actor,
    requests: Sequence[EvidenceRequest],
    channel: LedgerChannel | None,
    now: datetime,
) -> Mapping[int, AttestedAnswer]:
    """Return request id → what its holder stated; without a channel nothing of others' is read.

    Raises LedgerUnavailable.
    """
    rows = _rows(requests)
    own = actor.organization.pk
    shown = [
        (request, rows[request.public_id])
        for request in requests
        if request.public_id in rows and (request.counterpart_id == own or channel is not None)
    ]
    if channel is not None:
        looks = [_look(request, row) for request, row in shown if request.counterpart_id != own]
        write_looks(actor=actor, channel=channel, looks=looks, now=now)
    return {request.pk: _answer(request, row, own) for request, row in shown}


def answer_file(
    *, actor: Actor, request: EvidenceRequest, channel: LedgerChannel, now: datetime
) -> bytes:
    """Return the file of an answer. Raises NotFound where there is none, LedgerUnavailable."""
    row = _rows([request]).get(request.public_id)
    if row is None or not _is_good(request, row):
        raise NotFound
    if request.counterpart_id != actor.organization.pk:
        write_looks(actor=actor, channel=channel, looks=[_look(request, row)], now=now)
    return file_of(
        document=bytes(row.document),
        signature=bytes(row.signature),
        public_key=bytes(row.key.public_key),
    )


def _rows(requests: Collection[EvidenceRequest]) -> dict[str, SignedAnswer]:
    """Return request → what whoever was asked signed; what anybody else wrote is none."""
    holders = {each.public_id: each.counterpart_id for each in requests}
    if not holders:
        return {}
    rows = SignedAnswer.objects.filter(request__in=holders).select_related("key")
    return {row.request: row for row in rows if row.organization_id == holders[row.request]}


def _is_good(request: EvidenceRequest, row: SignedAnswer) -> bool:
    """Say whether it is what its holder signed, for this asker and this request."""
    document = bytes(row.document)
    if row.key.organization_id != row.organization_id:
        return False
    if not is_signed(
        document, signature=bytes(row.signature), public_key=bytes(row.key.public_key)
    ):
        return False
    told = json.loads(document)
    return (told["id"], told["request"], told["key"], told["holder"]["slug"]) == (
        row.public_id, request.public_id, row.key.fingerprint, request.counterpart.slug,
    ) and told["asker"]["slug"] == request.organization.slug  # fmt: skip


def _answer(request: EvidenceRequest, row: SignedAnswer, reader_id: int) -> AttestedAnswer:
    is_good = _is_good(request, row)
    told: dict[str, Any] = json.loads(bytes(row.document)) if is_good else {"findings": []}
    return AttestedAnswer(
        public_id=row.public_id,
        at=row.made_at,
        by=row.made_by if row.organization_id == reader_id else "",
        fingerprint=row.key.fingerprint,
        is_good=is_good,
        findings=tuple(
            StatedFinding(
                rule=each["rule"],
                outcome=CheckOutcome(each["outcome"]),
                told=statement_of(each["statement"]),
            )
            for each in told["findings"]
        ),
    )


def _look(request: EvidenceRequest, row: SignedAnswer) -> Look:
    return Look(
        holder_id=row.organization_id,
        ground=Ground(kind=GroundKind.REQUEST, public_id=request.public_id, version=1),
        subject=request.incident.public_id,
        counts=Counter({(f"{ANSWER}:{request.data}", str(Level.FULL)): 1}),
        digest=hashlib.sha256(bytes(row.document)).digest(),
    )
