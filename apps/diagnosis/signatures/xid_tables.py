"""The tables of Xid and SXid codes, and the rules for NVLink 5, as values."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from apps.diagnosis.model import Layer, Role, Severity

TABLES = Path(__file__).parent / "tables"
UNKNOWN_ACTION = "contact-support"


@dataclass(frozen=True, slots=True, kw_only=True)
class XidCode:
    """What one code means for a session."""

    role: Role
    layer: Layer
    severity: Severity
    action: str
    means: str = ""
    causes: tuple[str, ...] = ()
    investigate: str = ""  # where to look when the action did not help


UNKNOWN_XID = XidCode(
    role=Role.INITIATING,
    layer=Layer.GPU,
    severity=Severity.ERROR,
    action=UNKNOWN_ACTION,
    causes=("gpu-other",),
    investigate=UNKNOWN_ACTION,
)
UNKNOWN_SXID = XidCode(
    role=Role.CONTEXT,
    layer=Layer.GPU,
    severity=Severity.WARN,
    action="ignore",
    causes=("gpu-nvlink",),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row of the NVLink 5 table."""

    status: int
    masks: tuple[tuple[int, int], ...]  # (mask, value) of the first word: new drivers, old drivers
    action: str
    severity: Severity
    investigate: str
    part: str  # hardware, software, firmware, either or none


@lru_cache(maxsize=1)
def xid_codes() -> Mapping[int, XidCode]:
    """Return the meaning of every Xid code of the table."""
    table = _table("xid")
    groups, asked = table.pop("group"), table.pop("investigate")
    look = {code: what for what, codes in asked.items() for code in codes}
    grouped = {code: {"layer": "gpu", **group} for group in groups for code in group["codes"]}
    entries = grouped | {int(code): entry for code, entry in table.items()}
    return {
        code: replace(_code(_with_default(entry)), investigate=look.get(code, ""))
        for code, entry in entries.items()
    }


def _with_default(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry with the cause of an unknown code, if it may begin a failure and has none."""
    is_open = entry["role"] == Role.INITIATING and "causes" not in entry
    return {**entry, "causes": UNKNOWN_XID.causes} if is_open else entry


@lru_cache(maxsize=1)
def sxid_codes() -> Mapping[int, XidCode]:
    """Return the meaning of every SXid code of the table."""
    return {
        number: _code({**entry, "layer": "gpu", "causes": ["gpu-nvlink"]})
        for entry in _table("sxid").values()
        for number in entry["codes"]
    }


@lru_cache(maxsize=1)
def nvlink5_rules() -> Mapping[tuple[int, str], tuple[Rule, ...]]:
    """Return the rules of the NVLink 5 units by (Xid, unit as printed)."""
    rules: dict[tuple[int, str], tuple[Rule, ...]] = {}
    for unit in _table("nvlink5")["unit"]:
        own = tuple(_rule_of(row) for row in unit["rules"])
        for name in unit["names"]:  # a short name can stand for several units
            rules[unit["xid"], name] = rules.get((unit["xid"], name), ()) + own
    return rules


def _rule_of(row: Sequence[Any]) -> Rule:
    status, old_mask, old, new_mask, new, action, severity, investigate, part = row
    return Rule(
        status=status,
        masks=((new_mask, new), (old_mask, old)),
        action=action,
        severity=Severity(severity),
        investigate=investigate,
        part=part,
    )


def _code(entry: Mapping[str, Any]) -> XidCode:
    return XidCode(
        role=Role(entry["role"]),
        layer=Layer(entry["layer"]),
        severity=Severity(entry["severity"]),
        action=entry["action"],
        means=entry.get("means", ""),
        causes=tuple(entry.get("causes", ())),
    )


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((TABLES / f"{name}.toml").read_text("utf-8"))
