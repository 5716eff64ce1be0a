"""Storage: NFS, Lustre, full file systems, a local drive, checkpoints and data that come slowly."""

from collections.abc import Callable, Mapping

from tests.score.second import aftermath, checkpoints
from tests.score.second.draft import WARNING, SessionDraft
from tests.score.second.lines import linux
from tests.score.second.lines.errors import traceback
from tests.score.second.outcome import Outcome, named


def nfs_silent(draft: SessionDraft) -> Outcome:
    """A file server stops answering while rank 0 saves; all others wait in a barrier."""
    at = draft.stops
    server = draft.rng.choice(("nas01", "10.8.0.20", "filer-2.hpc.example.org"))
    for host in draft.rig.hosts:
        draft.kernel(
            at + draft.soon(20, 180),
            host.place,
            f"nfs: server {server} not responding, still trying",
            level=WARNING,
        )
    draft.kernel(
        at + 245,
        0,
        *linux.hung(draft, draft.rig.pid_of(0), "python3", linux.IN_NFS),
    )
    checkpoints.save(draft, at - 0.5, draft.rig.first_step + 500, seconds=9e9)
    aftermath.hang(draft, at, [0], operation="ALLREDUCE")
    return Outcome(
        answers=named("storage", "nfs-unavailable"),
        tells_kernel=(0,),
        kind="file-system",
        telling="hangs in a save",
    )


def nfs_stale(draft: SessionDraft) -> Outcome:
    """A file system was exported anew: a rank's open file is stale."""
    _host, rank = draft.victim()
    at = draft.stops
    name = f"/data/shards/part-{draft.rng.randrange(10**5):06d}.bin"
    ended = traceback(draft, rank, [f"OSError: [Errno 116] Stale file handle: '{name}'"])
    aftermath.crash(draft, at, rank, ended, 1)
    return Outcome(answers=named("storage"), telling="stale handle", kind="file-system")


def lustre_evicts(draft: SessionDraft) -> Outcome:
    """A Lustre server throws a client out; its open files fail."""
    host, rank = draft.victim()
    at = draft.stops
    server, target = "10.30.0.11", f"scratch-OST{draft.rng.randrange(64):04x}"
    draft.kernel(
        at - 110, host.place, linux.lustre_lost(draft, server=server, target=target), level=WARNING
    )
    draft.kernel(at, host.place, linux.lustre_evicted(draft, target=target))
    draft.kernel(
        at + 1,
        host.place,
        linux.lustre_restored(draft, server=server, target=target),
        level=WARNING,
    )
    name = f"/scratch/{draft.rig.user}/data/idx.npy"
    ended = traceback(draft, rank, [f"OSError: [Errno 5] Input/output error: '{name}'"])
    aftermath.crash(draft, at + 0.4, rank, ended, 1)
    return Outcome(
        answers=named("storage"),
        tells_kernel=(host.place,),
        kind="file-system",
        telling="evicted, EIO",
    )


def lustre_waits(draft: SessionDraft) -> Outcome:
    """A Lustre target is lost for good: writes of one rank wait, and others give it up."""
    host, rank = draft.victim()
    at = draft.stops
    target = f"work-OST{draft.rng.randrange(64):04x}"
    draft.kernel(
        at + 5,
        host.place,
        linux.lustre_lost(draft, server="10.30.0.12", target=target),
        level=WARNING,
    )
    draft.kernel(
        at + 130,
        host.place,
        *linux.hung(draft, draft.rig.pid_of(rank), "python3", linux.IN_LUSTRE),
    )
    aftermath.hang(draft, at, [rank])
    return Outcome(
        answers=named("storage"),
        tells_kernel=(host.place,),
        kind="file-system",
        telling="connection lost, task hung",
    )


def no_space(draft: SessionDraft) -> Outcome:
    """The file system of checkpoints is full."""
    at = draft.stops
    step = draft.rig.first_step + 400
    checkpoints.save(draft, at - 6, step, seconds=9e9)
    path = f"/ckpt/{draft.rig.run}/step{step}/__0_0.distcp"
    last = draft.rng.choice(
        (
            f"OSError: [Errno 28] No space left on device: '{path}'",
            "RuntimeError: [enforce fail at inline_container.cc:664] . unexpected pos 1376 vs 1270",
        )
    )
    lines = traceback(draft, 0, [last])
    if "enforce" in last:
        lines = traceback(
            draft,
            0,
            [
                "OSError: [Errno 28] No space left on device",
                "",
                "During handling of the above exception, another exception occurred:",
                "",
                last,
            ],
        )
    aftermath.crash(draft, at, 0, lines, 1)
    return Outcome(answers=named("storage", "disk-full"), kind="file-system")


def quota(draft: SessionDraft) -> Outcome:
    """A person's quota of the checkpoints' file system is used up."""
    at = draft.stops
    checkpoints.save(draft, at - 6, draft.rig.first_step + 400, seconds=9e9)
    path = f"/ckpt/{draft.rig.run}/optim_states.pt"
    ended = traceback(draft, 0, [f"OSError: [Errno 122] Disk quota exceeded: '{path}'"])
    aftermath.crash(draft, at, 0, ended, 1)
    return Outcome(answers=named("storage", "disk-full"), kind="file-system")


def drive_lost(draft: SessionDraft) -> Outcome:
    """A local drive under the data cache is gone: a rank's reads fail."""
    host, rank = draft.victim()
    at = draft.stops
    draft.kernel(at - 3, host.place, *linux.nvme_gone(draft))
    name = f"/local/cache/shard_{draft.rng.randrange(10**4):05d}.tar"
    ended = traceback(draft, rank, [f"OSError: [Errno 5] Input/output error: '{name}'"])
    aftermath.crash(draft, at, rank, ended, 1)
    return Outcome(
        answers=named("storage"),
        places=(host.place,),
        tells_kernel=(host.place,),
        telling="EIO of a local drive",
    )


def slow_save(draft: SessionDraft) -> Outcome:
    """A checkpoint takes longer than peers wait in their barrier."""
    at = draft.stops
    checkpoints.save(draft, at - 0.5, draft.rig.first_step + 800, seconds=draft.rig.timeout + 240.0)
    aftermath.hang(draft, at, [0], operation="ALLREDUCE")
    return Outcome(
        answers=named("storage", "checkpoint-slow", "nfs-unavailable"),
        kind="file-system",
        telling="save begun, never told to be over",
    )


FAULTS: Mapping[str, Callable[[SessionDraft], Outcome]] = {
    "store-nfs-silent": nfs_silent,
    "store-nfs-stale": nfs_stale,
    "store-lustre-evicted": lustre_evicts,
    "store-lustre-lost": lustre_waits,
    "store-no-space": no_space,
    "store-quota": quota,
    "store-local-drive": drive_lost,
    "store-slow-save": slow_save,
}
