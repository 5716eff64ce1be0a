"""Identity: what NCCL's own lines say of rank, process, GPU, adapters and host is joined."""

from collections.abc import Mapping

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    Event,
    Extent,
    Origin,
    Placement,
    Reading,
    Role,
    Stream,
    Topology,
)
from apps.diagnosis.reasoning.scope.identity import are_all, hosts, learned, seats
from tests.diagnosis.events import NOON, after, event, readings, watchdog, xid


def _init(rank: int, *, host: str, width: int = 16, comm: str = "0x1", **more: str) -> Event:
    fields = {
        "rank": str(rank),
        "world_size": str(width),
        "cuda_dev": str(rank % 8),
        "pci": f"0000:{0x1B + rank % 8:02x}:00.0",
        "comm_id": comm,
        **more,
    }
    return event(
        "nccl-init-complete", at=NOON, host=host, role=Role.PROGRESS, number=rank + 1, fields=fields
    )


def _places(*told: Event, topology: Topology | None = None) -> dict[int, Placement]:
    found = learned(
        events=told, readings=readings(told), topology=topology or Topology()
    ).placements
    return {one.rank: one for one in found}


def test_a_gpu_of_the_kernel_log_is_named_by_the_rank_that_sat_on_it() -> None:
    inits = [_init(rank, host=f"n{rank // 8 + 1}") for rank in range(16)]
    waits = [watchdog(r, at=after(600), host=f"n{r // 8 + 1}") for r in range(16) if r != 10]
    lost = xid(79, host="n2", pci="0000:1d:00.0")
    (gpu,) = diagnose(readings=readings([*inits, *waits, lost])).verdict.culprits
    assert (gpu.host, gpu.index, gpu.rank, gpu.pci) == ("n2", 2, 10, "0000:1d:00.0")


def test_a_rank_of_a_part_of_the_session_is_not_global() -> None:
    wide = [_init(rank, host="n1", comm="0x1") for rank in (0, 1)]
    narrow = _init(1, host="n2", width=2, comm="0x2")
    assert {rank: one.host for rank, one in _places(*wide, narrow).items()} == {0: "n1", 1: "n1"}


def test_a_rank_that_two_hosts_claim_is_nobodys() -> None:
    assert _places(_init(3, host="n1"), _init(3, host="n2")) == {}


def test_what_the_caller_knows_wins_and_gains_what_only_logs_know() -> None:
    topology = Topology(placements=(Placement(rank=3, host="n1", gpu=7),))
    (place,) = _places(_init(3, host="n1"), topology=topology).values()
    assert (place.gpu, place.pci, place.communicators) == (7, "0000:1e:00.0", ("0x1",))


def test_the_adapters_of_a_host_stand_with_its_ranks() -> None:
    using = event(
        "nccl-ib-using",
        at=NOON,
        host="n1",
        role=Role.CONTEXT,
        number=90,
        devlist="[0]mlx5_0:1/IB [1]mlx5_3:1/IB [RO]",
    )
    assert _places(_init(3, host="n1"), using)[3].adapters == ("mlx5_0", "mlx5_3")


def test_a_host_named_after_its_address_goes_by_one_name() -> None:
    told = readings([event("x", at=NOON, host="ip-10-0-7-4.lab.example", stream=Stream.KERNEL)])
    known = learned(events=(), readings=told, topology=Topology())
    assert known.aliases["10.0.7.4"] == "ip-10-0-7-4"


def test_a_container_goes_by_the_name_of_the_host_that_has_its_address() -> None:
    inside = event(
        "nccl-bootstrap-using", at=NOON, host="job-7-worker-3", role=Role.CONTEXT, ip="10.0.7.4"
    )
    kernel = event("x", at=NOON, host="ip-10-0-7-4", stream=Stream.KERNEL)
    told = [inside, kernel]
    known = learned(events=told, readings=readings(told), topology=Topology())
    assert known.aliases["job-7-worker-3"] == "ip-10-0-7-4"


def _printed(host: str, *names: str) -> Reading:
    origin = Origin(source=f"session/{host}", stream=Stream.SESSION, host=host)
    return Reading(origin=origin, extents=tuple(Extent(host=name) for name in names))


def test_the_only_other_name_that_a_host_prints_is_its_container() -> None:
    told = [_printed("n1", "llm-worker-0", "n1.cluster.local"), _printed("n2", "llm-worker-1")]
    aliases = learned(events=(), readings=told, topology=Topology()).aliases
    assert aliases == {"llm-worker-0": "n1", "llm-worker-1": "n2"}


def test_a_log_that_many_hosts_write_to_names_no_container() -> None:
    told = [_printed("head", "n1", "n2", "n3"), _printed("other", "n4"), _printed("third", "n4")]
    assert learned(events=(), readings=told, topology=Topology()).aliases == {}


def _are_all(*told: Event) -> bool:
    topology = learned(events=told, readings=readings(told), topology=Topology())
    known = hosts(topology=topology, readings=readings(told))
    return are_all(hosts=known, topology=topology, readings=readings(told))


def test_hosts_that_cannot_hold_all_ranks_are_not_all_hosts() -> None:
    assert not _are_all(*(_init(rank, host=f"n{rank // 8 + 1}", width=24) for rank in range(16)))
    assert _are_all(*(_init(rank, host=f"n{rank // 8 + 1}") for rank in range(16)))


def _exit(signature: str, **fields: str) -> Event:
    return event(signature, at=NOON, host="head", role=Role.CONFIRMATION, fields=fields)


def test_launchers_say_where_a_rank_ran_that_ended() -> None:
    failed = _exit("torchrun-fail-exitcode", host="n3.cluster.local", rank="26")
    tasks = _exit("slurm-task-exit", host="n5", task="40-42,44")
    places = {rank: one.host for rank, one in _places(failed, tasks).items()}
    assert places == {26: "n3", 40: "n5", 41: "n5", 42: "n5", 44: "n5"}


def test_a_task_for_each_host_is_a_launcher_and_no_rank() -> None:
    assert _places(*(_exit("slurm-task-exit", host=f"n{n}", task=str(n)) for n in range(4))) == {}


def test_containers_whose_hosts_nobody_names_leave_all_kernels_in() -> None:
    pods = [_printed(f"pod-{n}", f"pod-{n}") for n in range(2)]
    kernel = Reading(
        origin=Origin(source="kernel/n1", stream=Stream.KERNEL, host="n1"), extents=(Extent(),)
    )
    known = hosts(topology=Topology(), readings=[*pods, kernel])
    assert not are_all(hosts=known, topology=Topology(), readings=[*pods, kernel])
    assert are_all(hosts=known, topology=Topology(), readings=pods)


def test_hosts_and_kernels_of_other_names_may_be_the_same_machines() -> None:
    spoke = [_printed("n1"), *(_printed(f"pod-{n}", f"pod-{n}") for n in range(3))]
    kernels = [
        Reading(
            origin=Origin(source=f"kernel/n{n}", stream=Stream.KERNEL, host=f"n{n}"),
            extents=(Extent(),),
        )
        for n in range(1, 5)
    ]
    known = hosts(topology=Topology(), readings=[*spoke, *kernels])
    assert not are_all(hosts=known, topology=Topology(), readings=[*spoke, *kernels])
    few = [*spoke[:1], *kernels]
    assert are_all(hosts=frozenset({"n1"}), topology=Topology(), readings=few)


def test_a_pod_goes_by_the_name_of_the_host_that_it_was_put_on() -> None:
    assigned = event("k8s-assigned", fields={"ip": "run7-worker-0", "host": "n2.example.org"})
    told = learned(events=[assigned], readings=[], topology=Topology())
    assert told.aliases["run7-worker-0"] == "n2"


def test_a_line_that_anybody_can_print_moves_no_host_that_others_know() -> None:
    """Nor does it put a part of a session where the session was not placed."""
    kernel = Reading(
        origin=Origin(source="kernel/n1", stream=Stream.KERNEL, host="n1"), extents=(Extent(),)
    )

    def told(name: str, host: str, *hosts_of_session: str) -> Mapping[str, str]:
        line = event("k8s-assigned", fields={"ip": name, "host": host})
        topology = Topology(hosts=hosts_of_session)
        return learned(events=[line], readings=[kernel], topology=topology).aliases

    assert "n1" not in told("n1", "n77")
    assert "N1.example.org" not in told("N1.example.org", "n77")
    assert "n5" not in told("n5", "n1", "n1", "n5")
    assert "pod-0" not in told("pod-0", "n77", "n1", "n2")
    assert told("pod-0", "n1.example.org", "n1", "n2")["pod-0"] == "n1"


def test_a_kernel_kept_with_those_of_the_session_may_be_of_a_host_that_never_spoke() -> None:
    spoke = [_printed(f"n{n}") for n in range(4)]

    def kernel(host: str) -> Reading:
        origin = Origin(source=f"kernel/{host}", stream=Stream.KERNEL, host=host)
        return Reading(origin=origin, extents=(Extent(),))

    known = frozenset({"n0", "n1", "n2", "n3"})
    own = [kernel(host) for host in sorted(known)]
    for others, expected in ((["n9"], False), (["n7", "n8", "n9"], True), ([], True)):
        told = [*spoke, *own, *map(kernel, others)]
        assert are_all(hosts=known, topology=Topology(), readings=told) is expected


def test_a_host_on_which_a_rank_sits_is_of_the_session_though_it_never_spoke() -> None:
    told = [_init(rank, host=f"n{rank // 8 + 1}.hpc.example") for rank in (0, 8)]
    topology = learned(events=told, readings=readings(told), topology=Topology())
    assert {one.split(".")[0] for one in seats(topology=topology)} == {"n1", "n2"}
