"""The verdict in words: what broke, who stopped first, whether to start again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.diagnosis.model import CoverageState, VerdictStatus
from apps.diagnosis.odds import LIKELY, odds_text
from apps.incidents import words as naming
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.incidents.projection.values import IncidentView
from apps.web import words
from apps.web.display.authority import hosts_note
from apps.web.display.coverage import CoverageStrip, coverage_strip
from apps.web.display.layers import LayerMark, layer_mark
from apps.web.display.probability import Probability, probability
from apps.wording.names import PHASES

SESSION_LOG = "session-log"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictStrip:
    """Layer, cause, culprit, probability and coverage in one row."""

    layer: LayerMark
    phase: str
    cause: str
    cause_slug: str
    culprit: str
    culprit_detail: str
    cause_odds: str  # empty where the answer is open
    probability: Probability
    probability_note: str  # what the number is of
    coverage: CoverageStrip
    stopped_since: str = ""
    stopped_note: str = ""
    hosts_note: str = ""  # what is missing while where the session ran is only claimed


def lead_of(view: IncidentView) -> str:
    """Return what follows the answer to the restart: what need not change, or what is missing."""
    incident = view.header.incident
    if incident.verdict_status == "possible":
        return _("That is possible, not certain: see what speaks for it, and what is missing.")
    if incident.verdict_status == "unknown":
        return _open_question(view)
    told = naming.cause(incident.cause)
    # Where nobody read the session's log, nobody looked at the program.
    if told.comfort == naming.PROGRAM_IS_FINE and _is_absent(view.header, SESSION_LOG):
        return ""
    return naming.spoken(incident.cause).comfort


def _is_absent(header: IncidentHeader, source: str) -> bool:
    states = {str(each["source"]): str(each["state"]) for each in header.coverage}
    return states.get(source) == CoverageState.ABSENT


def _open_question(view: IncidentView) -> str:
    """Return what would settle it, and who holds that."""
    comfort = naming.spoken(view.header.incident.cause).comfort
    best = next((entry for entry in view.hypotheses if entry.missing), None)
    if best is None:
        return comfort
    missing = best.missing[0]
    hosts = missing.get("hosts") or []
    part = str(missing.get("held_by"))
    holders = [
        _("you") if party.is_reader else party.organization.name
        for party in view.header.asked(part)
    ]
    wanted = words.inside(words.source(str(missing.get("source", ""))))
    if hosts:
        of_hosts = {"source": wanted, "hosts": words.hosts_text(hosts)}
        wanted = _("%(source)s of %(hosts)s") % of_hosts
    told = {"wanted": wanted, "holders": words.either(holders)}
    if not holders:
        return _("The portal does not guess. What would settle it: %(wanted)s.") % told
    if _is_held(view.header, part):
        held = _(
            "The portal does not guess. What would settle it: %(wanted)s, held by %(holders)s."
        )
        return words.one_stop(held % told)
    ask = _("The portal does not guess. What would settle it: %(wanted)s; ask %(holders)s.")
    return words.one_stop(ask % told)


def _is_held(header: IncidentHeader, part: str) -> bool:
    return any(part in party.parts for party in header.parties)


def verdict_strip(header: IncidentHeader) -> VerdictStrip:
    """Return layer, cause, culprit and coverage, as far as the reader may know them."""
    incident = header.incident
    lost, note = _stall(header)
    odds = probability(value=incident.probability, status=incident.verdict_status)
    is_answered = bool(odds.value)
    return VerdictStrip(
        layer=layer_mark(incident.layer),
        phase=words.said(PHASES, incident.phase),
        cause=naming.spoken(incident.cause).name,
        cause_slug=incident.cause,
        culprit=_culprit(header),
        culprit_detail=_culprit_detail(header),
        cause_odds=odds_text(incident.cause_probability) if is_answered else "",
        probability=odds,
        probability_note=_probability_note(incident) if is_answered else "",
        coverage=coverage_strip(header.coverage),
        stopped_since=lost,
        stopped_note=note,
        hosts_note=_hosts_note(header),
    )


def _probability_note(incident: IncidentFacts) -> str:
    """Return what the number is of, or why it is not called likely."""
    if incident.verdict_status == VerdictStatus.POSSIBLE and incident.probability >= LIKELY:
        return _("not called likely: nothing but NCCL's general text speaks for it")
    return _("that the layer is right")


def _hosts_note(header: IncidentHeader) -> str:
    if header.incident.cluster_id is None or not header.rights.sees_session:
        return ""
    return hosts_note(are_claimed=any(each.are_hosts_claimed for each in header.attempts))


def _culprit(header: IncidentHeader) -> str:
    if header.culprits is None:
        return _("Hidden by policy")
    if not header.culprits:
        return _("Nobody named")
    names = naming.culprits(header.culprits)
    return words.sentence_case(names)


def _culprit_detail(header: IncidentHeader) -> str:
    if header.culprits is None:
        return _("your part does not answer for this layer")
    if not header.culprits:
        return _("no part is known to be at fault")
    first = header.culprits[0]
    gpu = first.get("gpu") or {}
    stopped = _first_stopper(header).get("ranks") or []
    parts = [
        _("rank %(n)s") % {"n": first["rank"]} if first.get("rank") not in {None, *stopped} else "",
        str(gpu.get("pci") or ""),
        _stopper(header),
    ]
    return ", ".join(part for part in parts if part)


def _first_stopper(header: IncidentHeader) -> Mapping[str, Any]:
    """Return who stopped first; the ranks of a session are nothing for vendors."""
    return header.first_stopper or {}


def _stopper(header: IncidentHeader) -> str:
    stopper = _first_stopper(header)
    ranks = stopper.get("ranks") or []
    if not ranks:
        return ""
    how = words.said(words.FIRST_STOP, str(stopper.get("by")))
    who = (
        _("rank %(n)s") % {"n": ranks[0]}
        if len(ranks) == 1
        else _("%(n)s ranks") % {"n": len(ranks)}
    )
    return (_("%(who)s stopped first, %(how)s") % {"who": who, "how": how}).rstrip(", ")


def _stall(header: IncidentHeader) -> tuple[str, str]:
    """Return the GPU hours between the break and the end of the attempts, where both are known."""
    broke = header.incident.started_at
    known = [
        (attempt.ended_at - broke, attempt.world_size)
        for attempt in header.attempts
        if broke and attempt.ended_at and attempt.world_size and attempt.ended_at > broke
    ]
    if not known:
        return "", ""
    hours = sum(length.total_seconds() / 3600 * size for length, size in known)
    longest = max(length for length, _ in known)
    ranks = sum(size for _, size in known)
    lasted = {"length": words.duration(longest.total_seconds()), "n": ranks}
    return f"{hours:.1f} GPU-h", _("%(length)s, %(n)s GPUs") % lasted
