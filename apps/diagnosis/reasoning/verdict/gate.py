"""Step 9: how sure the answer may sound, and when to say that nobody can know from this."""

from collections.abc import Sequence
from dataclasses import replace

from apps.diagnosis.causes.load import load_calibration
from apps.diagnosis.model import (
    EndState,
    Evidence,
    Hypothesis,
    Layer,
    Mark,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.observed import LONG_AGO, SILENT_PEER, UNTIED
from apps.diagnosis.odds import LIKELY, POSSIBLE
from apps.diagnosis.signatures.marks import marked

GUESSED = marked(Mark.GUESSED)

# Two strong causes share the probability between them; the first of them may still be named.
POSSIBLE_BESIDE_ANOTHER = 0.40
STRONG = 5.5
# What weighs less beside generic text makes nobody sure.
LEAST_INDEPENDENT = 2.5
SHARED = frozenset({"server", "mount", "switch"})
ORDERLY = frozenset({EndState.WALLTIME, EndState.CANCELLED, EndState.PREEMPTED, EndState.FINISHED})
# An orderly end hides a failure only behind words as strong as this; a measured fault that the
# session lived through is no failure, nor one that nobody can say was in its time.
CONTRADICTS = 6.0


def verdict(
    *,
    hypotheses: Sequence[Hypothesis],
    end_state: EndState,
    unread_hosts: frozenset[str],
    is_failure_told: bool,
    suspects: frozenset[str] = frozenset(),
) -> Verdict:
    """Return the answer. `unread_hosts` stopped first and their kernel logs are missing while
    others' are there.
    """
    best = hypotheses[0] if hypotheses else None
    if end_state in ORDERLY and not (is_failure_told and _contradicts(hypotheses)):
        return _no_failure(end_state)
    if end_state is EndState.RUNNING and not is_failure_told:
        return _no_failure(EndState.FINISHED)
    if best is None or _is_blind(best, unread_hosts, suspects):
        return _unknown()
    status = status_of(best)
    if status is VerdictStatus.UNKNOWN or best.layer is Layer.UNKNOWN:
        return _unknown()
    return Verdict(
        status=status,
        layer=best.layer,
        cause=best.cause,
        probability=best.probability,
        cause_probability=best.cause_probability,
        culprits=best.culprits,
    )


def status_of(best: Hypothesis) -> VerdictStatus:
    """Return how sure the answer may sound whose first explanation this is."""
    independent = [
        one
        for one in best.supporting
        if not one.is_generic and one.strength >= LEAST_INDEPENDENT and not _is_guess(one)
    ]
    strongest = max((one.strength for one in best.supporting), default=0.0)
    if best.probability >= LIKELY and independent and _is_dated(best):
        return VerdictStatus.LIKELY
    if best.probability >= POSSIBLE:
        return VerdictStatus.POSSIBLE
    if best.probability >= POSSIBLE_BESIDE_ANOTHER and strongest >= STRONG:
        return VerdictStatus.POSSIBLE
    return VerdictStatus.UNKNOWN


def _is_guess(one: Evidence) -> bool:
    return one.event is not None and one.event.signature in GUESSED


def _is_dated(one: Hypothesis) -> bool:
    """Say whether nothing tells that it may have been long before."""
    return all(each.family != LONG_AGO for each in one.opposing)


def _is_tied(one: Hypothesis) -> bool:
    """Say whether it is known to have been in the session's time."""
    return all(each.family not in {LONG_AGO, UNTIED} for each in one.opposing)


def _is_blind(best: Hypothesis, unread_hosts: frozenset[str], suspects: frozenset[str]) -> bool:
    """Say whether the evidence lies on other hosts than those that stopped first, one of which
    can't be read.
    """
    if not unread_hosts:
        return False
    weighed = [one for one in best.supporting if one.strength > 0]
    # Where only NCCL speaks, it matters whom it speaks of.
    placed = [one for one in weighed if not one.is_generic] or weighed
    # What several hosts miss alike is not about the host that nobody can read.
    is_shared = bool(best.culprits) and all(one.kind in SHARED for one in best.culprits)
    if is_shared and len({one.host for one in placed if one.host}) > 1:
        return False
    # Who missed a peer, too, is an end of the connection as much as who was missed.
    ends = {one.host for one in best.supporting if one.host and _misses_peer(one)}
    return all(_is_off(one, unread_hosts | suspects | ends) for one in placed)


def _misses_peer(one: Evidence) -> bool:
    return one.event is not None and one.event.fields.get("wc_status") in SILENT_PEER


def _is_off(one: Evidence, unread_hosts: frozenset[str]) -> bool:
    return one.host is not None and one.host not in unread_hosts


def _contradicts(hypotheses: Sequence[Hypothesis]) -> bool:
    return any(
        one.strength >= CONTRADICTS and not one.is_generic and one.anomaly is None
        for hypothesis in hypotheses
        if hypothesis.cause not in {"process-killed", "benign"} and _is_tied(hypothesis)
        for one in hypothesis.supporting
    )


def beside_no_failure(
    *, hypotheses: Sequence[Hypothesis], verdict: Verdict
) -> tuple[Hypothesis, ...]:
    """Return the hypotheses of what nothing broke in: each no surer than that something did."""
    rest = 1 - verdict.probability
    return tuple(
        one
        if one.cause == verdict.cause
        else replace(
            one,
            probability=round(one.probability * rest, 3),
            cause_probability=round(one.cause_probability * rest, 3),
            ruled_out_because=one.ruled_out_because or statement("ended-in-order"),
        )
        for one in hypotheses
    )


def _no_failure(end_state: EndState) -> Verdict:
    is_ended_by_others = end_state is not EndState.FINISHED
    return Verdict(
        status=VerdictStatus.NO_FAILURE,
        layer=Layer.HOST if is_ended_by_others else Layer.UNKNOWN,
        cause="process-killed" if is_ended_by_others else "benign",
        probability=0.9,
        cause_probability=0.9,
    )


def _unknown() -> Verdict:
    """Return the open question, as likely as such answers stay open for everybody."""
    share = load_calibration().open_share
    return Verdict(
        status=VerdictStatus.UNKNOWN,
        layer=Layer.UNKNOWN,
        cause="unknown",
        probability=share,
        cause_probability=share,
    )
