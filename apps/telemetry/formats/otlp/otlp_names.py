"""Names of OpenTelemetry → names of Prometheus, as its own receiver translates them."""

import re
from functools import lru_cache
from typing import Final

NOT_A_WORD: Final = re.compile(r"[^a-zA-Z0-9]+", re.ASCII)
NOT_OF_LABEL: Final = re.compile(r"[^a-zA-Z0-9_]", re.ASCII)
IN_BRACES: Final = re.compile(r"\{[^{}]*\}")

# UCUM → the words that Prometheus uses.
UNITS: Final = {
    "d": "days", "h": "hours", "min": "minutes", "s": "seconds", "ms": "milliseconds",
    "us": "microseconds", "ns": "nanoseconds",
    "By": "bytes", "KiBy": "kibibytes", "MiBy": "mebibytes", "GiBy": "gibibytes",
    "TiBy": "tibibytes", "KBy": "kilobytes", "MBy": "megabytes", "GBy": "gigabytes",
    "TBy": "terabytes",
    "m": "meters", "V": "volts", "A": "amperes", "J": "joules", "W": "watts", "g": "grams",
    "Cel": "celsius", "Hz": "hertz", "1": "", "%": "percent",
}  # fmt: skip
PER_UNITS: Final = {
    "s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year",
}  # fmt: skip


@lru_cache(maxsize=20_000)
def metric_name(*, name: str, unit: str, is_counter: bool, is_gauge: bool) -> str:
    """Return the name of a metric: words joined by `_`, its unit, `_total` for what only grows."""
    words = [word for word in NOT_A_WORD.split(name) if word]
    main, _, per = IN_BRACES.sub("", unit).strip().partition("/")
    main = UNITS.get(main.strip(), main.strip())
    per = PER_UNITS.get(per.strip(), per.strip())
    # Only what is there already, whole, is not said again.
    unit_words = [word for word in NOT_A_WORD.split(main) if word]
    words += [word for word in unit_words if word not in words]
    per_words = [word for word in NOT_A_WORD.split(per) if word]
    if per_words and per_words[0] not in words:
        words += ["per", *per_words]
    if is_counter:
        words = [word for word in words if word != "total"] + ["total"]
    elif is_gauge and unit.strip() == "1":
        words = [word for word in words if word != "ratio"] + ["ratio"]
    made = "_".join(words)
    return f"_{made}" if made[:1].isdigit() else made


@lru_cache(maxsize=20_000)
def label_name(name: str) -> str:
    """Return the name of a label; two underscores in front mean something to Prometheus."""
    made = NOT_OF_LABEL.sub("_", name)
    if made[:1].isdigit():
        return f"key_{made}"
    if made.startswith("_") and not made.startswith("__"):
        return f"key{made}"
    return made
