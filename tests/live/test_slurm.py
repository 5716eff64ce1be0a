"""A real Slurm with the hook that is pasted: every way in which a job ends arrives as it was."""

import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import Attempt
from apps.telemetry.snippets.agents import SnippetRequest, filled
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.snippets.agent_by_key import agent_of
from tests.cast.pushes import Cast, cast
from tests.live.gate import Gate
from tests.live.slurm_cluster import (
    PACKAGES,
    SlurmCluster,
    can_limit_memory,
    is_here,
)
from tests.live.slurm_logs import FOLLOWED, by_curl, end_state, send_output

pytestmark = [
    pytest.mark.skipif(
        not is_here(),
        reason="no Slurm that this user can start on this machine: its hook was tried beside "
        f"stand-ins alone; as root, install the packages `{PACKAGES}` to do so",
    ),
    pytest.mark.django_db(transaction=True),
]
HELD: Final = "exec sleep 300"
LOST: Final = {"lost": ("-N2", "-wn3,n4"), "lost-for-good": ("-wn5", "--no-requeue")}
ONCE: Final = "[ ${SLURM_RESTART_COUNT:-0} = 1 ] || exec sleep 300"  # the second time it is done
ODD: Final = 'a "named" \\ job, é 학습 $(id)'
# Of each way to end: the attempts with their states and hosts.
EXPECTED: Final = {
    "finished": [(1, "finished", "n6")],
    "failed": [(1, "failed", "n6")],
    "cancelled": [(1, "cancelled", "n6")],
    "cancelled-waiting": [(1, "cancelled", "")],
    "timeout": [(1, "walltime", "n6")],
    "preempted": [(1, "preempted", "n1"), (2, "finished", "n1")],
    "preempted-for-good": [(1, "preempted", "n2")],
    "lost": [(1, "failed", "n3 n4"), (2, "cancelled", "")],
    "lost-for-good": [(1, "failed", "n5")],
    "requeued": [(1, "cancelled", "n6"), (2, "finished", "n6")],
    "urgent": [(1, "finished", "n1 n2")],
    "array 1": [(1, "finished", "n6")],
    "array 2": [(1, "failed", "n6")],
    "array 3": [(1, "failed", "n6")],
    "mixed": [(1, "finished", "n3 n6")],
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[SlurmCluster]:
    """A Slurm with nodes n1 to n6, which no hook tells of yet."""
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))
    made = SlurmCluster(folder)
    made.configure()
    try:
        with made.running():
            yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


@pytest.fixture
def gate(live_server: LiveServer) -> Gate:
    """A door before the portal, still shut."""
    return Gate(behind=live_server.url)


def paste(cluster: SlurmCluster, people: Cast, base: str) -> Path:
    """Paste the text into a shell; return the hook that it wrote."""
    token = people.token(people.platform)
    wanted = SnippetRequest(base=base, cluster=people.cluster.slug, token=token)
    hooks = Path(tempfile.mkdtemp(prefix="hook-", dir=cluster.folder))
    text = filled(agent=agent_of(key="slurm"), wanted=wanted)
    text = text.replace("/etc/slurm", str(hooks)).replace("/var/spool/faultline", f"{hooks}/spool")
    done = subprocess.run(
        ["/bin/sh"],
        input=text,
        text=True,
        env=cluster.environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return hooks / "faultline-hook"


def hooked(cluster: SlurmCluster, *lines: str) -> None:
    """Have the controller start anew with these lines in its configuration."""
    cluster.stop("slurmctld")
    cluster.configure(*lines)
    cluster.start_controller()
    cluster.tell("scontrol", "update", "nodename=ALL", "state=resume")


class Jobs:
    """Jobs that are made to end in every way there is, by the name of the way."""

    def __init__(self, cluster: SlurmCluster) -> None:
        self.cluster = cluster
        self.numbers: dict[str, str] = {}

    def submit(self, way: str, *words: str, wrap: str) -> None:
        """Submit the job of a way."""
        self.numbers[way] = self.cluster.submit("-Asolar", f"-J{way}", *words, wrap=wrap)
        assert not self.numbers[way].startswith("failed"), self.numbers

    def wait(self, way: str, *states: str, seconds: float = 60) -> None:
        """Wait until the job is in one of these states."""
        job = self.numbers[way]
        self.cluster.wait_for(lambda: self.cluster.state(job) in states, seconds)

    def ranks(self, way: str) -> list[Path]:
        """Return the marks of the ranks that have come up."""
        return list(self.cluster.folder.glob(f"up-{self.numbers[way]}-*"))

    def submit_all(self) -> None:
        """Submit one of each; those that end by themselves go their way."""
        up = f"touch {self.cluster.folder}/up-$SLURM_JOB_ID-$SLURM_PROCID"
        self.submit("timeout", "-wn6", "-t1", wrap=HELD)
        for way, words in LOST.items():
            self.submit(way, *words, wrap=f"srun sh -c '{up} && {HELD}'")
        self.submit("preempted", "-plow", "-wn1", "--exclusive", wrap=ONCE)
        self.submit("preempted-for-good", "-pspare", "-wn2", "--exclusive", wrap=HELD)
        self.submit("finished", "-wn6", f"-J{ODD}", wrap="echo done")
        self.submit("failed", "-wn6", wrap="exit 3")
        self.submit("cancelled", "-wn6", wrap=HELD)
        self.submit("cancelled-waiting", "--begin=now+1hour", wrap=HELD)
        self.submit("requeued", "-wn6", wrap=ONCE)
        self.submit("array", "-wn6", "--array=1-3", wrap="exit $((SLURM_ARRAY_TASK_ID - 1))")
        self.submit("mixed", "-wn6", "-n1", ":", "-wn3", "-n1", wrap="srun --het-group=0,1 true")
        if can_limit_memory():
            self.submit("memory", "-wn6", "--mem=60", wrap="python3 -c 'bytearray(200 << 20)'")

    def end_early(self) -> None:
        """End one while nobody listens to the hook."""
        for way in ("preempted", "preempted-for-good", "cancelled"):
            self.wait(way, "RUNNING")
        # A step of which a daemon goes while it starts ends by itself, before the node is given up.
        ranks = {"lost": 2, "lost-for-good": 1}
        self.cluster.wait_for(lambda: all(len(self.ranks(way)) == ranks[way] for way in ranks))
        self.cluster.tell("scancel", self.numbers["cancelled"], self.numbers["cancelled-waiting"])

    def end_all(self) -> None:
        """End the others that do not end by themselves, and wait for all."""
        self.cluster.stop("n4", at_once=True)
        self.cluster.tell("scontrol", "update", "nodename=n5", "state=down", "reason=riser")
        self.submit("urgent", "-phigh", "-wn1,n2", "-N2", "--exclusive", wrap="sleep 1")
        self.wait("requeued", "RUNNING")
        self.cluster.tell("scontrol", "requeue", self.numbers["requeued"])
        self.wait("lost", "PENDING", seconds=120)
        self.cluster.tell("scancel", self.numbers["lost"])
        for way in self.numbers:
            self.wait(way, "", seconds=120)


def told(people: Cast) -> dict[str, list[Attempt]]:
    """Return the attempts of each session, in their order."""
    found = defaultdict(list)
    with organization_scope(people.tenant.pk):
        for each in Attempt.objects.select_related("session").order_by("number"):
            found[each.session.name].append(each)
    return found


def ends(attempts: list[Attempt]) -> list[tuple[int, str, str]]:
    """Return number, state and hosts of each attempt."""
    return [(each.number, each.state, " ".join(each.hosts)) for each in attempts]


def sessions_of(numbers: Mapping[str, str]) -> dict[str, str]:
    """Return the session that each way should have become; an array has several."""
    names = {way: number for way, number in numbers.items() if way != "array"}
    return names | {f"array {task}": f"{numbers['array']}_{task}" for task in (1, 2, 3)}


def test_every_end_arrives_as_it_was(cluster: SlurmCluster, people: Cast, gate: Gate) -> None:
    hook = paste(cluster, people, gate.url)
    hooked(cluster, f"PrologSlurmctld={hook}", "JobCompType=jobcomp/script", f"JobCompLoc={hook}")
    jobs = Jobs(cluster)
    jobs.submit_all()
    jobs.end_early()
    with gate.opened():  # the portal was away until now
        jobs.end_all()
        names = sessions_of(jobs.numbers)
        # A limit of one minute, looked at every half.
        cluster.wait_for(
            lambda: all(_is_over(told(people), name) for name in names.values()), seconds=150
        )
    found = told(people)

    memory = {"memory": [(1, "failed", "n6")]} if can_limit_memory() else {}
    assert {way: ends(found[name]) for way, name in names.items()} == EXPECTED | memory
    assert found[names["finished"]][0].session.job == ODD
    assert {each.session.project for one in found.values() for each in one} == {"solar"}
    assert told_times(found) == accounted_times(cluster)

    by_curl(cluster.folder / "slurmctld.log", people, gate.behind)
    send_outputs(cluster, people, gate.behind)
    assert diagnosed(people) == {
        (name, number): state
        for way, name in names.items()
        for number, state, _ in (EXPECTED | memory)[way]
    }


def send_outputs(cluster: SlurmCluster, people: Cast, base: str) -> None:
    """Send what each job printed under the number that it goes by within Slurm, as jobs know it."""
    outputs = sorted((cluster.folder / "out").glob("slurm-*.out"))
    for output in [each for each in outputs if each.stat().st_size]:
        number = output.stem.removeprefix("slurm-")
        send_output(output, people, base, session=number)


def diagnosed(people: Cast) -> dict[tuple[str, int], str]:
    """Return how each attempt of each session ended, by all that came in."""
    return {
        (name, each.number): end_state(each, people)
        for name, attempts in told(people).items()
        for each in attempts
    }


def _is_over(found: Mapping[str, list[Attempt]], name: str) -> bool:
    return bool(found.get(name)) and all(each.ended_at for each in found[name])


def told_times(found: Mapping[str, list[Attempt]]) -> set[tuple[str, int, int]]:
    """Return when each attempt that ran began and ended, as the portal has it."""
    return {
        (name, int(each.started_at.timestamp()), int(each.ended_at.timestamp()))
        for name, attempts in found.items()
        for each in attempts
        if each.started_at and each.ended_at
    }


def accounted_times(cluster: SlurmCluster) -> set[tuple[str, int, int]]:
    """Return the same as the accounting has it; of a heterogeneous job its first component."""
    return {
        (row["JobID"].removesuffix("+0"), int(row["Start"]), int(row["End"]))
        for row in cluster.accounted()
        if row["End"].isdigit() and not row["JobID"].endswith("+1")
    }


def test_where_only_the_epilog_speaks_the_accounting_says_how_it_ended(
    cluster: SlurmCluster, people: Cast, gate: Gate
) -> None:
    hook = paste(cluster, people, gate.url)
    hooked(cluster, f"PrologSlurmctld={hook}", f"EpilogSlurmctld={hook}")
    jobs = Jobs(cluster)
    with gate.opened():
        jobs.submit("finished", "-wn6", wrap="true")
        jobs.submit("failed", "-wn6", wrap="exit 3")
        jobs.submit("cancelled", "-wn6", wrap=HELD)
        jobs.submit("requeued", "-wn6", wrap=ONCE)
        for way in ("cancelled", "requeued"):
            jobs.wait(way, "RUNNING")
        cluster.tell("scancel", jobs.numbers["cancelled"])
        cluster.tell("scontrol", "requeue", jobs.numbers["requeued"])
        cluster.wait_for(
            lambda: (
                sum(_is_over(told(people), name) for name in jobs.numbers.values()) == 4
                and len(told(people)[jobs.numbers["requeued"]]) == 2
            )
        )

    found = told(people)
    expected = {
        "finished": [(1, "finished", "n6")],
        "failed": [(1, "failed", "n6")],
        "cancelled": [(1, "cancelled", "n6")],
        "requeued": [(1, "cancelled", "n6"), (2, "finished", "n6")],
    }
    assert {way: ends(found[name]) for way, name in jobs.numbers.items()} == expected

    FOLLOWED(cluster.folder / "slurmctld.log", people, gate.behind)
    assert diagnosed(people) == {
        (jobs.numbers[way], number): state
        for way, attempts in expected.items()
        for number, state, _ in attempts
    }
