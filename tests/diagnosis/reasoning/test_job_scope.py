"""Lists of nodes in a scheduler's lines: what they name, and what no list can cost."""

from time import process_time

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Reading, Stream
from apps.diagnosis.reasoning.scope.jobs.job_scope import job_of, of_this_job
from apps.diagnosis.reasoning.scope.jobs.node_lists import MOST_NAMES, NodeLists, nodes_of
from apps.diagnosis.signatures.read import read_source

WIDE = ",".join(["0-99999"] * 24)
WHOLE_CLUSTER = 2_048
ALLOCATED = "[2026-11-20T03:00:35.222] sched: Allocate"


def test_a_list_names_its_nodes() -> None:
    assert nodes_of("gpu[001-003,007],login1") == {
        *("gpu001", "gpu002", "gpu003", "gpu007", "login1")
    }
    assert nodes_of("gpu[3-1]") == nodes_of("") == frozenset()
    scattered = ",".join(f"{number:03d}" for number in range(1, 200, 2))
    assert nodes_of(f"gpu[{scattered}]") == {f"gpu{number:03d}" for number in range(1, 200, 2)}
    assert len(nodes_of(f"gpu[0001-{WHOLE_CLUSTER}]")) == WHOLE_CLUSTER


def test_a_list_wider_than_any_cluster_names_nobody() -> None:
    for said in ("n[1-9999999]", f"n[{WIDE}]", "n[0-9223372036854775807]", "a[0-9999],b[0-10000]"):
        assert nodes_of(said) == {said}


def test_lists_without_end_take_the_room_of_one_diagnosis() -> None:
    lists = NodeLists()
    named = sum(len(lists.nodes_of(f"n{number}[0-19999]")) for number in range(2_000))

    assert named <= MOST_NAMES + 2_000
    assert lists.nodes_of("gpu003") == {"gpu003"}
    assert lists.nodes_of("gpu[001-002]") == {"gpu[001-002]"}


def test_the_same_list_is_written_out_once() -> None:
    lists = NodeLists()
    for _ in range(10_000):
        lists.nodes_of(f"gpu[0001-{WHOLE_CLUSTER}]")

    assert lists.nodes_of("gpu[001-002]") == {"gpu001", "gpu002"}


def test_what_a_scheduler_says_of_another_job_goes_and_the_sessions_own_words_stay() -> None:
    log = _log(f"{ALLOCATED} JobId=812 NodeList=n[1-2]", f"{ALLOCATED} JobId=813 NodeList=n[3-4]")
    session = _session("slurmstepd: error: *** JOB 812 ON n1 CANCELLED AT 2026-11-20T03:14:00 ***")
    other = _session("slurmstepd: error: *** JOB 813 ON n1 CANCELLED AT 2026-11-20T03:14:00 ***")

    own, scheduler = of_this_job(readings=[session, log], names=["run"], hosts=[])
    assert own == session
    assert [job_of(one) for one in scheduler.events] == ["812"]

    both = of_this_job(readings=[session, other, log], names=["slurm-812"], hosts=[])
    assert both[:2] == [session, other]


def test_a_job_that_nothing_ties_to_the_session_is_its_own_where_it_had_exactly_its_nodes() -> None:
    log = _log(f"{ALLOCATED} JobId=812 NodeList=n[1-2]", f"{ALLOCATED} JobId=813 NodeList=n[1-3]")

    def kept(*hosts: str) -> list[str | None]:
        (scheduler,) = of_this_job(readings=[log], names=[], hosts=hosts)
        return [job_of(one) for one in scheduler.events]

    assert kept("n1", "n2") == ["812"]
    assert kept("n3") == ["813"]
    assert kept("n1") == kept() == kept("n9") == []


def _session(text: str) -> Reading:
    origin = Origin(source="session/n1/rank0.log", host="n1", stream=Stream.SESSION)
    return read_source(origin=origin, text=text)


def _log(*lines: str) -> Reading:
    origin = Origin(source="scheduler.log", stream=Stream.SCHEDULER)
    return read_source(origin=origin, text="\n".join(lines))


def test_a_log_of_wide_lists_is_diagnosed_as_soon_as_another() -> None:
    lists = [",".join(f"n{35 * line + part}[{WIDE}]" for part in range(35)) for line in range(40)]
    text = "\n".join(
        f"[2026-11-20T03:{line:02}:35.222] srun: error: {each}: task 0: Out Of Memory"
        for line, each in enumerate(lists)
    )
    allocated = "[2026-11-20T03:50:35.222] sched: Allocate JobId=40097 NodeList=gpu[001-004]"
    readings = read_source(
        origin=Origin(source="scheduler.log", stream=Stream.SCHEDULER), text=f"{allocated}\n{text}"
    )
    began = process_time()
    diagnose(readings=[readings])

    assert process_time() - began < 5
