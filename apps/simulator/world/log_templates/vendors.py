"""The file server and the leaf switches, as their vendors' collectors forward them (UTC)."""

from datetime import UTC, datetime


def storage(*, at: float, level: str, text: str) -> str:
    """Return a line of the file server's event log."""
    stamp = datetime.fromtimestamp(at, UTC)
    return (
        f"{stamp:%Y-%m-%dT%H:%M:%S}.{stamp.microsecond // 1000:03d}Z strata-nas1 nfsd[771] "
        f"{level}: {text}"
    )


def switch(*, at: float, name: str, text: str) -> str:
    """Return a line of a switch's syslog."""
    stamp = datetime.fromtimestamp(at, UTC)
    return f"{stamp:%b} {stamp.day:2d} {stamp:%H:%M:%S}.{stamp.microsecond:06d} {name} {text}"


def port_state(*, port: str, is_up: bool) -> str:
    """Return that the switch agent saw a port change."""
    was, now = ("down", "up") if is_up else ("up", "down")
    return (
        f"NOTICE swss#orchagent: :- updatePortOperStatus: Port {port} oper state set from "
        f"{was} to {now}"
    )
