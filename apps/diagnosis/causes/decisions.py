"""What is said of an incident by what was concluded of it: one table, `decisions.toml`, read here.

Whoever says whether to restart, whom to leave out or how a session ended asks this module.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from apps.diagnosis.causes.decision_rows import Answer, Title, first
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import (
    Device,
    Diagnosis,
    EndState,
    Evidence,
    Restart,
    Verdict,
    VerdictStatus,
)

Blamed = Literal["node", "program", "shared", "nobody", "hidden"]
# Where the cause that is as likely would lie: "" where there is none, or on nothing to leave out.
Beside = Literal["", "node", "somewhere"]
# What is called the culprit, by what leaving out hosts can do about it.
OF_CODE = frozenset({"program", "rank"})
# A process fails of what its host has, as memory, or of what somebody did to it.
OF_PROGRAMS = OF_CODE | {"process"}
OF_NO_HOST = frozenset({"server", "mount", "switch"})
# A path that one host alone misses is on that host.
NEVER_OF_A_HOST = frozenset({"server", "switch"})
ENDED_WELL = "finished"
MOST_EXCLUDED_SHARE = 0.34


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcludedIncident:
    """What was concluded of an incident, as far as one reader knows it."""

    kind: str  # stop slow shared degraded, open where nothing says that it stopped
    status: str
    cause: str
    end_state: str
    advice: str
    blamed: Blamed
    beside: Beside = ""


def title_of(*, kind: str, end_state: str) -> Title:
    """Return the head of a title; an incident of an unknown kind is called a stop."""
    found: Title = first("title", {"kind": kind, "end_state": end_state})
    return found


def answer_of(*, concluded: ConcludedIncident) -> Answer:
    """Return whether to start again and whom to leave out."""
    known = load_causes().get(concluded.cause)
    facts = {
        "situation": situation_of(concluded=concluded),
        "advice": concluded.advice,
        "usual": known.restart if known else concluded.advice,
        "blamed": concluded.blamed,
        "beside": concluded.beside,
        "status": concluded.status,
        "end_state": concluded.end_state,
        "cause": concluded.cause,
    }
    found: Answer = first("restart", facts)
    return found


def situation_of(*, concluded: ConcludedIncident) -> str:
    """Return what the advice is for: what broke, what was slow, what finished all the same."""
    if concluded.status == VerdictStatus.NO_FAILURE:
        return "quiet"
    if concluded.end_state == ENDED_WELL:
        return "finished"
    if concluded.kind == "open" and concluded.end_state == EndState.RUNNING:
        return "open"
    is_going_on = concluded.kind == "shared" and concluded.end_state == EndState.RUNNING
    is_beside = concluded.kind in {"slow", "degraded"}  # it went on, or came to its end by itself
    return "slow" if is_beside or is_going_on else "over"


def blamed_of(*, cause: str, parts: Iterable[tuple[str, str | None]] | None) -> Blamed:
    """Return what kind of culprit it is; `parts` are kind and host of each, None where hidden."""
    known = load_causes().get(cause)
    usual = known.culprit if known else "node"
    if usual in OF_CODE:
        return "program"
    if parts is None:
        return "hidden"
    named = tuple(parts)
    if any(host and kind not in NEVER_OF_A_HOST for kind, host in named):
        return "node"
    # A part that is named without a host is no host's; one that may be on some host is open.
    is_shared = usual in NEVER_OF_A_HOST or any(kind in OF_NO_HOST for kind, _ in named)
    return "shared" if usual in OF_NO_HOST and is_shared else "nobody"


def beside_of(
    *,
    rival: str,
    hosts: Iterable[str] | None,
    cause: str,
    parts: Iterable[tuple[str, str | None]] | None,
) -> Beside:
    """Return where the cause that is as likely lies: `hosts` are its own, None where hidden;
    `cause` and `parts` are what is answered.
    """
    known = load_causes().get(rival)
    if known is None or known.culprit in OF_PROGRAMS | OF_NO_HOST:
        return ""
    if not hosts or parts is None:
        return "somewhere"
    answered = tuple(parts)
    # A program's host is not at fault for what the program did.
    is_on_nodes = blamed_of(cause=cause, parts=answered) == "node"
    faulty = {host for _, host in answered} if is_on_nodes else set()
    return "node" if set(hosts) - faulty else ""


def advice_by_cause(*, advice: str, cause: str) -> str:
    """Return the advice as far as it follows from the cause alone: `fix-first` may tell that hosts
    are unknown or too many, which is not for who may not know them.
    """
    known = load_causes().get(cause)
    is_placed = known is not None and known.restart == "restart-without"
    return "restart-without" if is_placed and advice == "fix-first" else advice


def concluded_of(*, diagnosis: Diagnosis) -> ConcludedIncident:
    """Return what a diagnosis concluded, for who reads all of it."""
    verdict = diagnosis.verdict
    parts = [(one.kind, one.host) for one in verdict.culprits]
    return ConcludedIncident(
        kind=_kind_of(diagnosis),
        status=verdict.status.value,
        cause=verdict.cause,
        end_state=diagnosis.end_state.value,
        advice=diagnosis.restart.advice,
        blamed=blamed_of(cause=verdict.cause, parts=parts),
        beside=beside_of(
            rival=next((one.rival for one in diagnosis.actions if one.rival), ""),
            hosts=rival_hosts(diagnosis=diagnosis),
            cause=verdict.cause,
            parts=parts,
        ),
    )


def _kind_of(diagnosis: Diagnosis) -> str:
    if diagnosis.lived_loss and diagnosis.end_state in {EndState.RUNNING, EndState.UNKNOWN}:
        return "degraded"
    # Its launcher began anew, and that attempt makes steps.
    newest = max(diagnosis.attempts, key=lambda one: one.number, default=None)
    if newest and not newest.is_answer and newest.end_state is EndState.RUNNING:
        return "degraded"
    return "open" if diagnosis.last_step else "stop"


def rival_hosts(*, diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the hosts of the cause that is as likely as the one answered."""
    return next((one.hosts for one in diagnosis.actions if one.rival), ())


def hosts_of(culprits: Iterable[Device]) -> tuple[str, ...]:
    """Return the hosts of blamed parts, each once."""
    return tuple(sorted({one.host for one in culprits if one.host}))


def restart_of(
    *, verdict: Verdict, host_count: int, told: Sequence[Evidence] = (), is_back: bool = False
) -> Restart:
    """Return the published advice: whether to start again, and which hosts to leave out.

    `told` is what speaks for the cause, the most first; `is_back`: all that the verdict blames was
    heard to work again.
    """
    if verdict.status is VerdictStatus.NO_FAILURE:
        return Restart(advice="restart")
    if verdict.status is VerdictStatus.UNKNOWN:
        return Restart(advice="unknown")
    cause = load_causes()[verdict.cause]
    advice = cause.restart_by.get(told[0].family if told else "", cause.restart)
    hosts = hosts_of(verdict.culprits)
    if advice != "restart-without":
        return Restart(advice="restart" if advice == "wait" and is_back else advice)
    if not hosts or (host_count > 2 and len(hosts) > host_count * MOST_EXCLUDED_SHARE):
        return Restart(advice="fix-first")
    return Restart(advice=advice, exclude_hosts=hosts)
