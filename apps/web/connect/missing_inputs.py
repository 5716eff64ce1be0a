"""What a good diagnosis still lacks, in words, and where it is added."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.telemetry.status.arrivals import METRICS, TOLD
from apps.telemetry.status.completeness import Completeness, HostCompleteness, SessionCompleteness
from apps.web.connect.ingest_checklist import KINDS
from apps.web.display.instants import in_full

FEW: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """One thing that a diagnosis asks for, and what of it is there."""

    name: str
    state: str  # measured partly absent hidden
    text: str
    detail: str = ""


def lacks(*, found: Completeness) -> tuple[Lack, ...]:
    """Return what is lacking of what this organization holds, then what others hold."""
    rows = [
        *_kernel(found),
        *_sessions(found),
        *_claimed(found),
        *_scheduler(found),
        *_metrics(found),
        *_logs(found),
        *_clocks(found),
        *_inventory(found),
    ]
    return (*rows, *_elsewhere(found))


def _kernel(found: Completeness) -> list[Lack]:
    if "kernel" not in found.held and "kernel" not in found.heard:
        return []
    return [_of_hosts(_("Kernel logs"), found.kernel, is_heard="kernel" in found.heard)]


def _sessions(found: Completeness) -> list[Lack]:
    if "session" not in found.held and "session" not in found.heard:
        return []
    name, sessions = _("Logs of sessions"), found.sessions
    if not sessions.count:
        return [_lack(name, "absent", _("no session in the last two weeks"))]
    count, silent = sessions.count, sessions.without_log
    text = _("%(n)s of %(all)s sessions of the last two weeks have a log") % {
        "n": count - len(silent),
        "all": count,
    }
    detail = _("Nothing was printed here by %(names)s.") % {"names": _named(silent)}
    state = "measured" if not silent else "absent" if len(silent) == count else "partly"
    rows = [_lack(name, state, text, detail if silent else "")]
    if found.session_hosts.never and "session" in found.heard:
        rows.append(_of_hosts(_("Hosts of sessions"), found.session_hosts, is_heard=True))
    return rows


def _claimed(found: Completeness) -> list[Lack]:
    count = found.sessions.claimed_hosts
    if not count:
        return []
    text = ngettext(
        "of %(n)s start only its tenant says where it ran",
        "of %(n)s starts only their tenants say where they ran",
        count,
    ) % {"n": count}
    detail = _(
        "What other parties know of these hosts does not join them. The scheduler's report with "
        "`hosts` confirms it, or the operator does under Settings, Clusters."
    )
    return [_lack(_("Hosts of sessions"), "partly", text, detail)]


def _scheduler(found: Completeness) -> list[Lack]:
    refused = _refused(found)
    if TOLD not in found.held and not found.sessions.told and not refused:
        return []
    name, sessions = _("Starts and ends of sessions"), found.sessions
    if not sessions.told:
        text = _("no scheduler told of any session")
        detail = _("Without it nobody knows the hosts of a session before they print, or its end.")
        return [_lack(name, "absent", text, " ".join((detail, *refused)))]
    text = ngettext(
        "%(n)s start told in the last two weeks",
        "%(n)s starts told in the last two weeks",
        sessions.told,
    ) % {"n": sessions.told}
    gaps = [*_untold(sessions), *refused]
    return [_lack(name, "partly" if gaps else "measured", text, " ".join(gaps))]


def _untold(sessions: SessionCompleteness) -> list[str]:
    hosts, ends = sessions.without_hosts, sessions.without_end
    without_hosts = ngettext(
        "%(n)s start was told without its hosts.",
        "%(n)s starts were told without their hosts.",
        hosts,
    )
    without_end = ngettext(
        "%(n)s session never ended as far as was told.",
        "%(n)s sessions never ended as far as was told.",
        ends,
    )
    pairs = ((hosts, without_hosts), (ends, without_end))
    return [text % {"n": count} for count, text in pairs if count]


def _refused(found: Completeness) -> list[str]:
    refused = found.refused
    if refused is None:
        return []
    text = ngettext(
        "%(n)s event was refused lately, the last on %(at)s: %(why)s",
        "%(n)s events were refused lately, the last on %(at)s: %(why)s",
        refused.count,
    )
    return [text % {"n": refused.count, "at": f"{in_full(refused.at)} UTC", "why": refused.why}]


def _metrics(found: Completeness) -> list[Lack]:
    if METRICS not in found.held and not found.source_count:
        return []
    if not found.source_count:
        detail = _("Without them throttling, counters and silent exporters stay unseen.")
        return [_lack(_("Metrics"), "absent", _("no source"), detail)]
    text = _("%(n)s of %(all)s sources answer") % {
        "n": found.fresh_source_count,
        "all": found.source_count,
    }
    detail = _("What they can tell, and what not, stands on the page of sources.")
    is_whole = found.fresh_source_count == found.source_count
    return [_lack(_("Metrics"), "measured" if is_whole else "partly", text, detail)]


def _logs(found: Completeness) -> list[Lack]:
    wanted = [kind for kind in ("fabric", "storage") if kind in found.held]
    return [
        _lack(
            str(KINDS[kind]),
            "measured" if kind in found.heard else "absent",
            _("they come") if kind in found.heard else _("never a line"),
        )
        for kind in wanted
    ]


def _clocks(found: Completeness) -> list[Lack]:
    rows = []
    if found.ahead:
        text = _("ahead by more than five minutes on %(hosts)s") % {"hosts": _named(found.ahead)}
        detail = _("What they print is kept and marked; set their clocks.")
        rows.append(_lack(_("Clocks"), "partly", text, detail))
    if found.without_zone:
        text = _("no zone in the times of %(hosts)s") % {"hosts": _named(found.without_zone)}
        detail = _("Add the label tz, like tz=Asia/Seoul; until then the zone is estimated.")
        rows.append(_lack(_("Time zones"), "partly", text, detail))
    return rows


def _inventory(found: Completeness) -> list[Lack]:
    if "inventory" not in found.held:
        return []
    if not found.node_count:
        detail = _("Hosts are known only once they were heard: a silent one can't be missed.")
        return [_lack(_("Inventory"), "absent", _("no host was told of"), detail)]
    text = ngettext("%(n)s host", "%(n)s hosts", found.node_count) % {"n": found.node_count}
    return [_lack(_("Inventory"), "measured", text)]


def _elsewhere(found: Completeness) -> list[Lack]:
    """Return what a diagnosis asks for and another party of the cluster holds."""
    operator = _("the operator's to send") if "operator" in found.parts else _("nobody here has it")
    others = (
        ("kernel", operator),
        ("session", _("the tenant's to send")),
        (TOLD, _("the platform's to send") if "platform" in found.parts else operator),
        (METRICS, operator),
    )
    is_here = {*found.held, *found.heard}
    is_here |= {TOLD} if found.sessions.told else set()
    is_here |= {METRICS} if found.source_count else set()
    return [_lack(str(KINDS[kind]), "hidden", text) for kind, text in others if kind not in is_here]


def _of_hosts(name: str, hosts: HostCompleteness, *, is_heard: bool) -> Lack:
    if not hosts.expected:
        text = _("they come") if is_heard else _("never a line")
        detail = _("Nobody told which hosts there are: one that never sent can't be missed.")
        return _lack(name, "partly" if is_heard else "absent", text, detail)
    text = _("%(n)s of %(all)s hosts") % {"n": hosts.heard, "all": hosts.expected}
    told = []
    if hosts.never:
        told.append(_("Never a line from %(hosts)s.") % {"hosts": _named(hosts.never)})
    if hosts.quiet:
        quiet = _("Quiet for a day, which a healthy host may be: %(hosts)s.")
        told.append(quiet % {"hosts": _named(hosts.quiet)})
    state = "measured" if not hosts.never else "partly" if hosts.heard else "absent"
    return _lack(name, state, text, " ".join(told))


def _lack(name: str, state: str, text: str, detail: str = "") -> Lack:
    return Lack(name=name, state=state, text=text, detail=detail)


def _named(names: Sequence[str]) -> str:
    shown = [name or _("lines without a host") for name in names[:FEW]]
    if len(names) > FEW:
        shown.append(_("%(n)s more") % {"n": len(names) - FEW})
    return ", ".join(shown)
