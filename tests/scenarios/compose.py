"""Whole multi-host sessions as files, in the vendors' formats with a text of our own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

RANKS_PER_HOST = 8
START = datetime(2026, 11, 12, 6, 0, 0)  # noqa: DTZ001  machines print local time
FAIL = START + timedelta(hours=3)
TIMEOUT = timedelta(seconds=600)


@dataclass
class Session:
    """Files of one session: path → (time, line) pairs, written in time order."""

    hosts: Sequence[str]
    files: dict[str, list[tuple[datetime, str]]] = field(default_factory=dict)
    skew: dict[str, timedelta] = field(
        default_factory=dict
    )  # host → how far its clock is ahead; "kernel", "session": the zone of such logs
    kernel_style: str = "syslog"

    def say(self, path: str, at: datetime, line: str) -> None:
        """Add a line without a prefix."""
        self.files.setdefault(path, []).append((at, line))

    def clock(self, host: str, at: datetime, log: str = "session") -> datetime:
        """Return what the host's own clock shows, in the zone of this kind of log."""
        return at + self.skew.get(host, timedelta(0)) + self.skew.get(log, timedelta(0))

    def kernel(self, host: str, at: datetime, text: str) -> None:
        """Add a kernel line of a host."""
        shown = self.clock(host, at, "kernel")
        zone = _zone(self.skew.get("kernel", timedelta(0)))
        uptime = 400_000 + (at - START).total_seconds()
        styles = {
            "syslog": f"{shown:%b} {shown.day:2d} {shown:%H:%M:%S} {host} kernel: [{uptime:.6f}] {text}",  # noqa: E501  a line of a log
            "dmesg": f"[{shown:%a %b} {shown.day:2d} {shown:%H:%M:%S %Y}] {text}",
            "iso": f"{shown:%Y-%m-%dT%H:%M:%S}.{shown.microsecond:06d}{zone} {host} kernel: {text}",
        }
        self.say(f"kernel/{host}.log", at, styles[self.kernel_style])

    def rank_path(self, rank: int) -> str:
        """Return the file of a rank."""
        return f"session/{self.hosts[rank // RANKS_PER_HOST]}/rank{rank}.log"

    def c10d(self, rank: int, at: datetime, source: str, text: str) -> None:
        """Add a line of the process group of a rank."""
        shown = self.clock(self.hosts[rank // RANKS_PER_HOST], at)
        stamp = f"{shown.month}{shown.day:02d} {shown:%H:%M:%S}.{shown.microsecond:06d}113"
        self.say(
            self.rank_path(rank),
            at,
            f"[rank{rank}]:[E{stamp} ProcessGroupNCCL.cpp:{source}] {text}",
        )

    def nccl(self, rank: int, at: datetime, level: str, text: str) -> None:
        """Add a line of NCCL of a rank."""
        host = self.hosts[rank // RANKS_PER_HOST]
        shown = self.clock(host, at)
        stamp = f"[{shown:%Y-%m-%d %H:%M:%S}] " if level == "WARN" else ""
        place = "misc/source.cc:120 " if level == "WARN" else ""
        local = rank % RANKS_PER_HOST
        self.say(
            self.rank_path(rank),
            at,
            f"{stamp}{host}:{2100 + local}:{2300 + local} [{local}] {place}NCCL {level} {text}",
        )

    @property
    def world(self) -> range:
        """Return all ranks."""
        return range(len(self.hosts) * RANKS_PER_HOST)

    def texts(self) -> dict[str, str]:
        """Return path → text."""
        return {
            path: "\n".join(line for _, line in sorted(lines, key=lambda one: one[0])) + "\n"
            for path, lines in sorted(self.files.items())
        }


def _zone(ahead: timedelta) -> str:
    minutes = round(ahead.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}{abs(minutes) % 60:02d}"


def healthy(
    hosts: Iterable[str],
    *,
    skew: Mapping[str, timedelta],
    until: datetime = FAIL,
    kernel_style: str = "syslog",
) -> Session:
    """Return a session that trained undisturbed until then, with innocent noise."""
    session = Session(hosts=tuple(hosts), skew=dict(skew), kernel_style=kernel_style)
    for rank in session.world:
        local = rank % RANKS_PER_HOST
        session.nccl(
            rank,
            START + timedelta(seconds=20),
            "INFO",
            f"Bootstrap: Using ens3:10.4.0.{10 + rank // RANKS_PER_HOST}<0>",
        )
        session.nccl(
            rank,
            START + timedelta(seconds=30),
            "INFO",
            f"ncclCommInitRankConfig comm 0x5581{rank:04x} rank {rank} nranks {len(session.world)} cudaDev {local} nvmlDev {local} "  # noqa: E501  a line of a log
            f"busId {0x1B + local:x}000 commId 0x77aa1100 - Init COMPLETE",
        )
    last = session.world[-1]
    for step in range(30):
        at = until - timedelta(seconds=12 * (30 - step))
        shown = session.clock(session.hosts[-1], at)
        session.say(
            session.rank_path(last),
            at,
            f" [{shown:%Y-%m-%d %H:%M:%S}] iteration {9000 + step:8d}/  500000 | consumed samples: {step * 512:12d} | "  # noqa: E501  a line of a log
            f"elapsed time per iteration (ms): 11940.1 | lm loss: 2.31E+00 |",
        )
    for host in session.hosts:
        for minutes in (0, 45, 90, 175, 195):
            at = START + timedelta(minutes=minutes, seconds=7)
            session.kernel(
                host,
                at,
                "mlx5_core 0000:d2:00.0: mlx5_cmd_out_err:838:(pid 1441): ACCESS_REG(0x805) op_mod(0x1) failed, status bad resource(0x5), syndrome (0x305684), err(-22)",  # noqa: E501  a line of a log
            )
            session.kernel(
                host, at + timedelta(seconds=5), 'audit: type=1400 audit(1.2:3): apparmor="STATUS"'
            )
    return session


def watchdogs(
    session: Session, *, silent: Iterable[int] = (), at: datetime = FAIL, seq: int = 88211
) -> None:
    """Let every rank but the silent ones wait in one collective and time out."""
    quiet = set(silent)
    for rank in session.world:
        if rank in quiet:
            continue
        printed = at + TIMEOUT + timedelta(milliseconds=40 * rank)
        session.c10d(
            rank,
            printed,
            "655",
            f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=_ALLGATHER_BASE, "  # noqa: E501  a line of a log
            f"NumelIn=131072, NumelOut=4194304, Timeout(ms)=600000) ran for 600{rank:03d} milliseconds before timing out.",  # noqa: E501  a line of a log
        )
        session.c10d(
            rank,
            printed,
            "2241",
            f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} PG status: "  # noqa: E501  a line of a log
            f"last enqueued work: {seq}, last completed work: {seq - 1}",
        )
        session.c10d(
            rank,
            printed + timedelta(seconds=1),
            "744",
            f"[Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",  # noqa: E501  a line of a log
        )
    teardown(session, at + TIMEOUT + timedelta(seconds=4))


def remote_closed(session: Session, *, dead_host: str, at: datetime) -> None:
    """Let ranks of the other hosts print that their peer went away."""
    for rank in session.world:
        if session.hosts[rank // RANKS_PER_HOST] != dead_host:
            session.nccl(
                rank,
                at + timedelta(milliseconds=rank),
                "WARN",
                f"socketProgress: Connection closed by remote peer {dead_host}.cluster.local<4{rank:03d}>",  # noqa: E501  a line of a log
            )


def teardown(session: Session, at: datetime) -> None:
    """Add what every end leaves: Xid 45 on all GPUs, closing signals."""
    for host in session.hosts:
        for gpu in range(RANKS_PER_HOST):
            session.kernel(
                host,
                at + timedelta(milliseconds=gpu),
                f"NVRM: Xid (PCI:0000:{0x1B + gpu:02x}:00): 45, pid={2100 + gpu}, name=python3, Ch 00000008",  # noqa: E501  a line of a log
            )


def old_xid(session: Session, host: str) -> None:
    """Add a decoy: a GPU loss two hours before."""
    session.kernel(
        host,
        FAIL - timedelta(hours=2, minutes=11),
        "NVRM: Xid (PCI:0000:1e:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",  # noqa: E501  a line of a log
    )


def recovered_flap(session: Session, host: str) -> None:
    """Add a decoy: a link that came back six minutes before."""
    for seconds, state in ((0, "down"), (9, "up")):
        session.kernel(
            host,
            FAIL - timedelta(minutes=6) + timedelta(seconds=seconds),
            f"mlx5_core 0000:41:00.0 ens5f0np0: Link {state}",
        )


def aer_elsewhere(session: Session, host: str) -> None:
    """Add a decoy: one corrected PCIe error on some other device, after the fact."""
    at = FAIL + timedelta(minutes=8)
    session.kernel(host, at, "pcieport 0000:80:01.0: AER: Corrected error received: 0000:81:00.0")
    session.kernel(
        host,
        at,
        "nvme 0000:81:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
    )
