"""Xid and SXid codes that were noticed where no cause is known: what the vendor's table says of
each, as typed values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.diagnosis.cited_facts import fact_json, moment_fact
from apps.diagnosis.model import Diagnosis, Moment, Role, Severity, VerdictStatus
from apps.diagnosis.signatures.xid_tables import (
    UNKNOWN_SXID,
    UNKNOWN_XID,
    XidCode,
    sxid_codes,
    xid_codes,
)

# As a line's own word says it, which goes before the table.
SAID_FATAL: Final = "fatal"
SAID_MINOR: Final = frozenset({"nonfatal", "non-fatal"})
# What the table leaves to the line, which may not be there to be read.
LEFT_TO_THE_LINE: Final = frozenset({"by-unit", "as-told"})
AS_THE_LINE_SAYS: Final = "as-the-line-says"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticedCode:
    """A code of the driver, and what its vendor's table says of it."""

    kind: str  # xid, sxid
    code: int
    name: str  # what it means, in English; empty where the table lacks the code
    severity: Severity
    advice: str  # the vendor's: reset-gpu, ignore, contact-support …
    stops_job: bool | None  # what it does to programs that use the part; None: it may end them
    device: Mapping[str, Any] | None  # as a cited fact names the part
    host: str | None


def noticed_code(*, fact: Mapping[str, Any]) -> NoticedCode | None:
    """Return the code of a cited fact, as `fact_json` has it; None where it has none."""
    codes, fields = fact.get("code") or {}, fact.get("fields") or {}
    kind = "sxid" if "sxid" in codes else "xid"
    number = codes.get(kind)
    if not isinstance(number, int):
        return None
    known = _known(kind, number)
    severity = _severity(known, str(fields.get("sev", "")).lower())
    advice = str(fields.get("action") or known.action)
    return NoticedCode(
        kind=kind,
        code=number,
        name=known.means,
        severity=severity,
        advice=AS_THE_LINE_SAYS if advice in LEFT_TO_THE_LINE else advice,
        stops_job=_stops(known, severity),
        device=fact.get("device"),
        host=fact.get("host"),
    )


def noticed_in(*, diagnosis: Diagnosis) -> Iterator[tuple[Moment, NoticedCode]]:
    """Yield the codes of a diagnosis that knows no cause, each with the moment that tells it."""
    if diagnosis.verdict.status is not VerdictStatus.UNKNOWN:
        return
    for moment in diagnosis.timeline:
        code = noticed_code(fact=fact_json(fact=moment_fact(moment=moment)))
        if code is not None:
            yield moment, code


def _known(kind: str, number: int) -> XidCode:
    if kind == "sxid":
        return sxid_codes().get(number, UNKNOWN_SXID)
    return xid_codes().get(number, UNKNOWN_XID)


def _severity(known: XidCode, said: str) -> Severity:
    if said == SAID_FATAL:
        return Severity.FATAL
    return Severity.WARN if said in SAID_MINOR else known.severity


def _stops(known: XidCode, severity: Severity) -> bool | None:
    if severity is Severity.FATAL:
        return True
    is_minor = severity in {Severity.INFO, Severity.WARN}
    return False if is_minor and known.role is Role.CONTEXT else None
