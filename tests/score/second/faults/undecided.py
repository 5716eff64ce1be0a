"""Sessions whose deciding lines are not at hand: an honest answer leaves the question open."""

from collections.abc import Callable, Mapping

from tests.score.second import aftermath
from tests.score.second.draft import SessionDraft
from tests.score.second.launchers import over
from tests.score.second.lines import nccl, torch
from tests.score.second.outcome import Outcome, named


def all_wait(draft: SessionDraft) -> Outcome:
    """Every rank gives up the same collective; nothing says who did not come."""
    aftermath.hang(draft, draft.stops, [], operation="ALLREDUCE")
    return Outcome(status="unknown", hides=True, telling="all time out alike")


def one_silent(draft: SessionDraft) -> Outcome:
    """All ranks of a host are silent while the others give up: its logs are not at hand."""
    host, _ = draft.victim()
    draft.silent_after[host.place] = draft.rig.began - 1
    aftermath.hang(draft, draft.stops, draft.rig.ranks_on(host.place))
    return Outcome(
        answers=named("host", "node-unreachable"),
        status="unknown",
        hides=True,
        telling="a host without logs",
    )


def peer_left(draft: SessionDraft) -> Outcome:
    """Ranks say that a peer closed its connection; the peer's own output is missing."""
    host, rank = draft.victim()
    at = draft.stops
    draft.silent_after[host.place] = draft.rig.began - 1
    number = aftermath.sequence(draft)
    away = draft.others(host.place)[:5]
    for peer in away:
        seen = at + draft.soon(0, 2)
        warned = nccl.closed(draft, seen, peer, rank)
        error = nccl.last_error("remote", warned[-1].split("NCCL WARN ")[1], draft.rig.nccl)
        draft.say(seen, peer, *warned, *torch.failed_async(draft, seen, peer, number, error))
    over(draft, at + 6, away[0], aftermath.ABORTED)
    return Outcome(status="unknown", hides=True, telling="connection closed by a silent peer")


def breaks_off(draft: SessionDraft) -> Outcome:
    """The log breaks off amid steps."""
    draft.ends = draft.stops
    return Outcome(status="unknown", hides=True, end="unknown", telling="ends amid steps")


def exit_code_only(draft: SessionDraft) -> Outcome:
    """A rank ends with code 1 and its own words are lost."""
    _, rank = draft.victim()
    aftermath.crash(draft, draft.stops, rank, [], 1, peers=False)
    return Outcome(
        answers=named("software", "rank-exception"),
        status="unknown",
        hides=True,
        telling="exit code 1 alone",
    )


def aborted_only(draft: SessionDraft) -> Outcome:
    """A rank ends by SIGABRT and its own words are lost."""
    _, rank = draft.victim()
    aftermath.crash(draft, draft.stops, rank, [], aftermath.ABORTED, peers=False)
    return Outcome(status="unknown", hides=True, telling="signal 6 alone")


def old_trouble_only(draft: SessionDraft) -> Outcome:
    """All ranks time out; the only faults in the system logs are days old and were mended."""
    aftermath.hang(draft, draft.stops, [], operation="_ALLGATHER_BASE")
    return Outcome(status="unknown", is_dated=True, telling="old trouble in kernel logs")


FAULTS: Mapping[str, Callable[[SessionDraft], Outcome]] = {
    "open-all-wait": all_wait,
    "open-host-silent": one_silent,
    "open-peer-left": peer_left,
    "open-breaks-off": breaks_off,
    "open-exit-code": exit_code_only,
    "open-aborted": aborted_only,
    "open-old-trouble": old_trouble_only,
}
# What only torch.distributed prints.
OF_TORCH = frozenset({"open-peer-left"})
