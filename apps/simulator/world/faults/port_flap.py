"""A port goes down and comes back, too late: retries run out on the peers' side."""

from apps.simulator.world.cascade import (
    kernel_lines,
    launchers_give_up,
    peers_lost,
    scheduler_ends,
    session_line,
)
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.log_templates import kernel, nccl, vendors
from apps.simulator.world.machines.cluster import leaf_port, netdev
from apps.simulator.world.story import (
    Culprit,
    Effect,
    FaultOutcome,
    FaultScene,
    PrintedLine,
    Truth,
    Weight,
)

_RETRY_SECONDS = 30.0  # NCCL_IB_TIMEOUT 20, NCCL_IB_RETRY_CNT 7


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt, rank = scene.attempt, scene.victim_rank()
    host, rail = attempt.host(rank), attempt.gpu(rank)
    node = scene.node(host)
    back_at = scene.at + scene.dice.between("down", 38.0, 75.0)
    lines = kernel_lines(host=host, at=scene.at, texts=[kernel.link(rail=rail, is_up=False)])
    lines += kernel_lines(
        host=host,
        at=back_at,
        texts=[
            kernel.link(rail=rail, is_up=True),
            f"IPv6: ADDRCONF(NETDEV_CHANGE): {netdev(rail)}: link becomes ready",
        ],
    )
    lines += _switch(scene, host, rail, back_at)
    event = nccl.port_event(
        attempt=attempt, node=node, rank=rank, at=scene.at + 0.3, event="port error"
    )
    lines.append(session_line(attempt=attempt, rank=rank, at=scene.at + 0.3, text=event))
    given_up = scene.at + _RETRY_SECONDS
    world = attempt.world_size
    for step, is_receive in ((8, True), (-8, False)):
        peer_rank = (rank + step) % world
        peer = scene.node(attempt.host(peer_rank))
        for repeat in range(2):
            at = given_up + scene.dice.between(f"retry/{step}/{repeat}", 0.0, 1.8)
            text = nccl.retries_exhausted(
                attempt=attempt, node=peer, rank=peer_rank, at=at, peer=node, is_receive=is_receive
            )
            lines.append(session_line(attempt=attempt, rank=peer_rank, at=at, text=text))
    own = nccl.retries_exhausted(
        attempt=attempt,
        node=node,
        rank=rank,
        at=given_up + 0.9,
        peer=scene.node(attempt.host((rank + 8) % world)),
        is_receive=False,
    )
    lines.append(session_line(attempt=attempt, rank=rank, at=given_up + 0.9, text=own))
    lines += peers_lost(scene=scene, attempt=attempt, dead=[rank], at=given_up + 2.0, share=0.1)
    lines += launchers_give_up(
        scene=scene, attempt=attempt, first=(rank + 8) % world, code=-6, at=given_up + 6.0
    )
    ended = given_up + 36.0
    lines += scheduler_ends(scene=scene, attempt=attempt, at=ended, state="failed")
    more, effects = add(scene=scene, names=("old-xid", "mlx5-noise", "mass-45"))
    return FaultOutcome(
        truth=Truth(
            scenario="port-flap",
            kind="link-down",
            attempts=(attempt,),
            layer="network",
            cause="link-down",
            culprits=(Culprit(kind="nic", host=host, name=f"mlx5_{rail}", rank=rank),),
            has_incident=True,
            status="likely",
            parties=scene.parties("verdant"),
            failed_at=scene.at,
            newest_evidence_at=max(ended, back_at),
        ),
        lines=tuple(lines + more),
        effects=tuple(effects + _effects(scene, rank, back_at)),
        halts={attempt.key: scene.at},
        ended_at={attempt.key: ended},
        exit_codes={attempt.key: {(rank + 8) % world: -6}},
    )


def _switch(scene: FaultScene, host: str, rail: int, back_at: float) -> list[PrintedLine]:
    switch, port = leaf_port(scene.node(host), rail)
    return [
        PrintedLine(
            at=at,
            stream="fabric",
            host=switch,
            weight=Weight.FAULT,
            text=vendors.switch(
                at=at, name=switch, text=vendors.port_state(port=port, is_up=is_up)
            ),
        )
        for at, is_up in ((scene.at + 0.1, False), (back_at - 0.2, True))
    ]


def _effects(scene: FaultScene, rank: int, back_at: float) -> list[Effect]:
    attempt, rail = scene.attempt, scene.attempt.gpu(rank)
    host, device, interface = (
        attempt.host(rank),
        {"device": f"mlx5_{rail}"},
        {"device": netdev(rail)},
    )
    effects = [
        Effect(
            metric=metric,
            host=host,
            how=how,
            starts_at=scene.at,
            ends_at=back_at if how == "set" else float("inf"),
            amount=amount,
            match=match,
        )
        for metric, how, amount, match in (
            ("node_infiniband_link_downed_total", "step", 1.0, device),
            ("node_infiniband_link_error_recovery_total", "step", 1.0, device),
            ("node_infiniband_state_id", "set", 1.0, device),
            ("node_infiniband_physical_state_id", "set", 2.0, device),
            ("node_network_carrier_changes_total", "step", 2.0, interface),
            ("node_network_carrier", "set", 0.0, interface),
            ("node_network_up", "set", 0.0, interface),
        )
    ]
    for step in (8, -8):
        peer = attempt.host((rank + step) % attempt.world_size)
        effects.append(
            Effect(
                metric="node_infiniband_local_ack_timeout_errors_total",
                host=peer,
                how="ramp",
                starts_at=scene.at + 4.0,
                ends_at=scene.at + _RETRY_SECONDS,
                amount=14.0,
                match=device,
            )
        )
    return effects


PORT_FLAP = SimulatedFault(name="port-flap", strike=_strike)
