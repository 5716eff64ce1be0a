"""Measured values as people read them: three digits, a prefix, the unit."""

from collections.abc import Callable
from typing import Final

from apps.wording.translatable import gettext_noop

PREFIXES: Final = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
SMALL: Final = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
# Units that take no prefix: what nobody scales.
PLAIN: Final = frozenset({"", "°C", "code", "flag", "bits", "state", "unix seconds", "rpm"})
SYMBOLS: Final = {"seconds": "s", "bytes": "B", "watts": "W", "joules": "J", "volts": "V"}
# Units that bring a prefix of their own: how many of which.
SCALED: Final = {
    "MHz": (1e6, "Hz"),
    "MB": (1e6, "bytes"),
    "GB": (1e9, "bytes"),
    "KiB": (1024.0, "bytes"),
    "MiB": (1024.0**2, "bytes"),
    "µs": (1e-6, "seconds"),
}
# What is counted: one of them, and several.
COUNTED: Final = {
    "GPUs": (gettext_noop("%(n)s GPU"), gettext_noop("%(n)s GPUs")),
    "alerts": (gettext_noop("%(n)s alert"), gettext_noop("%(n)s alerts")),
    "banks": (gettext_noop("%(n)s bank"), gettext_noop("%(n)s banks")),
    "clients": (gettext_noop("%(n)s client"), gettext_noop("%(n)s clients")),
    "codewords": (gettext_noop("%(n)s codeword"), gettext_noop("%(n)s codewords")),
    "connections": (gettext_noop("%(n)s connection"), gettext_noop("%(n)s connections")),
    "cycles": (gettext_noop("%(n)s cycle"), gettext_noop("%(n)s cycles")),
    "disks": (gettext_noop("%(n)s disk"), gettext_noop("%(n)s disks")),
    "errors": (gettext_noop("%(n)s error"), gettext_noop("%(n)s errors")),
    "events": (gettext_noop("%(n)s event"), gettext_noop("%(n)s events")),
    "files": (gettext_noop("%(n)s file"), gettext_noop("%(n)s files")),
    "hosts": (gettext_noop("%(n)s host"), gettext_noop("%(n)s hosts")),
    "jobs": (gettext_noop("%(n)s job"), gettext_noop("%(n)s jobs")),
    "lanes": (gettext_noop("%(n)s lane"), gettext_noop("%(n)s lanes")),
    "links": (gettext_noop("%(n)s link"), gettext_noop("%(n)s links")),
    "nodes": (gettext_noop("%(n)s node"), gettext_noop("%(n)s nodes")),
    "number": ("%(n)s", "%(n)s"),
    "operations": (gettext_noop("%(n)s operation"), gettext_noop("%(n)s operations")),
    "packets": (gettext_noop("%(n)s packet"), gettext_noop("%(n)s packets")),
    "pages": (gettext_noop("%(n)s page"), gettext_noop("%(n)s pages")),
    "percent": ("%(n)s %%", "%(n)s %%"),
    "processes": (gettext_noop("%(n)s process"), gettext_noop("%(n)s processes")),
    "requests": (gettext_noop("%(n)s request"), gettext_noop("%(n)s requests")),
    "rows": (gettext_noop("%(n)s row"), gettext_noop("%(n)s rows")),
    "rules": (gettext_noop("%(n)s rule"), gettext_noop("%(n)s rules")),
    "samples": (gettext_noop("%(n)s sample"), gettext_noop("%(n)s samples")),
    "scrapes": (gettext_noop("%(n)s scrape"), gettext_noop("%(n)s scrapes")),
    "series": (gettext_noop("%(n)s series"), gettext_noop("%(n)s series")),
    "slots": (gettext_noop("%(n)s slot"), gettext_noop("%(n)s slots")),
    "sockets": (gettext_noop("%(n)s socket"), gettext_noop("%(n)s sockets")),
    "steps": (gettext_noop("%(n)s step"), gettext_noop("%(n)s steps")),
    "tasks": (gettext_noop("%(n)s task"), gettext_noop("%(n)s tasks")),
    "threads": (gettext_noop("%(n)s thread"), gettext_noop("%(n)s threads")),
    "ticks": (gettext_noop("%(n)s tick"), gettext_noop("%(n)s ticks")),
    "times": (gettext_noop("%(n)s time"), gettext_noop("%(n)s times")),
    "tokens": (gettext_noop("%(n)s token"), gettext_noop("%(n)s tokens")),
    "transfers": (gettext_noop("%(n)s transfer"), gettext_noop("%(n)s transfers")),
}


def amount(value: float | None, unit: str, *, translate: Callable[[str], str] = str) -> str:
    """Return a value with its unit: 1.9 GHz, 93 %, 126 ms; nothing for a value nobody has."""
    if value is None:
        return ""
    if unit == "ratio":
        return f"{_digits(value * 100)} %"
    quantity, slash, per = unit.partition("/")
    rate = {"s": "/s", "seconds": "/s"}.get(per, slash + per)
    if quantity in COUNTED:
        one, several = COUNTED[quantity]
        return translate(one if value == 1 else several) % {"n": _counted(value)} + rate
    size, quantity = SCALED.get(quantity, (1.0, quantity))
    symbol = SYMBOLS.get(quantity, quantity)
    if quantity in PLAIN or (quantity not in SYMBOLS and len(quantity) > 3):
        return f"{_counted(value)} {symbol}{rate}".strip()
    value *= size
    scale, prefix = _prefix(abs(value), SMALL if quantity == "seconds" else PREFIXES)
    return f"{_digits(value / scale)} {prefix}{symbol}{rate}"


def shared_unit(
    biggest: float, unit: str, *, translate: Callable[[str], str] = str
) -> tuple[float, str]:
    """Return by what many values are multiplied to share one unit with their biggest, and its
    symbol: a legend has one unit for all.
    """
    if unit == "ratio":
        return 100.0, "%"
    quantity, slash, per = unit.partition("/")
    rate = {"s": "/s", "seconds": "/s"}.get(per, slash + per)
    if quantity in COUNTED:
        return 1.0, (translate(COUNTED[quantity][1]) % {"n": ""}).strip() + rate
    size, quantity = SCALED.get(quantity, (1.0, quantity))
    symbol = SYMBOLS.get(quantity, quantity)
    if quantity in PLAIN or (quantity not in SYMBOLS and len(quantity) > 3):
        return 1.0, f"{symbol}{rate}"
    prefixes = SMALL if quantity == "seconds" else PREFIXES
    scale, prefix = _prefix(abs(biggest * size), prefixes)
    return size / scale, f"{prefix}{symbol}{rate}"


def _prefix(size: float, prefixes: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    fitting = [each for each in prefixes if size >= each[0]]
    if not size:
        return 1.0, ""
    return fitting[0] if fitting else prefixes[-1]


def _counted(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else _digits(value)


def _digits(value: float) -> str:
    """Return three digits, more only in front of the point."""
    size = abs(value)
    places = 0 if size >= 100 or size == int(size) else 1 if size >= 10 else 2
    return f"{value:,.{places}f}"
