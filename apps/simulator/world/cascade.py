"""What follows from a fault on everybody else: peers, watchdogs, launchers, scheduler."""

from collections.abc import Iterable

from apps.simulator.world.log_templates import c10d, nccl, scheduler, torchrun
from apps.simulator.world.story import FaultScene, PrintedLine, SimulatedAttempt, Weight

SCHEDULER_HOST = scheduler.CONTROLLER


def session_line(
    *, attempt: SimulatedAttempt, rank: int, at: float, text: str, weight: Weight = Weight.FAULT
) -> PrintedLine:
    """Return a record printed by one rank."""
    return PrintedLine(
        at=at,
        stream="session",
        host=attempt.host(rank),
        rank=rank,
        text=text,
        attempt=attempt,
        weight=weight,
    )


def kernel_lines(
    *, host: str, at: float, texts: Iterable[str], weight: Weight = Weight.FAULT
) -> list[PrintedLine]:
    """Return consecutive kernel messages; the collector's prefix is put on later."""
    return [
        PrintedLine(at=at + 0.0007 * i, stream="kernel", host=host, text=text, weight=weight)
        for i, text in enumerate(texts)
    ]


def neighbours(
    *, scene: FaultScene, attempt: SimulatedAttempt, ranks: Iterable[int], share: float
) -> list[int]:
    """Return the ranks that hold a connection to a dead one, and a share of the rest."""
    world = attempt.world_size
    dead = set(ranks)
    near = {(rank + step) % world for rank in dead for step in (-8, 8)}
    far = [r for r in range(world) if scene.dice.fraction(f"far/{attempt.key}/{r}") < share]
    return sorted((near | set(far)) - dead)


def peers_lost(
    *, scene: FaultScene, attempt: SimulatedAttempt, dead: list[int], at: float, share: float
) -> list[PrintedLine]:
    """Return how the ranks around a dead process learn of it, within a second or two."""
    lines = []
    for rank in neighbours(scene=scene, attempt=attempt, ranks=dead, share=share):
        node = scene.node(attempt.host(rank))
        is_next = abs(rank - dead[0]) in {8, attempt.world_size - 8}
        # Who holds a connection notices first; the others lose peers that gave up meanwhile.
        delay = (0.02, 0.7) if is_next else (1.1, 3.4)
        moment = at + scene.dice.between(f"lost/{rank}", *delay)
        lost = dead[0] if is_next else (rank + 8) % attempt.world_size
        other = scene.node(attempt.host(lost))
        text = nccl.peer_closed(attempt=attempt, node=node, rank=rank, at=moment, peer=other)
        lines.append(session_line(attempt=attempt, rank=rank, at=moment, text=text))
        error = c10d.remote_error(
            attempt=attempt, last_error=text.strip().partition("NCCL WARN ")[2]
        )
        said = c10d.watchdog_error(
            attempt=attempt, node=node, rank=rank, at=moment + 0.3, error=error
        )
        lines.append(session_line(attempt=attempt, rank=rank, at=moment + 0.3, text=said))
    return lines


def waited_in_vain(  # noqa: PLR0913  a watchdog line has that many fields
    *,
    scene: FaultScene,
    attempt: SimulatedAttempt,
    since: float,
    silent: set[int],
    share: float,
    op: str,
    numel: int,
    timeout_seconds: int = 600,
) -> list[PrintedLine]:
    """Return the watchdog lines of the ranks that waited; the silent ones print nothing."""
    seq = scene.dice.integer(f"seq/{attempt.key}", 20_000, 400_000)
    described = c10d.work(seq=seq, op=op, numel=numel, timeout_ms=timeout_seconds * 1000)
    lines = []
    for rank in range(attempt.world_size):
        if rank in silent or scene.dice.fraction(f"waits/{attempt.key}/{rank}") >= share:
            continue
        node = scene.node(attempt.host(rank))
        over = scene.dice.between(f"over/{attempt.key}/{rank}", 0.01, 0.9)
        at = since + timeout_seconds + over
        texts = [
            c10d.watchdog_timeout(
                attempt=attempt,
                node=node,
                rank=rank,
                at=at,
                described=described,
                ran_ms=int(timeout_seconds * 1000 + over * 90),
            ),
            c10d.failure_status(attempt=attempt, node=node, rank=rank, at=at, seq=seq),
        ]
        if rank % 8 == 0:
            texts += c10d.taking_down(attempt=attempt, node=node, rank=rank, at=at + 0.4)
        lines += [
            session_line(attempt=attempt, rank=rank, at=at + 0.001 * i, text=text)
            for i, text in enumerate(texts)
        ]
    return lines


def launchers_give_up(
    *,
    scene: FaultScene,
    attempt: SimulatedAttempt,
    first: int,
    code: int,
    at: float,
    node_share: float = 0.3,
) -> list[PrintedLine]:
    """Return the agents' reports: the culprit's node first, then a share of the others."""
    home = attempt.host(first)
    lines = _launcher(scene, attempt, first, code, at)
    for host in attempt.hosts:
        if host == home or scene.dice.fraction(f"gives up/{attempt.key}/{host}") >= node_share:
            continue
        later = at + scene.dice.between(f"later/{attempt.key}/{host}", 1.5, 9.0)
        ranks = attempt.ranks_on(host)
        hit = ranks[scene.dice.integer(f"hit/{attempt.key}/{host}", 0, 7)]
        lines += _launcher(scene, attempt, hit, -6, later)
    return lines


def _launcher(
    scene: FaultScene, attempt: SimulatedAttempt, first: int, code: int, at: float
) -> list[PrintedLine]:
    node = scene.node(attempt.host(first))
    ranks = attempt.ranks_on(node.name)
    speaker = ranks[0]
    others = tuple(rank for rank in ranks if rank != first)
    texts = torchrun.closing(attempt=attempt, node=node, at=at, ranks=others[:3])
    texts.append(torchrun.failed(attempt=attempt, node=node, at=at + 0.6, rank=first, code=code))
    return [
        session_line(attempt=attempt, rank=speaker, at=at + 0.1 * i, text=text)
        for i, text in enumerate(texts)
    ]


def scheduler_ends(
    *,
    scene: FaultScene,
    attempt: SimulatedAttempt,
    at: float,
    state: str,
    weight: Weight = Weight.FAULT,
) -> list[PrintedLine]:
    """Return what the platform's controller logs when the attempt is over."""
    node = scene.node(attempt.hosts[0])
    return [
        PrintedLine(
            at=at + 0.2 * i,
            stream="scheduler",
            host=SCHEDULER_HOST,
            attempt=attempt,
            text=scheduler.say(node=node, attempt=attempt, at=at + 0.2 * i, text=text),
            weight=weight,
        )
        for i, text in enumerate(scheduler.ended(attempt=attempt, state=state))
    ]
