"""The sessions: what broke, told in files, with the answer that must come out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from tests.scenarios.compose import (
    FAIL,
    RANKS_PER_HOST,
    Session,
    aer_elsewhere,
    healthy,
    old_xid,
    recovered_flap,
    remote_closed,
    watchdogs,
)

HOSTS = ("n101", "n102", "n103", "n104")
Skew = Mapping[str, timedelta]
TRUE_CLOCKS: Skew = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One session and what the verdict must say."""

    name: str
    tell: Callable[[Skew], Session]
    status: frozenset[str]
    layer: str
    cause: str
    host: str | None = None


def _decoys(session: Session) -> Session:
    old_xid(session, "n104")
    recovered_flap(session, "n101")
    aer_elsewhere(session, "n104")
    return session


def _gpu_lost(skew: Skew) -> Session:
    session = _decoys(healthy(HOSTS, skew=skew))
    for index in range(4):
        at = FAIL - timedelta(seconds=2) + timedelta(milliseconds=90 * index)
        session.kernel(
            "n103",
            at,
            "pcieport 0000:3a:01.0: AER: Uncorrected (Fatal) error received: 0000:3b:00.0",
        )
    session.kernel(
        "n103",
        FAIL,
        "NVRM: Xid (PCI:0000:1d:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",  # noqa: E501  a line of a log
    )
    watchdogs(session, silent=[18])
    return session


def _nvlink(skew: Skew) -> Session:
    session = _decoys(healthy(HOSTS, skew=skew, kernel_style="iso"))
    session.kernel(
        "n102",
        FAIL,
        "NVRM: Xid (PCI:0000:1b:00): 149, pid='<unknown>', name=<unknown>, NETIR_LINK_EVT Fatal XC0 i0 Link 11 (0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)",  # noqa: E501  a line of a log
    )
    session.kernel(
        "n102",
        FAIL + timedelta(seconds=2),
        "NVRM: Xid (PCI:0000:1b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",  # noqa: E501  a line of a log
    )
    watchdogs(session, silent=[8])
    return session


def _contained_ecc(skew: Skew) -> Session:
    session = _decoys(healthy(HOSTS, skew=skew, kernel_style="dmesg"))
    session.kernel(
        "n102",
        FAIL,
        "NVRM: Xid (PCI:0000:1f:00): 63, Row Remapper: New row marked for remapping, reset gpu to activate.",  # noqa: E501  a line of a log
    )
    session.kernel(
        "n102",
        FAIL,
        "NVRM: Xid (PCI:0000:1f:00): 94, pid=2104, name=python3, Contained: SM (0x1). RST: No, D-RST: No",  # noqa: E501  a line of a log
    )
    watchdogs(session, silent=[12])
    return session


def _port_flap(skew: Skew) -> Session:
    session = healthy(HOSTS, skew=skew)
    old_xid(session, "n101")
    session.kernel("n103", FAIL, "mlx5_core 0000:5e:00.0 ens6f0np0: Link down")
    for rank in range(16, 24):
        session.nccl(
            rank,
            FAIL + timedelta(seconds=1),
            "WARN",
            "NET/IB : mlx5_3:1 Got async error event: port error",
        )
    for rank in (0, 3, 8, 11, 25):
        session.nccl(
            rank,
            FAIL + timedelta(seconds=31),
            "WARN",
            "NET/IB: Got completion from peer 10.4.0.12<49152> with status=12 opcode=0 len=0 vendor err 129 (Send) "  # noqa: E501  a line of a log
            "localGid ::ffff:10.4.0.10 remoteGids::ffff:10.4.0.12 hca mlx5_3",
        )
    watchdogs(session, at=FAIL + timedelta(seconds=2))
    return session


def _file_server(skew: Skew) -> Session:
    session = _decoys(healthy(HOSTS, skew=skew))
    session.say(
        session.rank_path(0),
        FAIL - timedelta(seconds=30),
        "saving checkpoint at iteration    9030 to /ckpt/solar in torch_dist format",
    )
    for host in HOSTS:
        session.kernel(
            host, FAIL + timedelta(seconds=61), "nfs: server filer7 not responding, still trying"
        )
    watchdogs(session, silent=[0])
    return session


def _out_of_memory(skew: Skew) -> Session:
    session = _decoys(healthy(HOSTS, skew=skew))
    session.kernel(
        "n104",
        FAIL,
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=pod7,mems_allowed=0-1,oom_memcg=/kubepods/pod7,task_memcg=/kubepods/pod7/c1,task=python3,pid=2105,uid=0",
    )
    session.kernel(
        "n104",
        FAIL,
        "Memory cgroup out of memory: Killed process 2105 (python3) total-vm:91234560kB, anon-rss:80123456kB, file-rss:0kB, shmem-rss:6144kB",  # noqa: E501  a line of a log
    )
    remote_closed(session, dead_host="n104", at=FAIL + timedelta(seconds=1))
    watchdogs(session, silent=[29])
    return session


def _exception(skew: Skew) -> Session:
    session = _decoys(healthy(HOSTS, skew=skew))
    path = session.rank_path(13)
    for offset, line in enumerate(
        (
            "[rank13]: Traceback (most recent call last):",
            '[rank13]:   File "/app/train.py", line 410, in <module>',
            "[rank13]:     main()",
            '[rank13]:   File "/app/data/mix.py", line 77, in __next__',
            "[rank13]:     weight = table[name]",
            "[rank13]: KeyError: 'shard_kr_0417'",
        )
    ):
        session.say(path, FAIL + timedelta(milliseconds=offset), line)
    remote_closed(session, dead_host="n102", at=FAIL + timedelta(seconds=3))
    watchdogs(session, silent=[13])
    return session


def _only_echoes(skew: Skew) -> Session:
    session = _decoys(healthy(HOSTS, skew=skew))
    watchdogs(session)
    return session


def _kernel_log_missing(skew: Skew) -> Session:
    session = _decoys(healthy(HOSTS, skew=skew))
    remote_closed(session, dead_host="n102", at=FAIL + timedelta(seconds=2))
    watchdogs(session, silent=range(RANKS_PER_HOST, 2 * RANKS_PER_HOST))
    session.files.pop("kernel/n102.log")
    return session


def _walltime(skew: Skew) -> Session:
    session = _decoys(healthy(HOSTS, skew=skew))
    for rank in (0, 8, 16, 24):
        host = HOSTS[rank // RANKS_PER_HOST]
        session.say(
            session.rank_path(rank),
            FAIL,
            f"slurmstepd: error: *** STEP 77.0 ON {host} CANCELLED AT {session.clock(host, FAIL):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***",  # noqa: E501  a line of a log
        )
    return session


SURE, ANSWERED, OPEN = (
    frozenset({"likely"}),
    frozenset({"likely", "possible"}),
    frozenset({"unknown"}),
)
STORIES = (
    Story(
        name="gpu lost after pcie errors",
        tell=_gpu_lost,
        status=SURE,
        layer="gpu",
        cause="gpu-off-bus",
        host="n103",
    ),
    Story(
        name="nvlink event 149",
        tell=_nvlink,
        status=SURE,
        layer="gpu",
        cause="gpu-nvlink",
        host="n102",
    ),
    Story(
        name="contained memory error",
        tell=_contained_ecc,
        status=SURE,
        layer="gpu",
        cause="gpu-ecc-uncorrectable",
        host="n102",
    ),
    Story(
        name="port down, status 12 on the peers",
        tell=_port_flap,
        status=SURE,
        layer="network",
        cause="link-down",
        host="n103",
    ),
    Story(
        name="file server silent during a save",
        tell=_file_server,
        status=ANSWERED,
        layer="storage",
        cause="nfs-unavailable",
    ),
    Story(
        name="kernel killed one rank",
        tell=_out_of_memory,
        status=SURE,
        layer="host",
        cause="host-oom",
        host="n104",
    ),
    Story(
        name="exception on one rank",
        tell=_exception,
        status=ANSWERED,
        layer="software",
        cause="rank-exception",
        host="n102",
    ),
    Story(
        name="nothing but echoes", tell=_only_echoes, status=OPEN, layer="unknown", cause="unknown"
    ),
    Story(
        name="kernel log of the silent host missing",
        tell=_kernel_log_missing,
        status=OPEN,
        layer="unknown",
        cause="unknown",
    ),
    Story(
        name="walltime",
        tell=_walltime,
        status=frozenset({"no-failure"}),
        layer="host",
        cause="process-killed",
    ),
)
