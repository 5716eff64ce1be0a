"""Switches and the subnet manager: opensm's log, and syslog of SONiC and NX-OS."""

from tests.score.second.draft import FabricLine, SessionDraft
from tests.score.second.stamps import local

SWITCHES = ("leaf-07", "tor-b12", "spine-02", "ib-leaf-3", "lf101")


def opensm(draft: SessionDraft, at: float, level: str, text: str) -> None:
    """Write a line of opensm: local time with microseconds, thread, level."""
    seen = local(at, draft.rig.host_zone)
    line = f"{seen:%b %d %H:%M:%S} {seen:%f} [{0xA7C4_F700:08X}] {level} -> {text}"
    draft.fabric.append(FabricLine(at=at, device="opensm", text=line))


def sonic(draft: SessionDraft, at: float, device: str, level: str, text: str) -> None:
    """Write a line of a switch with SONiC."""
    seen = local(at, draft.rig.host_zone)
    line = f"{seen:%b %d %H:%M:%S.%f} {device} {level} {text}"
    draft.fabric.append(FabricLine(at=at, device=device, text=line))


def nxos(draft: SessionDraft, at: float, device: str, text: str) -> None:
    """Write a line of a switch with NX-OS."""
    seen = local(at, draft.rig.host_zone)
    line = f"{seen:%Y %b %d %H:%M:%S} {device} {text}"
    draft.fabric.append(FabricLine(at=at, device=device, text=line))


def port_changed(draft: SessionDraft, at: float, device: str, port: int, *, up: bool) -> None:
    """Write that a port went down or came up, in the words of the kind of fabric."""
    state = "up" if up else "down"
    if draft.rig.fabric == "ib":
        opensm(
            draft,
            at,
            "0x01",
            "log_notice: Received Generic Notice type:1 num:128 (Link state change) Producer:2 "
            f"(Switch) from LID:{20 + port} TID:0x{port * 4096:016x}",
        )
        return
    if draft.rig.job % 2:
        sonic(
            draft,
            at,
            device,
            "NOTICE",
            f"swss#orchagent: :- updatePortOperStatus: Port Ethernet{4 * port} oper state set "
            f"from {'down to up' if up else 'up to down'}",
        )
        return
    if up:
        nxos(
            draft,
            at,
            device,
            f"%ETHPORT-5-IF_UP: Interface Ethernet1/{port} is {state} in mode trunk",
        )
        return
    nxos(
        draft,
        at,
        device,
        f"%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/{port} is down (Link failure)",
    )


def port_removed(draft: SessionDraft, at: float, place: int, card: str) -> None:
    """Write that the subnet manager dropped a port of a host."""
    host = draft.rig.hosts[place]
    guid = 0xB83F_D203_0000_0000 + place * 4096
    opensm(
        draft,
        at,
        "0x02",
        "log_notice: Reporting Generic Notice type:3 num:65 (GID out of service) from "
        f"LID:1 GID:fe80::{guid >> 48:x}:{guid >> 32 & 0xFFFF:x}:0:{guid & 0xFFFF:x}",
    )
    opensm(
        draft,
        at + 0.001,
        "0x02",
        f"drop_mgr_remove_port: Removed port with GUID:0x{guid:016x} LID range [{40 + place}, "
        f"{40 + place}] of node:{host.name} {card}",
    )
