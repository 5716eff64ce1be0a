"""What the parties of a report say of it, in words."""

from dataclasses import dataclass

from apps.reliability.models import ReportStance
from apps.reliability.reports.forms import words
from apps.reliability.reports.forms.cell_text import Moment, Translate, file_moment
from apps.reliability.reports.report_values import PartySignature, ReportHead, ReportView


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureText:
    """One party's word."""

    party: str
    stance: str  # in words
    is_settled: bool
    is_signed: bool
    reason: str
    signed_at: str  # empty: it said nothing yet
    signer: str  # of one's own organization alone


def issuer_text(report: ReportHead, translate: Translate) -> str:
    """Return who issued a report, as far as its reader may know that."""
    return report.issuer.name if report.issuer else translate(words.OTHER_TENANT)


def signature_texts(
    report: ReportView, translate: Translate, *, moment: Moment = file_moment
) -> tuple[SignatureText, ...]:
    """Return who said what of a report, then who said nothing yet."""
    said = (_said(each, translate, moment) for each in report.signatures)
    silent = (_silent(each.name, translate) for each in report.unsigned)
    return (*said, *silent)


def _said(told: PartySignature, translate: Translate, moment: Moment) -> SignatureText:
    return SignatureText(
        party=told.party.name if told.party else translate(words.OTHER_TENANT),
        stance=translate(words.STANCES[told.stance]),
        is_settled=told.stance == ReportStance.SETTLED,
        is_signed=True,
        reason=told.reason,
        signed_at=moment(told.signed_at),
        signer=told.signer_name,
    )


def _silent(party: str, translate: Translate) -> SignatureText:
    return SignatureText(
        party=party,
        stance=translate(words.NOT_SIGNED),
        is_settled=False,
        is_signed=False,
        reason="",
        signed_at="",
        signer="",
    )
