"""What forms of requests send, read; and who sends it."""

from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from apps.diagnosis.input_values import in_bounds
from apps.incidents.evidence_requests.request_terms import BadRequestTerms


def sent_time(field: str, text: str) -> datetime | None:
    """Return what a time field holds, as UTC, None where it is empty. Raises BadRequestTerms."""
    if not text.strip():
        return None
    try:
        parsed = parse_datetime(text.strip())
    except ValueError:
        parsed = None
    at = in_bounds(parsed.replace(tzinfo=UTC)) if parsed else None
    if at is None:
        raise BadRequestTerms(field, _("no time such as 2026-11-22 14:03:05"))
    return at
