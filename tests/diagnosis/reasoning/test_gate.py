"""How sure an answer may sound, and when nothing broke or nobody can know."""

from dataclasses import replace

import pytest

from apps.diagnosis.model import (
    Device,
    EndState,
    Evidence,
    Hypothesis,
    Layer,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.observed import LONG_AGO, UNTIED
from apps.diagnosis.odds import LIKELY, POSSIBLE
from apps.diagnosis.reasoning.verdict.gate import (
    CONTRADICTS,
    POSSIBLE_BESIDE_ANOTHER,
    STRONG,
    beside_no_failure,
    status_of,
    verdict,
)
from tests.diagnosis.events import event

PIECE = Evidence(
    statement=statement("text", text="x"), weight=2.0, strength=STRONG, family="xid", host="n1"
)
BEST = Hypothesis(
    layer=Layer.GPU,
    cause="gpu-off-bus",
    probability=LIKELY,
    cause_probability=LIKELY,
    supporting=(PIECE,),
    opposing=(),
)
HALF = replace(BEST, probability=POSSIBLE)


@pytest.mark.parametrize(
    ("best", "status"),
    [
        (BEST, VerdictStatus.LIKELY),
        (replace(BEST, supporting=(replace(PIECE, is_generic=True),)), VerdictStatus.POSSIBLE),
        (
            replace(
                BEST, supporting=(replace(PIECE, is_generic=True), replace(PIECE, strength=2.4))
            ),
            VerdictStatus.POSSIBLE,
        ),
        (replace(BEST, opposing=(replace(PIECE, family=LONG_AGO),)), VerdictStatus.POSSIBLE),
        (replace(BEST, opposing=(PIECE,)), VerdictStatus.LIKELY),
        (replace(BEST, probability=LIKELY - 0.01), VerdictStatus.POSSIBLE),
        (HALF, VerdictStatus.POSSIBLE),
        (replace(BEST, probability=POSSIBLE_BESIDE_ANOTHER), VerdictStatus.POSSIBLE),
        (replace(BEST, probability=POSSIBLE_BESIDE_ANOTHER - 0.01), VerdictStatus.UNKNOWN),
        (
            replace(
                BEST,
                probability=POSSIBLE - 0.01,
                supporting=(replace(PIECE, strength=STRONG - 0.1),),
            ),
            VerdictStatus.UNKNOWN,
        ),
    ],
)
def test_an_answer_sounds_as_sure_as_its_odds_and_its_strongest_piece(
    best: Hypothesis, status: VerdictStatus
) -> None:
    assert status_of(best) is status


def _verdict(
    *hypotheses: Hypothesis,
    end_state: EndState = EndState.FAILED,
    unread: str = "",
    suspects: str = "",
    is_failure_told: bool = True,
) -> Verdict:
    return verdict(
        hypotheses=hypotheses,
        end_state=end_state,
        unread_hosts=frozenset(unread.split()),
        is_failure_told=is_failure_told,
        suspects=frozenset(suspects.split()),
    )


def test_the_answer_is_that_of_the_first_explanation() -> None:
    found = _verdict(BEST, HALF)
    assert (found.status, found.cause, found.probability) == (
        *(VerdictStatus.LIKELY, "gpu-off-bus"),
        LIKELY,
    )
    for unsure in ((), (replace(BEST, probability=0.1),), (replace(BEST, layer=Layer.UNKNOWN),)):
        assert _verdict(*unsure).status is VerdictStatus.UNKNOWN


@pytest.mark.parametrize(
    ("end_state", "cause"),
    [
        (EndState.WALLTIME, "process-killed"),
        (EndState.CANCELLED, "process-killed"),
        (EndState.PREEMPTED, "process-killed"),
        (EndState.FINISHED, "benign"),
    ],
)
def test_an_orderly_end_hides_a_failure_only_behind_strong_words(
    end_state: EndState, cause: str
) -> None:
    strong = replace(BEST, supporting=(replace(PIECE, strength=CONTRADICTS),))
    assert _verdict(strong, end_state=end_state).cause == "gpu-off-bus"
    quiet = _verdict(strong, end_state=end_state, is_failure_told=False)
    assert (quiet.status, quiet.cause) == (VerdictStatus.NO_FAILURE, cause)
    for weak in (
        BEST,
        replace(strong, cause="benign"),
        replace(strong, cause="process-killed"),
        replace(strong, supporting=(replace(strong.supporting[0], is_generic=True),)),
        replace(strong, opposing=(replace(PIECE, family=LONG_AGO),)),
        replace(strong, opposing=(replace(PIECE, family=UNTIED),)),
    ):
        assert _verdict(weak, end_state=end_state).status is VerdictStatus.NO_FAILURE


def test_who_missed_a_peer_is_an_end_of_the_connection_as_much_as_who_was_missed() -> None:
    missed = replace(PIECE, family="retries", event=event("nccl-ib-wc-error", wc_status="12"))
    elsewhere = replace(BEST, supporting=(replace(PIECE, host="n2"),))
    assert _verdict(elsewhere, unread="n1", suspects="n1").status is VerdictStatus.UNKNOWN
    an_end = replace(BEST, supporting=(*elsewhere.supporting, replace(missed, host="n2")))
    assert _verdict(an_end, unread="n1", suspects="n1").status is VerdictStatus.LIKELY


def test_a_session_that_runs_is_fine_until_it_tells_of_a_failure() -> None:
    quiet = _verdict(BEST, end_state=EndState.RUNNING, is_failure_told=False)
    assert (quiet.status, quiet.cause) == (VerdictStatus.NO_FAILURE, "benign")
    assert _verdict(BEST, end_state=EndState.RUNNING).status is VerdictStatus.LIKELY
    failed = _verdict(BEST, end_state=EndState.FAILED, is_failure_told=False)
    assert failed.status is VerdictStatus.LIKELY


@pytest.mark.parametrize(
    ("best", "unread", "suspects", "is_open"),
    [
        (BEST, "", "", False),
        (BEST, "n2", "", True),
        (BEST, "n1", "", False),
        (BEST, "n2", "n1", False),
        (replace(BEST, supporting=(replace(PIECE, host=None),)), "n2", "", False),
        (replace(BEST, supporting=(PIECE, replace(PIECE, host="n2"))), "n2", "", False),
        (
            replace(BEST, supporting=(PIECE, replace(PIECE, host="n2", strength=0.0))),
            *("n2", "", True),
        ),
        (
            replace(BEST, supporting=(PIECE, replace(PIECE, host="n2", is_generic=True))),
            *("n2", "", True),
        ),
    ],
)
def test_nobody_can_know_where_all_that_speaks_lies_off_the_host_that_nobody_can_read(
    best: Hypothesis, unread: str, suspects: str, *, is_open: bool
) -> None:
    found = _verdict(best, unread=unread, suspects=suspects)
    assert (found.status is VerdictStatus.UNKNOWN) is is_open


def test_what_several_hosts_miss_alike_is_not_about_the_host_that_nobody_can_read() -> None:
    pieces = (PIECE, replace(PIECE, host="n3"))
    server = Device(kind="server", name="nas1")
    shared = replace(BEST, culprits=(server,), supporting=pieces)
    assert _verdict(shared, unread="n2").status is VerdictStatus.LIKELY
    for other in (
        replace(shared, supporting=(PIECE,)),
        replace(shared, culprits=()),
        replace(shared, culprits=(server, Device(kind="gpu", host="n1"))),
    ):
        assert _verdict(other, unread="n2").status is VerdictStatus.UNKNOWN


def test_beside_no_failure_everything_else_is_less_likely_and_ruled_out() -> None:
    quiet = _verdict(BEST, end_state=EndState.FINISHED)
    benign = replace(BEST, cause="benign")
    known = replace(HALF, ruled_out_because=statement("text", text="old"))
    same, rest, former = beside_no_failure(hypotheses=[benign, BEST, known], verdict=quiet)
    assert same == benign
    assert rest.probability == round(LIKELY * (1 - quiet.probability), 3)
    assert rest.ruled_out_because == statement("ended-in-order")
    assert former.ruled_out_because == known.ruled_out_because
