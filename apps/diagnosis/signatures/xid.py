"""Xid and SXid codes → role, layer, causes and action, from the tables beside this module."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from apps.diagnosis.model import Event, Layer, Role, Severity

TABLES = Path(__file__).parent / "tables"
PROCESS = re.compile(r"pid='?(\d{1,10}|<unknown>)'?(?:, name=([^,]{0,100}))?(?:, |$)", re.ASCII)
# `RLW_REMAP Nonfatal XC1 i0 Link 10 (0x00000004 0x00000040 …`
NVLINK5 = re.compile(
    r"([A-Z][A-Z0-9_]{2,40}(?:/[A-Z0-9_]{1,40})?)\s{1,8}(Nonfatal|Fatal)\s{1,8}XC\d\s{1,8}i\d{1,4}\s{1,8}"
    r"Link\s{1,8}(-?\d{1,4})\s{1,8}\((0x[0-9a-fA-F]{1,8})\s{1,8}(0x[0-9a-fA-F]{1,8})",
    re.ASCII,
)
RECOVERY = re.compile(
    r"recovery action changed from \S{1,8} \([^)]{1,40}\) to 0x([0-9a-fA-F])", re.ASCII
)
# What Xid 154 asks for, by its number.
ASKED = ("ignore", "reset-gpu", "reboot-node", "drain-peers", "reset-gpu")
LINK = re.compile(r"\blink (\d{1,3})", re.ASCII | re.IGNORECASE)
PREVIOUS = re.compile(r"caused by previous Xid (\d{1,4})", re.ASCII)
UUID = re.compile(r"\bGPU-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", re.ASCII)
FIRST_NEW_DRIVER = 575
UNKNOWN_ACTION = "contact-support"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What one code means for a session."""

    role: Role
    layer: Layer
    severity: Severity
    action: str
    means: str = ""
    causes: tuple[str, ...] = ()


UNKNOWN_XID = Code(
    role=Role.INITIATING,
    layer=Layer.GPU,
    severity=Severity.ERROR,
    action=UNKNOWN_ACTION,
    causes=("gpu-other",),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row of the NVLink 5 table."""

    status: int
    masks: tuple[tuple[int, int], ...]  # (mask, value) of the first word: new drivers, old drivers
    action: str
    severity: Severity


@lru_cache(maxsize=1)
def xid_codes() -> Mapping[int, Code]:
    """Return the meaning of every Xid code of the table."""
    table = _table("xid")
    others = {
        code: replace(UNKNOWN_XID, action=action)
        for action, codes in table.pop("others").items()
        for code in codes
    }
    return others | {int(code): _code(entry) for code, entry in table.items()}


@lru_cache(maxsize=1)
def sxid_codes() -> Mapping[int, Code]:
    """Return the meaning of every SXid code of the table."""
    return {
        number: _code({**entry, "layer": "gpu", "causes": ["gpu-nvlink"]})
        for entry in _table("sxid").values()
        for number in entry["codes"]
    }


@lru_cache(maxsize=1)
def nvlink5_rules() -> Mapping[tuple[int, str], tuple[Rule, ...]]:
    """Return the rules of the NVLink 5 units by (Xid, unit as printed)."""
    return {
        (unit["xid"], name): tuple(_rule_of(row) for row in unit["rules"])
        for unit in _table("nvlink5")["unit"]
        for name in unit["names"]
    }


def _rule_of(row: Sequence[Any]) -> Rule:
    status, old_mask, old, new_mask, new, action, severity = row
    return Rule(
        status=status,
        masks=((new_mask, new), (old_mask, old)),
        action=action,
        severity=Severity(severity),
    )


def action_of(*, xid: int, text: str = "", driver: str = "") -> str:
    """Return the immediate action of an Xid line; `text` is what stands behind the code.

    Drivers before 575 put the unit into other bits; without `driver` both readings are tried.
    """
    if xid == 154 and (asked := RECOVERY.search(text)):
        number = int(asked[1], 16)
        return ASKED[number] if number < len(ASKED) else UNKNOWN_ACTION
    if match := NVLINK5.search(text):
        rule = _rule(xid=xid, match=match, is_old=_is_old(driver))
        if rule is not None:
            return rule.action
        return "reset-gpu" if match[2] == "Fatal" else "ignore"
    action = xid_codes().get(xid, UNKNOWN_XID).action
    return UNKNOWN_ACTION if action in {"by-unit", "as-told"} else action


def refined(*, event: Event, decoder: str) -> Event:
    """Return `event` with role, layer, severity and causes of its code, and its values in one
    spelling."""
    fields = dict(event.fields)
    if decoder == "sxid":
        return _with(event=event, code=_sxid(fields), fields=fields)
    rest = fields.pop("rest", "")
    fields |= _said(rest)
    code = _xid(xid=int(fields["xid"]), text=rest)
    return _with(event=event, code=code, fields={**fields, "action": code.action})


def _xid(*, xid: int, text: str) -> Code:
    code = replace(xid_codes().get(xid, UNKNOWN_XID), action=action_of(xid=xid, text=text))
    match = NVLINK5.search(text)
    if match is None:
        return code
    rule = _rule(xid=xid, match=match)
    severity = rule.severity if rule else Severity.WARN
    if match[2] == "Fatal":
        severity = Severity.FATAL
    # What the link corrected by itself is no cause.
    role = Role.INITIATING if severity is Severity.FATAL else Role.CONTEXT
    return replace(code, severity=severity, role=role)


def _sxid(fields: dict[str, str]) -> Code:
    known = sxid_codes().get(int(fields["sxid"]))
    is_fatal = fields.get("sev", "").lower() == "fatal"
    if known is None:
        known = _code(
            {
                "role": "context",
                "layer": "gpu",
                "severity": "warn",
                "action": "ignore",
                "causes": ["gpu-nvlink"],
            }
        )
    if is_fatal and known.severity is not Severity.FATAL:
        known = replace(known, role=Role.INITIATING, severity=Severity.FATAL, action="reset-gpu")
    fields["action"] = known.action
    return known


def _rule(*, xid: int, match: re.Match[str], is_old: bool = False) -> Rule | None:
    unit, word, status = match[1], int(match[4], 16), int(match[5], 16)
    for rule in nvlink5_rules().get((xid, unit), ()):
        masks = rule.masks[1:] if is_old else rule.masks
        if rule.status == status and any(word & mask == value for mask, value in masks):
            return rule
    return None


def _is_old(driver: str) -> bool:
    major = driver.partition(".")[0]
    return major.isdecimal() and int(major) < FIRST_NEW_DRIVER


def _said(rest: str) -> dict[str, str]:
    """Return what stands behind the code: process, unit, link, cause and the text itself."""
    said: dict[str, str] = {}
    if process := PROCESS.match(rest):
        said |= {"pid": process[1], "name": process[2] or ""}
        rest = rest[process.end() :]
    if match := NVLINK5.search(rest):
        said |= {"subcode": match[1], "sev": match[2], "link": match[3], "status": match[5]}
    elif link := LINK.search(rest):
        said["link"] = link[1]
    if previous := PREVIOUS.search(rest):
        said["previous_xid"] = previous[1]
    if uuid := UUID.search(rest):
        said["uuid"] = uuid[1]
    return {name: value for name, value in said.items() if value} | {"msg": rest.strip()}


def _with(*, event: Event, code: Code, fields: dict[str, str]) -> Event:
    return replace(
        event,
        role=code.role,
        layer=code.layer,
        severity=code.severity,
        causes=code.causes,
        fields=MappingProxyType(fields),
    )


def _code(entry: Mapping[str, Any]) -> Code:
    return Code(
        role=Role(entry["role"]),
        layer=Layer(entry["layer"]),
        severity=Severity(entry["severity"]),
        action=entry["action"],
        means=entry.get("means", ""),
        causes=tuple(entry.get("causes", ())),
    )


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((TABLES / f"{name}.toml").read_text("utf-8"))
