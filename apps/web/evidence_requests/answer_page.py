"""What a holder could state in answer to a request, as its admin reads it before it goes."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from apps.incidents.evidence_requests.answers.answers import AnswerPreview, digest_of
from apps.incidents.evidence_requests.answers.values import CheckOutcome
from apps.incidents.evidence_requests.request_views import EvidenceRequestView
from apps.web.display.data_classes import data_name
from apps.web.incident.evidence_requests.request_rows import field_time
from apps.wording import headline

OUTCOMES: Mapping[CheckOutcome, Promise] = {
    CheckOutcome.HOLDS: gettext_lazy("clear"),
    CheckOutcome.PARTLY: gettext_lazy("clear as far as kept"),
    CheckOutcome.FAILS: gettext_lazy("found"),
    CheckOutcome.UNKNOWN: gettext_lazy("not known"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRow:
    """One sentence that can go, as it would be signed."""

    value: str  # what the form sends: its rule, and the digest of what was read
    text: str
    outcome: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPage:
    """The sentences, of which window and hosts they are, and for whom."""

    id: str
    incident: str
    asker: str
    data: str
    reason: str
    hosts: tuple[str, ...]
    rows: tuple[StatementRow, ...]
    starts_at: str
    ends_at: str
    earliest: str
    latest: str


def answer_page(view: EvidenceRequestView, found: AnswerPreview) -> AnswerPage:
    """Return what the page shows."""
    return AnswerPage(
        id=view.public_id,
        incident=view.incident,
        asker=view.asker.name,
        data=data_name(view.data),
        reason=view.reason,
        hosts=found.hosts,
        rows=tuple(
            StatementRow(
                value=f"{each.check.name}.{digest_of(each)}",
                text=headline(each.told),
                outcome=str(OUTCOMES[each.outcome]),
                tone=str(each.outcome),
            )
            for each in found.findings
        ),
        starts_at=field_time(found.starts_at),
        ends_at=field_time(found.ends_at),
        earliest=field_time(view.starts_at),
        latest=field_time(view.ends_at),
    )
