"""What numbers and durations of a query mean."""

import re

_DURATION = re.compile(r"(\d{1,18})(ms|[smhdwy])")
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}


def duration_seconds(text: str) -> float:
    """Return seconds of a duration such as `1h30m`."""
    return sum(float(number) * _UNITS[unit] for number, unit in _DURATION.findall(text))


def number_of(kind: str, text: str) -> float:
    """Return the value of a number or a duration."""
    if kind == "duration":
        return duration_seconds(text)
    return float(int(text, 16)) if text.startswith("0x") else float(text)
