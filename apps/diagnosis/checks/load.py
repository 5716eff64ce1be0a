"""TOML → Check. An error names the entry."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Layer, Severity, Stream
from apps.diagnosis.signatures.load import load_catalog

FILE: Final = Path(__file__).parent / "checks.toml"
PHRASES: Final = ("holds", "fails", "unknown")
OF_LINES: Final = frozenset({"stream", "of", "layers", "severities", "causes", "signatures"})
OF_METRICS: Final = frozenset({"signal", "at_most", "at_least", "within", "rises"})
FAMILIES: Final = {
    "metrics": frozenset(Layer),
    "events": frozenset(Layer),
    "logs": frozenset(Stream),
}
LIMITS: Final = ("at_most", "at_least", "within", "rises")


class BadCheck(ValueError):
    """An entry of the rules that can't be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One rule: for what it may be asked, where it looks, and what it says."""

    name: str
    answers: tuple[str, ...]
    holds: str
    fails: str
    unknown: str
    # Of lines.
    stream: str = ""
    of: str = "hosts"  # or of all that the cluster's logs of this kind tell
    layers: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    # Of metrics.
    signal: str = ""
    at_most: float | None = None
    at_least: float | None = None
    within: float | None = None
    rises: bool | None = None

    @property
    def phrases(self) -> tuple[str, str, str]:
        """Return what it says, in English: where it is so, where it is not, where it is open."""
        return self.holds, self.fails, self.unknown

    @property
    def definition(self) -> Mapping[str, Any]:
        """Return the rule as it stands in the answers that rest on it: what it looks for."""
        told = {name: getattr(self, name) for name in sorted(OF_LINES | OF_METRICS)}
        kept = {name: value for name, value in told.items() if value not in ("", (), None)}
        if self.signal:
            kept.pop("of")
        return {
            name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()
        }


@cache
def load_checks() -> Mapping[str, Check]:
    """Return name → rule. Raises BadCheck."""
    return {name: check_of(name, told) for name, told in tomllib.loads(FILE.read_text()).items()}


def checks_for(*, data: str) -> tuple[Check, ...]:
    """Return the rules by which a request for one class of data can be answered."""
    return tuple(each for each in load_checks().values() if data in each.answers)


def check_of(name: str, told: Mapping[str, Any], /) -> Check:
    """Return the rule that an entry tells. Raises BadCheck."""
    known = {"answers", *PHRASES, *OF_LINES, *OF_METRICS}
    if odd := sorted(set(told) - known):
        raise BadCheck(f"{name}: {odd[0]} is unknown; there are {', '.join(sorted(known))}")
    if lacking := [each for each in ("answers", *PHRASES) if not told.get(each)]:
        raise BadCheck(f"{name}: {lacking[0]} is missing")
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in told.items()
    }
    check = Check(name=name, **values)
    for problem in (_bad_class(check), _bad_lines(check), _bad_metrics(check)):
        if problem:
            raise BadCheck(f"{name}: {problem}")
    return check


def _bad_class(check: Check) -> str:
    for data in check.answers:
        family, _, part = data.partition(":")
        if part not in FAMILIES.get(family, ()):
            return f"{data} is no class of data"
        if (family == "metrics") is not bool(check.signal):
            return f"{data} is not what it looks at"
    if bool(check.stream) is bool(check.signal):
        return "either stream or signal is wanted"
    return ""


def _bad_lines(check: Check) -> str:
    if not check.stream:
        return ""
    if check.stream not in FAMILIES["logs"] or check.of not in {"hosts", "cluster"}:
        return "stream or of is unknown"
    if bool(check.layers) is not bool(check.severities):
        return "layers and severities go together"
    if sum(map(bool, (check.layers, check.causes, check.signatures))) != 1:
        return "one of layers, causes and signatures is wanted"
    known = {
        *(str(each) for each in Layer), *(str(each) for each in Severity),
        *load_causes(), *load_catalog(),
    }  # fmt: skip
    named = (*check.layers, *check.severities, *check.causes, *check.signatures)
    return next((f"{each} is unknown" for each in named if each not in known), "")


def _bad_metrics(check: Check) -> str:
    if not check.signal:
        return ""
    signal = catalog().signals.get(check.signal)
    if signal is None:
        return f"{check.signal} is no signal"
    limits = [each for each in LIMITS if getattr(check, each) is not None]
    if len(limits) != 1 or check.rises:
        return "one of at_most, at_least, within and rises = false is wanted"
    if check.rises is False and "increase" not in signal.watch:
        return f"{check.signal} is kept as a rate: whether it rose can't be told"
    return ""
