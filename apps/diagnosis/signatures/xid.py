"""Xid and SXid codes → role, layer, causes and action: what a line of the driver means."""

import re
from dataclasses import replace
from types import MappingProxyType

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Event, Role, Severity
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.xid_tables import (
    UNKNOWN_ACTION,
    UNKNOWN_SXID,
    UNKNOWN_XID,
    Rule,
    XidCode,
    nvlink5_rules,
    sxid_codes,
    xid_codes,
)

PROCESS = re.compile(r"pid='?(\d{1,10}|<unknown>)'?(?:, name=([^,]{0,100}))?(?:, |$)", re.ASCII)
# `RLW_REMAP Nonfatal XC1 i0 Link 10 (0x00000004 0x00000040 …`
NVLINK5 = re.compile(
    r"\b([A-Z][A-Z0-9_]{2,40}(?:/[A-Z0-9_]{1,40})?)\s{1,8}(Nonfatal|Fatal)\s{1,8}XC\d\s{1,8}i\d{1,4}\s{1,8}"
    r"Link\s{1,8}(-?\d{1,4})\s{1,8}\((0x[0-9a-fA-F]{1,8})\s{1,8}(0x[0-9a-fA-F]{1,8})",
    re.ASCII,
)
RECOVERY = re.compile(
    r"recovery action changed from \S{1,8} \([^)]{1,40}\) to 0x([0-9a-fA-F])(?: \(([^)]{1,40})\))?",
    re.ASCII,
)
# What Xid 154 asks for, by its number.
ASKED = ("ignore", "reset-gpu", "reboot-node", "drain-peers", "reset-gpu", "recover-fabric")
LINK = re.compile(r"\blink (\d{1,3})\b", re.ASCII | re.IGNORECASE)
PREVIOUS = re.compile(
    r"(?:caused by|due to) (?:a )?previous Xid (\d{1,4})", re.ASCII | re.IGNORECASE
)
# Bits 20 to 25 of the first word: why a link went down.
REASON_SHIFT, REASON_MASK = 20, 0x3F
UUID = re.compile(r"\bGPU-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", re.ASCII)
# Which answer of the GPU's system processor did not come, and for how long it was awaited.
ASKED_PROCESSOR = re.compile(
    r"Timeout after (\d{1,4})s of waiting for RPC response.{0,60}?"
    r"Expected function \d{1,6} \((\w{1,60})\)",
    re.ASCII,
)
FIRST_NEW_DRIVER = 575


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


def refined(*, event: Event, decoder: str, driver: str = "") -> Event:
    """Return `event` with role, layer, severity and causes of its code, and its values in one
    spelling.

    An event that was refined before can be so again, once its driver is known.
    """
    fields = dict(event.fields)
    if decoder == "sxid":
        return _of_switch(event=event, fields=fields)
    text = fields.pop("rest", fields.pop("msg", ""))
    fields |= _said(text)
    code = _xid(xid=int(fields["xid"]), text=text, driver=driver, fields=fields)
    fields |= {"action": code.action, "driver": driver}
    if code.investigate:
        fields["investigate"] = code.investigate
    return _with(event=event, code=code, fields={k: v for k, v in fields.items() if v})


def _xid(*, xid: int, text: str, driver: str, fields: dict[str, str]) -> XidCode:
    code = xid_codes().get(xid, UNKNOWN_XID)
    code = replace(code, action=action_of(xid=xid, text=text, driver=driver))
    match = NVLINK5.search(text)
    if match is None:
        return code
    is_fatal = match[2] == "Fatal"
    rule = _rule(xid=xid, match=match, is_old=_is_old(driver))
    if rule is not None:
        fields["part"] = rule.part
        code = replace(code, severity=rule.severity, investigate=rule.investigate)
    else:
        code = replace(code, severity=Severity.WARN)
    if is_fatal:
        code = replace(code, severity=Severity.FATAL)
    # The driver's own word decides whether the link went on; the table only what is to be done.
    return replace(code, role=Role.INITIATING if is_fatal else Role.CONTEXT)


def _of_switch(*, event: Event, fields: dict[str, str]) -> Event:
    code = sxid_codes().get(int(fields["sxid"]), UNKNOWN_SXID)
    word = fields.get("sev", "").lower()
    if word == "fatal" and code.severity is not Severity.FATAL:
        code = replace(code, role=Role.INITIATING, severity=Severity.FATAL, action="reset-gpu")
    elif word == "non-fatal":
        code = replace(code, role=Role.CONTEXT, severity=Severity.WARN, action="ignore")
    fields["action"] = code.action
    signature = event.signature
    if code.role is Role.CONTEXT:
        # What a switch corrects by itself goes under another: nobody may take it for a fault.
        signature = load_catalog()[signature].minor or signature
    return _with(event=replace(event, signature=signature), code=code, fields=fields)


def _rule(*, xid: int, match: re.Match[str], is_old: bool = False) -> Rule | None:
    unit, word, status = match[1], int(match[4], 16), int(match[5], 16)
    for rule in nvlink5_rules().get((xid, unit), ()):
        masks = rule.masks[1:] if is_old else rule.masks
        if rule.status == status and any(word & mask == value for mask, value in masks):
            return rule
    return None


def _is_old(driver: str) -> bool:
    major = driver.partition(".")[0]
    return whole_number(major, most=FIRST_NEW_DRIVER - 1) is not None


def _said(rest: str) -> dict[str, str]:
    """Return what stands behind the code: process, unit, link, cause and the text itself."""
    said: dict[str, str] = {}
    if process := PROCESS.match(rest):
        said |= {"pid": process[1], "name": process[2] or ""}
        rest = rest[process.end() :]
    if match := NVLINK5.search(rest):
        said |= {"subcode": match[1], "sev": match[2], "link": match[3]}
        said |= {"info": match[4], "status": match[5]}
        reason = int(match[4], 16) >> REASON_SHIFT & REASON_MASK
        said["reason"] = str(reason) if reason else ""
    elif link := LINK.search(rest):
        said["link"] = link[1]
    if previous := PREVIOUS.search(rest):
        said["previous_xid"] = previous[1]
    if asked := ASKED_PROCESSOR.search(rest):
        said |= {"waited": asked[1], "function": asked[2]}
    if recovery := RECOVERY.search(rest):
        said["asked"] = recovery[2] or ""
    if uuid := UUID.search(rest):
        said["uuid"] = uuid[1]
    return {name: value for name, value in said.items() if value} | {"msg": rest.strip()}


def _with(*, event: Event, code: XidCode, fields: dict[str, str]) -> Event:
    return replace(
        event,
        role=code.role,
        layer=code.layer,
        severity=code.severity,
        causes=code.causes,
        fields=MappingProxyType(fields),
    )
