"""A moment as programs write it. Zones are minutes east of Greenwich."""

from datetime import datetime, timedelta, timezone


def local(at: float, zone: int) -> datetime:
    """Return the moment in a zone."""
    return datetime.fromtimestamp(at, tz=timezone(timedelta(minutes=zone)))


def glog(at: float, zone: int, digits: int = 6) -> str:
    """Return month, day and time as glog and klog write them: 0214 09:15:02.123456."""
    seen = local(at, zone)
    part = f"{seen:%f}" + "000"
    return f"{seen:%m%d %H:%M:%S}.{part[:digits]}"


def torch_glog(at: float, zone: int) -> str:
    """Return the same as c10 writes it: month without a leading zero, nanoseconds."""
    seen = local(at, zone)
    return f"{seen.month}{seen:%d %H:%M:%S}.{seen:%f}{int(at * 1e9) % 1000:03d}"


def comma(at: float, zone: int) -> str:
    """Return date and time as Python's logging writes them."""
    seen = local(at, zone)
    return f"{seen:%Y-%m-%d %H:%M:%S},{seen.microsecond // 1000:03d}"


def plain(at: float, zone: int) -> str:
    """Return date and time to the second."""
    return f"{local(at, zone):%Y-%m-%d %H:%M:%S}"


def iso(at: float, zone: int, *, millis: bool = False) -> str:
    """Return ISO 8601 without a zone, as Slurm writes it."""
    seen = local(at, zone)
    return f"{seen:%Y-%m-%dT%H:%M:%S}" + (f".{seen.microsecond // 1000:03d}" if millis else "")


def offset(zone: int, colon: str = ":") -> str:
    """Return a zone as +09:00."""
    sign = "-" if zone < 0 else "+"
    return f"{sign}{abs(zone) // 60:02d}{colon}{abs(zone) % 60:02d}"


def utc(at: float) -> str:
    """Return ISO 8601 in UTC with a Z."""
    return f"{local(at, 0):%Y-%m-%dT%H:%M:%SZ}"
