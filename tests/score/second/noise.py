"""What every log carries besides: a host's ordinary lines, old trouble that was mended, warnings."""  # noqa: E501

from collections.abc import Callable, Mapping
from dataclasses import replace

from tests.score.second.draft import INFO, WARNING, SessionDraft
from tests.score.second.lines import driver, elastic, errors, linux, nccl, torch
from tests.score.second.lines.others import RULE
from tests.score.second.rig import RigHost
from tests.score.second.stamps import local

DAY = 86_400
ORDINARY = (
    (
        "perf: interrupt took too long (2519 > 2500), lowering kernel.perf_event_max_sample_rate to "  # noqa: E501
        "79250"
    ),
    "IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready",
    "docker0: port 3(veth21c9f0b) entered forwarding state",
    "nvidia-uvm: Loaded the UVM driver, major device number 508.",
    "EXT4-fs (md0): re-mounted. Opts: (null). Quota mode: none.",
    (
        "TCP: request_sock_TCP: Possible SYN flooding on port 29500. Sending cookies.  Check SNMP "
        "counters."
    ),
    "hrtimer: interrupt took 12893 ns",
    (
        'audit: type=1400 audit(1771000000.120:81): apparmor="STATUS" operation="profile_load" '
        'profile="unconfined" name="docker-default" pid=2210 comm="apparmor_parser"'
    ),
    "device eth0 entered promiscuous mode",
)


def ordinary(draft: SessionDraft) -> None:
    """Give every host's system log some lines of no import, before and during the session."""
    for host in draft.rig.hosts:
        for _ in range(draft.rng.randrange(5, 20)):
            at = draft.soon(draft.rig.began - 2 * DAY, draft.stops + 60)
            draft.kernel(at, host.place, draft.rng.choice(ORDINARY), level=INFO)
        for _ in range(3):
            at = draft.soon(draft.rig.began - DAY, draft.stops)
            number = draft.rng.randrange(200, 99_999)
            draft.daemon(at, host.place, "systemd[1]", f"Started Session {number} of User root.")


def _mended_flap(draft: SessionDraft) -> None:
    host, rank = draft.victim()
    at = draft.rig.began - draft.soon(0.2, 3) * DAY
    draft.kernel(at, host.place, *linux.port(draft, rank, up=False), level=INFO)
    draft.kernel(at + 6, host.place, *linux.port(draft, rank, up=True), level=INFO)


def _old_program_fault(draft: SessionDraft) -> None:
    host, rank = draft.victim()
    at = draft.rig.began - draft.soon(0.2, 2) * DAY
    draft.kernel(at, host.place, *driver.warp_exception(draft, rank))


def _old_row(draft: SessionDraft) -> None:
    host, rank = draft.victim()
    at = draft.rig.began - draft.soon(1, 2) * DAY
    draft.kernel(at, host.place, *driver.double_bit(draft, rank)[1:2])


def _corrected_memory(draft: SessionDraft) -> None:
    host, _ = draft.victim()
    for _ in range(draft.rng.randrange(1, 4)):
        at = draft.soon(draft.rig.began - DAY, draft.stops)
        draft.kernel(at, host.place, linux.corrected_memory(draft), level=WARNING)


def _corrected_bus(draft: SessionDraft) -> None:
    host, _ = draft.victim()
    at = draft.soon(draft.rig.began, draft.stops)
    slot = f"0000:{draft.rng.choice(('18', '2a', 'c1'))}:00.0"
    lines = linux.aer(slot, fatal=False, ident="15b3:1021")
    draft.kernel(
        at, host.place, *(one.replace("nvidia ", "mlx5_core ") for one in lines), level=WARNING
    )


def _file_server_back(draft: SessionDraft) -> None:
    host, _ = draft.victim()
    at = draft.rig.began - draft.soon(0.1, 1) * DAY
    server = "home-nas"
    draft.kernel(
        at, host.place, f"nfs: server {server} not responding, still trying", level=WARNING
    )
    draft.kernel(at + 41, host.place, f"nfs: server {server} OK", level=INFO)


def _another_killed(draft: SessionDraft) -> None:
    host, _ = draft.victim()
    at = draft.rig.began - draft.soon(0.3, 1.5) * DAY
    group = f"/docker/{draft.hexed(64)}"
    draft.kernel(at, host.place, *linux.oom_kill(draft, 77_120, "jupyter-lab", group=group))


def _barrier_warning(draft: SessionDraft) -> None:
    if draft.rig.is_torch:
        for rank in draft.rig.ranks_on(0):
            at = draft.rig.began + 9
            text = (
                f"[PG ID 0 PG GUID 0 Rank {rank}]  using GPU {rank} to perform barrier as devices "
                "used by this process are currently unknown. This can potentially cause a hang if "
                "this rank to GPU mapping is incorrect. Specify device_ids in barrier() to force "
                "use of a particular device, or call init_process_group() with a device_id."
            )
            draft.say(
                at, rank, torch.logged(draft, at, rank, "W", "ProcessGroupNCCL.cpp:4561", text)
            )


def _python_warnings(draft: SessionDraft) -> None:
    for rank in range(draft.rig.per_host):
        draft.say(
            draft.rig.began + 9,
            rank,
            "/usr/local/lib/python3.12/dist-packages/torch/utils/checkpoint.py:1399: FutureWarning: "  # noqa: E501
            "`torch.cpu.amp.autocast(args...)` is deprecated. Please use "
            "`torch.amp.autocast('cpu', args...)` instead.",
            "  with device_autocast_ctx, torch.cpu.amp.autocast(**cpu_autocast_kwargs):",
        )


def _plugin_missing(draft: SessionDraft) -> None:
    for rank in range(draft.rig.per_host):
        at = draft.rig.began + 8
        draft.say(
            at,
            rank,
            nccl.info(
                draft,
                at,
                rank,
                "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
            ),
        )


def _overflow(draft: SessionDraft) -> None:
    if draft.rig.framework == "deepspeed":
        at = draft.rig.began + 60
        draft.say(
            at,
            0,
            "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: "
            "4294967296, reducing to 2147483648",
        )


def _earlier_attempt(draft: SessionDraft) -> None:
    if draft.rig.launcher != "torchrun-srun":
        return
    now, at = draft.rig, draft.rig.began - draft.soon(1800, 9000)
    # Its processes were others.
    draft.rig = replace(now, hosts=tuple(_with_other_pids(host) for host in now.hosts))
    host = draft.rig.hosts[-1]
    rank = draft.rig.ranks_on(host.place)[1]
    draft.say(at, rank, *errors.out_of_memory(draft, rank))
    failed = elastic.agent_failed(draft, at + 3, host.place, rank, 1, "train.py")
    draft.launch(at + 3, host.place, *failed)
    draft.rig = now
    seen = local(now.began - 30, now.host_zone)
    draft.launch(now.began - 30, -1, RULE, f"restart 1 of {now.run}: {seen:%c}", RULE)


def _with_other_pids(host: RigHost) -> RigHost:
    return replace(host, pids=tuple(pid // 2 for pid in host.pids))


DECOYS: Mapping[str, Callable[[SessionDraft], None]] = {
    "mended-flap": _mended_flap,
    "old-program-fault": _old_program_fault,
    "old-row": _old_row,
    "corrected-memory": _corrected_memory,
    "corrected-bus": _corrected_bus,
    "file-server-back": _file_server_back,
    "another-killed": _another_killed,
    "barrier-warning": _barrier_warning,
    "python-warnings": _python_warnings,
    "plugin-missing": _plugin_missing,
    "overflow": _overflow,
    "earlier-attempt": _earlier_attempt,
}
# Old trouble that only a date tells from the session's own.
NEEDS_DATES = frozenset(
    {"mended-flap", "old-program-fault", "old-row", "file-server-back", "another-killed"}
)


def add(draft: SessionDraft, *, is_dated: bool, must: bool = False) -> None:
    """Add some decoys; those that only a date unmasks where logs carry dates."""
    fit = [name for name in DECOYS if is_dated or name not in NEEDS_DATES]
    chosen = draft.rng.sample(fit, min(len(fit), draft.rng.randrange(0, 5)))
    if must:
        chosen = sorted({*chosen, "mended-flap", "old-row", "another-killed"})
    for name in chosen:
        DECOYS[name](draft)
    draft.decoys = sorted(chosen)


def echoes(draft: SessionDraft) -> None:
    """Let kernels print what they print whenever processes with a GPU are ended."""
    if draft.rng.random() < 0.5:
        return
    for host in draft.rig.hosts:
        if draft.silent_after.get(host.place, draft.ends + 9) > draft.ends:
            draft.kernel(draft.ends + 1, host.place, driver.benign(draft))
