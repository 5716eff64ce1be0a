"""Notices of Open MPI become one event each, with what their rows say."""

from apps.diagnosis.model import Event, Origin
from apps.diagnosis.signatures.read import StreamReader

RULE = "-" * 74


def said(*lines: str) -> list[Event]:
    reader = StreamReader(origin=Origin(source="train.log"))
    events = [*reader.feed(text="\n".join(lines), first_number=1).events, *reader.close().events]
    return [one for one in events if one.signature.startswith("mpi-")]


def test_who_left_first_is_named_with_its_code_in_old_and_new_names_of_processes() -> None:
    for name in ("[[6783,1],2]", "[prterun-n7-88@1,2]"):
        [notice] = said(
            RULE,
            "prterun detected that one or more processes exited with non-zero status,",
            "thus causing the job to be terminated. The first process to do so was:",
            "",
            f"   Process name: {name}",
            "   Exit code:    3",
            RULE,
        )
        assert (notice.fields["rank"], notice.fields["exitcode"]) == ("2", "3")


def test_an_abort_has_its_code_in_old_and_new_words() -> None:
    old = ("MPI_ABORT was invoked on rank 4 in communicator MPI_COMM_WORLD", "with errorcode 13.")
    new = (old[0], "  Proc: [[59563,1],4]", "  Errorcode: 13")
    for lines in (old, new):
        [notice] = said(RULE, *lines, "", RULE)
        assert (notice.fields["rank"], notice.fields["exitcode"]) == ("4", "13")


def test_a_lost_daemon_and_a_gone_peer_are_named_by_host() -> None:
    [lost] = said(
        "PRTE has lost communication with a remote daemon.",
        "",
        "  HNP daemon   : [prterun-n1-88@0,0] on node n1",
        "  Remote daemon: [prterun-n1-88@0,2] on node n3",
        RULE,
    )
    [gone] = said(
        "An MPI communication peer process has unexpectedly disconnected.  This",
        "usually indicates a failure in the peer process (e.g., a crash or",
        "  Local host: n2",
        "  Peer host:  n3",
        RULE,
    )
    assert (lost.fields["host"], gone.fields["peer"]) == ("n3", "n3")


def test_rows_below_the_rule_are_of_nobody() -> None:
    [notice] = said(
        "MPI_ABORT was invoked on rank 4 in communicator MPI_COMM_WORLD",
        RULE,
        "   Exit code:    3",
    )
    assert "exitcode" not in notice.fields
