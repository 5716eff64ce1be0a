"""Measured values as people read them: three digits, a prefix, the unit."""

from typing import Final

PREFIXES: Final = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
SMALL: Final = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
# Units that take no prefix: what counts, and what nobody scales.
PLAIN: Final = frozenset({"", "°C", "code", "flag", "bits", "state", "times", "unix seconds"})
SYMBOLS: Final = {"seconds": "s", "bytes": "B", "watts": "W", "joules": "J", "volts": "V"}


def amount(value: float | None, unit: str) -> str:
    """Return a value with its unit: 1.9 GHz, 93 %, 126 ms; nothing for a value nobody has."""
    if value is None:
        return ""
    if unit == "ratio":
        return f"{_digits(value * 100)} %"
    quantity, slash, per = unit.partition("/")
    symbol = SYMBOLS.get(quantity, quantity)
    rate = {"s": "/s", "seconds": "/s"}.get(per, slash + per)
    if quantity in PLAIN or (quantity not in SYMBOLS and len(quantity) > 3):
        return f"{_counted(value)} {symbol}{rate}".strip()
    scale, prefix = _prefix(abs(value), SMALL if quantity == "seconds" else PREFIXES)
    return f"{_digits(value / scale)} {prefix}{symbol}{rate}"


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
