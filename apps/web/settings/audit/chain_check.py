"""What the check of the record's chain of digests found, in words."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.tenancy.audit.chain import ChainVerification
from apps.web.display.instants import in_full


def checked_text(checked: ChainVerification) -> str:
    """Return what reading on in the chain of digests said."""
    if checked.broken is not None:
        said = _("Entry %(n)s was changed or removed after it was written.")
        return said % {"n": checked.broken}
    more = _("There are more: ask again to read on.") if checked.is_more else ""
    return " ".join(part for part in (_whole(checked), more) if part)


def _whole(checked: ChainVerification) -> str:
    count = checked.until - checked.since
    names = {"n": f"{count:,}", "since": f"{checked.since:,}", "at": _at(checked.since_at)}
    if not checked.since:
        told = ngettext(
            "The one entry is as it was written.",
            "All %(n)s entries are as they were written.",
            count,
        )
        if checked.is_more:
            told = _("The first %(n)s entries are as they were written.")
        return told % names
    if not count:
        told = _("Nothing is new since %(at)s, when all %(since)s entries were proven.")
        return told % names
    told = ngettext(
        "The %(n)s entry since %(at)s is as it was written; the %(since)s before were proven then."
        " manage.py verify reads those again, too.",
        "The %(n)s entries since %(at)s are as they were written; the %(since)s before were proven"
        " then. manage.py verify reads those again, too.",
        count,
    )
    return told % names


def _at(at: datetime | None) -> str:
    return f"{in_full(at)} UTC" if at else ""
