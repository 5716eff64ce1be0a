"""Documents → proposals: of what differs from what holds, and of nothing else."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from apps.fleet.parties.cross_party_acts import ActContext
from apps.sharing.agreement_acts import NotNow, Proposal
from apps.sharing.documents.agreement_yaml import AgreementDocument
from apps.sharing.documents.diff_text import end_lines, rule_lines
from apps.sharing.documents.terms_diff import changes_between
from apps.sharing.facade.agreements import (
    AgreementView,
    VersionView,
    list_agreements,
    preset_between,
    propose,
)
from apps.sharing.terms import BadTerms, Terms
from apps.tenancy.access import NotFound, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOutcome:
    """What became of one document, in lines; empty lines: it holds already."""

    between: str  # "aurora and northwind in meridian"
    is_proposed: bool
    lines: Sequence[str]


def apply_documents(
    *, documents: Iterable[AgreementDocument], context: ActContext, is_dry: bool
) -> list[DocumentOutcome]:
    """Propose what differs, all or nothing; a dry run leaves no trace. Needs the scope.

    Raises BadTerms, which names the document, and NotFound for who is no admin.
    """
    context.actor.require(Right.MANAGE)
    with transaction.atomic():
        known = {
            (view.cluster.slug, view.other.slug): view
            for view in list_agreements(actor=context.actor, now=context.now)
        }
        outcomes = []
        seen: dict[tuple[str, str], str] = {}
        for document in documents:
            other = _other(document, context)
            key = (document.cluster, other)
            if key in seen:
                raise BadTerms(f"{document.place}: {seen[key]} is about the same two already")
            seen[key] = document.place
            outcomes.append(_apply(document, other, known.get(key), context))
        transaction.set_rollback(is_dry)
    return outcomes


def _other(document: AgreementDocument, context: ActContext) -> str:
    own = context.actor.organization.slug
    if own not in document.between:
        raise BadTerms(f"{document.place}: between: {own} is none of the two; it speaks for itself")
    return next(each for each in document.between if each != own)


def _apply(
    document: AgreementDocument, other: str, view: AgreementView | None, context: ActContext
) -> DocumentOutcome:
    names = f"{context.actor.organization.slug} and {other} in {document.cluster}"
    try:
        terms = _wanted(document, other, context)
        waiting = view.waiting if view else None
        if waiting and _is_same(waiting, terms, document):
            is_ours = view is not None and not view.waits_for_reader
            said = f"v{waiting.number} says so and waits for {other}"
            theirs = f"{other} proposes the same as v{waiting.number}: sign it on the Sharing page"
            return DocumentOutcome(
                between=names, is_proposed=False, lines=[said if is_ours else theirs]
            )
        current = view.current if view else None
        if current and _is_same(current, terms, document):
            return DocumentOutcome(between=names, is_proposed=False, lines=[])
        proposal = Proposal(
            counterpart=other,
            terms=None if document.preset else terms,
            preset=document.preset,
            note=document.note,
            until=document.until,
            former=view.versions[0].number if view else 0,
        )
        propose(actor=context.actor, cluster=document.cluster, proposal=proposal, context=context)
    except BadTerms as error:
        raise BadTerms(f"{document.place}: {error}") from None
    except NotFound:
        words = f"there is no {other} in a cluster {document.cluster} that you take part in"
        raise BadTerms(f"{document.place}: {words}") from None
    except NotNow:
        raise BadTerms(f"{document.place}: the other side moved meanwhile; run it again") from None
    return DocumentOutcome(between=names, is_proposed=True, lines=_lines(document, terms, current))


def _wanted(document: AgreementDocument, other: str, context: ActContext) -> Terms:
    if not document.preset:
        return document.terms or {}
    made = preset_between(
        actor=context.actor, cluster=document.cluster, counterpart=other, preset=document.preset
    )
    if document.terms is not None and changes_between(before=made, after=document.terms):
        words = f"gives is not what {document.preset} makes between them; leave one of the two out"
        raise BadTerms(words)
    return made


def _is_same(version: VersionView, terms: Terms, document: AgreementDocument) -> bool:
    is_same = version.until == document.until and version.note == document.note
    return is_same and not changes_between(before=version.gives, after=terms)


def _lines(document: AgreementDocument, terms: Terms, current: VersionView | None) -> list[str]:
    before = current.gives if current else {}
    lines = rule_lines(before=before, after=terms, sides=document.between)
    lines += end_lines(before=current.until if current else None, after=document.until)
    if current is None and not lines:
        return ["neither side would show anything"]
    if document.note != (current.note if current else ""):
        lines.append("the note would change")
    return lines
