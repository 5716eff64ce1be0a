# ruff: noqa: E501  the vendors' lines are long
"""Storage faults: file servers, full disks, slow checkpoints, starved loaders."""

from tests.score.sessions import cascade, frameworks, kernel, life
from tests.score.sessions.c10d import Work
from tests.score.sessions.life import Life
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer

NFS = Answer(layer="storage", causes=("nfs-unavailable",))


def _saving(scene: Scene) -> tuple[Life, float]:
    """Tell a run that has just begun to write a checkpoint."""
    one = life.run(scene)
    at = one.stopped_at + 0.3
    frameworks.save_started(scene, at, one.step, one.path)
    return one, at


def _open_error(error: str) -> list[str]:
    return [
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 455, in <module>',
        "    save_checkpoint(iteration, model, optimizer)",
        '  File "/usr/local/lib/python3.10/dist-packages/torch/serialization.py", line 850, in save',
        "    with _open_zipfile_writer(f) as opened_zipfile:",
        error,
    ]


def server_gone(scene: Scene) -> Told:
    """A file server stops answering: all clients in the same minute, tasks stuck in D state."""
    rng = scene.rng
    telling = rng.choice(("at-save", "in-run", "timed-out"))
    one, at = _saving(scene) if telling != "in-run" else (life.run(scene), 0.0)
    at = at or one.stopped_at + 1
    server = rng.choice(("10.100.0.60", "nas01", "filer-a.storage.example.net"))
    told = rng.choice(("still trying", "still trying", "timed out"))
    for host in scene.world.hosts:
        moment = at + rng.uniform(20, 75)
        for count in range(rng.randrange(1, 5)):
            scene.kernel(
                host.place, moment + count * 0.4, f"nfs: server {server} not responding, {told}"
            )
        if rng.random() < 0.7:
            for step in range(rng.randrange(1, 4)):
                rank = host.place * 8 + step
                scene.kernel(
                    host.place,
                    moment + 120 + step,
                    *kernel.hung(
                        scene.host_pid(rank),
                        "python3",
                        rng.choice((kernel.NFS_STACK, kernel.RPC_STACK)),
                    ),
                )
    quiet = range(8) if telling != "timed-out" else range(0, scene.world.size, 8)
    if telling == "timed-out":
        moment = at + rng.uniform(180, 240)
        lines = _open_error(
            f"OSError: [Errno 5] Input/output error: '{one.path}/iter_{one.step:07d}/mp_rank_00/model_optim_rng.pt'"
        )
        cascade.crash(scene, one, 0, moment, lines, manner="killed")
    else:
        cascade.hang(scene, one, quiet, what=Work(seq=one.seq, op="ALLREDUCE", numel=1))
    places = tuple(host.place for host in scene.world.hosts)
    return Told(answers=(NFS,), kind="server", needs_kernel=places, telling=telling)


def stale_handle(scene: Scene) -> Told:
    """A file handle goes stale under a rank."""
    one, at = _saving(scene)
    rng = scene.rng
    telling = rng.choice(("python", "kernel-too"))
    rank = rng.randrange(scene.world.size)
    if telling == "kernel-too":
        scene.kernel(
            rank // 8, at + 2, "NFS: server nas01 error: stale file handle in update_open_stateid"
        )
    lines = _open_error(
        f"OSError: [Errno 116] Stale file handle: '{one.path}/iter_{one.step:07d}/mp_rank_{rank % 8:02d}/model_optim_rng.pt'"
    )
    cascade.crash(scene, one, rank, at + rng.uniform(3, 9), lines)
    return Told(answers=(NFS,), kind="mount", telling=telling)


def eviction(scene: Scene) -> Told:
    """A Lustre target evicts a client, whose writes fail at once."""
    one, at = _saving(scene)
    rng = scene.rng
    place = scene.pick_host()
    rank = place * 8 + rng.randrange(8)
    target = f"fs1-OST{rng.randrange(64):04x}"
    osc = f"{target}-osc-ffff9a{rng.getrandbits(40):010x}"
    telling = rng.choice(("evicted", "evicted", "lost-and-hung"))
    scene.kernel(
        place,
        at + 6,
        f"Lustre: {osc}: Connection to {target} (at 172.28.1.43@o2ib) was lost; in progress operations using this service will wait for recovery to complete",
    )
    if telling == "lost-and-hung":
        scene.kernel(
            place,
            at + 126,
            *kernel.hung(
                scene.host_pid(rank),
                "python3",
                (
                    "ldlm_completion_ast+0x62d/0xa40 [ptlrpc]",
                    "ldlm_cli_enqueue_fini+0x96f/0xdf0 [ptlrpc]",
                    "osc_enqueue_base+0x1a6/0x5b0 [osc]",
                ),
            ),
        )
        cascade.hang(scene, one, [rank, *range(8)])
    else:
        scene.kernel(
            place,
            at + 40,
            f"LustreError: 167-0: {osc}: This client was evicted by {target}; in progress operations using this service will fail.",
            f"LustreError: 11-0: {osc}: operation ost_write to node 172.28.1.43@o2ib failed: rc = -107",
            f"Lustre: {osc}: Connection restored to  (at 172.28.1.43@o2ib)",
        )
        lines = _open_error(
            f"OSError: [Errno 108] Cannot send after transport endpoint shutdown: '{one.path}/iter_{one.step:07d}/__{rank}_0.distcp'"
        )
        cascade.crash(scene, one, rank, at + 41, lines)
    return Told(answers=(NFS,), hosts=(), kind="mount", needs_kernel=(place,), telling=telling)


def disk_full(scene: Scene) -> Told:
    """The checkpoint file system has no space left."""
    one, at = _saving(scene)
    rng = scene.rng
    telling = rng.choice(("errno", "writer", "quota"))
    rank = rng.choice((0, 0, rng.randrange(scene.world.size)))
    file = f"{one.path}/iter_{one.step:07d}/__{rank}_0.distcp"
    errors = {
        "errno": [f"OSError: [Errno 28] No space left on device: '{file}'"],
        "writer": [
            "RuntimeError: [enforce fail at inline_container.cc:603] . PytorchStreamWriter failed writing file data/12: file write failed",
            "",
            "During handling of the above exception, another exception occurred:",
            "",
            "Traceback (most recent call last):",
            '  File "/usr/local/lib/python3.10/dist-packages/torch/serialization.py", line 691, in __exit__',
            "    self.file_like.write_end_of_file()",
            "OSError: [Errno 28] No space left on device",
        ],
        "quota": [f"OSError: [Errno 122] Disk quota exceeded: '{file}'"],
    }
    cascade.crash(
        scene, one, rank, at + rng.uniform(10, 60), [*_open_error("")[:-1], *errors[telling]]
    )
    answers = (Answer(layer="storage", causes=("disk-full",)),)
    return Told(answers=answers, kind="mount", telling=telling)


def slow_save(scene: Scene) -> Told:
    """A save on the first rank outlasts the time limit: the others wait exactly that long."""
    one, at = _saving(scene)
    telling = scene.rng.choice(("barrier", "finished-late"))
    what = Work(seq=one.seq, op="ALLREDUCE", numel=1)
    over = cascade.hang(scene, one, [0], at=at + 0.4, what=what, stuck=0)
    if telling == "finished-late":
        scene.dead.clear()
        took = over - at - 2
        frameworks.save_done(scene, at + took, one.step, one.path, took)
    answers = (Answer(layer="storage", causes=("checkpoint-slow",)),)
    return Told(answers=answers, kind="mount", telling=telling)


def starved(scene: Scene) -> Told:
    """The input pipeline gets nothing from storage: waits grow, then a loader times out."""
    rng = scene.rng
    one = life.run(scene)
    rank = rng.randrange(scene.world.size)
    telling = rng.choice(("loader-timeout", "slow-reads"))
    at = one.stopped_at
    for step in range(6):
        number, wait = one.step + step + 1, 8.0 * 2**step
        at += wait
        local = scene.local(0, at)
        scene.rank(
            0,
            at,
            f"[{local:%Y-%m-%d %H:%M:%S}] WARNING data: step {number}: waited {wait:.1f} s for the next batch (read of /data/shards/train-{number:05d}.tar took {wait - 0.4:.1f} s)",
            is_error=False,
        )
        frameworks.progress(scene, frameworks.Step(number=number, at=at + 1, seconds=wait + 1))
    if telling == "slow-reads":
        server = "10.100.0.60"
        for host in scene.world.hosts:
            moment = at + rng.uniform(20, 40)
            scene.kernel(host.place, moment, f"nfs: server {server} not responding, still trying")
            scene.kernel(host.place, moment + rng.uniform(20, 50), f"nfs: server {server} OK")
    fault = [
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 301, in train',
        "    batch = next(data_iterator)",
        '  File "/usr/local/lib/python3.10/dist-packages/torch/utils/data/dataloader.py", line 1254, in _get_data',
        "    raise RuntimeError(f'DataLoader timed out after {self._timeout} seconds')",
        "RuntimeError: DataLoader timed out after 300 seconds",
    ]
    cascade.crash(scene, one, rank, at + 301, fault, manner="killed")
    places = tuple(host.place for host in scene.world.hosts) if telling == "slow-reads" else ()
    answers = (Answer(layer="storage", causes=("dataloader-stall", "nfs-unavailable")),)
    return Told(answers=answers, kind="mount", needs_kernel=places, telling=telling)


def local_disk(scene: Scene) -> Told:
    """A local NVMe disk dies and its file system turns read-only."""
    one, at = _saving(scene)
    rng = scene.rng
    place = scene.pick_host()
    rank = place * 8 + rng.randrange(8)
    disk = f"nvme{rng.randrange(4)}"
    scene.kernel(
        place,
        at + 3,
        f"nvme {disk}: I/O tag 22 (2016) opcode 0x1 (I/O Cmd) QID 14 timeout, aborting req_op:WRITE(1) size:131072",
        f"nvme {disk}: I/O tag 22 (2016) opcode 0x1 (I/O Cmd) QID 14 timeout, reset controller",
    )
    scene.kernel(
        place,
        at + 62,
        f"nvme {disk}: Disabling device after reset failure: -19",
        f"I/O error, dev {disk}n1, sector 6442712256 op 0x1:(WRITE) flags 0x8800 phys_seg 8 prio class 2",
        f"EXT4-fs error (device {disk}n1p2): ext4_journal_check_start:83: comm python3: Detected aborted journal",
        f"EXT4-fs ({disk}n1p2): Remounting filesystem read-only",
    )
    lines = _open_error(
        f"OSError: [Errno {rng.choice(('30] Read-only file system', '5] Input/output error'))}: '/scratch/local/ckpt/shard_{rank}.pt'"
    )
    cascade.crash(scene, one, rank, at + 63, lines)
    return Told(
        answers=(Answer(layer="storage"),),
        hosts=(place,),
        kind="node",
        needs_kernel=(place,),
        telling="nvme",
    )


FAULTS = {
    "nfs-gone": server_gone,
    "stale-handle": stale_handle,
    "lustre-eviction": eviction,
    "disk-full": disk_full,
    "slow-save": slow_save,
    "starved-loader": starved,
    "local-disk": local_disk,
}
