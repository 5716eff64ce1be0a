"""Sentences that former versions stored, as the facts that they tell.

What is not recognised stays in its words.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import Statement, statement, statement_json

BETTER = " explains it better"
PROVIDE, WOULD = "Provide the ", ": it would "
TOLD = {
    "Reset the GPU: its driver asks for that (Xid 154)": "reset-asked",
    "Reboot the node: the GPU's driver asks for that (Xid 154)": "reboot-asked",
    "Drain peer-to-peer traffic of the GPU: its driver asks for that (Xid 154)": "drain-p2p-asked",
    "Drain the GPU, then reset it: its driver asks for that (Xid 154)": "drain-reset-asked",
    "Reboot the node: the GPU's driver says that nothing else helps": "reboot-needed",
    "show a GPU, link, memory or file system error of the host that stopped first": (
        "shows-host-error"
    ),
    "of every rank show which one stopped first and what it printed": "shows-first-stop",
    "say whether the scheduler or a person ended the job": "says-who-ended-it",
    "show port errors on the path between the hosts": "shows-port-errors",
    "show which member differed from its peers": "shows-odd-member",
    "show the collective each rank was in": "shows-collectives",
    "say when the session ran, and on which hosts": "says-when-it-ran",
    "say when that was, read with its times (dmesg -T, journalctl -k)": "says-when-that-was",
    "say whether it still runs": "says-if-running",
    "say whether the session uses the storage that a line of that time tells of": (
        "says-if-storage-used"
    ),
    "say whether the session uses the part of the network that a line of that time tells of": (
        "says-if-network-used"
    ),
    "evidence speaks against it": "evidence-against",
}
# What tables said that was no English behind "it would".
MENDED = {
    "with NCCL_DEBUG=VERSION show the versions of all ranks": (
        "show the versions of all ranks, if it runs with NCCL_DEBUG=VERSION"
    ),
    "with NCCL_DEBUG=INFO show the GIDs of both ends": (
        "show the GIDs of both ends, if it runs with NCCL_DEBUG=INFO"
    ),
    "with NCCL_DEBUG=INFO name the call that failed and its limit": (
        "name the call that failed and its limit, if it runs with NCCL_DEBUG=INFO"
    ),
    "of the named peer show whether it was alive": ("show whether the named peer was alive"),
    "with NCCL_DEBUG=INFO show the interface each rank chose": (
        "show the interface each rank chose, if it runs with NCCL_DEBUG=INFO"
    ),
    "of rank 0 show whether its store was listening": (
        "show whether the store of rank 0 was listening"
    ),
    "with FI_LOG_LEVEL=warn name the provider that failed": (
        "name the provider that failed, if it runs with FI_LOG_LEVEL=warn"
    ),
    "of all ranks show which one ran out first": ("show which of all ranks ran out first"),
    "with NCCL_DEBUG=WARN show version and place of the failure": (
        "show version and place of the failure, if it runs with NCCL_DEBUG=WARN"
    ),
    "of all ranks show how many batches each one had": (
        "show how many batches each of the ranks had"
    ),
    "of the rank that left first show its exception": (
        "show the exception of the rank that left first"
    ),
    "of rank 0 show what it was doing": ("show what rank 0 was doing"),
    "of all hosts show the launch command and ranks": (
        "show the launch command and ranks of all hosts"
    ),
}

MOMENTS = ("verdict", "acknowledged", "resolved", "reopened")
DEED = re.compile(r"(.+) (acknowledged|resolved|reopened) the incident")
OPEN = re.compile(r"Verdict (\d+): cause not established")
# Older ones have one number, which is the layer's.
VERDICT = re.compile(
    r"Verdict (?P<number>\d+): (?P<layer>[a-z]+)(?: \((?P<layer_odds>[\d.<]+)\))?, "
    r"(?P<cause>[a-z0-9-]+) \((?P<odds>[\d.<]+)\)"
)

WITHDRAWN = {
    "it has another cause": "has-another-cause",
    "no failure was found": "no-failure-found",
}
NOT_ALL = re.compile(
    r"There are more than ([\d,]+) findings in the logs of one organization: "
    r"of each kind in each log the first and the last were looked at"
)


def header_with_facts(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return a header whose actions are facts; one that has them already stays as it is."""
    cause = str(header["cause"])
    return {**header, "actions": [_action(each, cause) for each in header["actions"]]}


def hypothesis_with_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the copy of a hypothesis with facts for what it lacks and why it fell."""
    told = {name: value for name, value in row.items() if name != "ruled_out_because"}
    told["missing"] = missing_with_facts(row["missing"], cause=str(row["cause"]))
    if "ruled_out" not in row:
        told["ruled_out"] = ruled_out_fact(row.get("ruled_out_because") or "")
    return told


def missing_with_facts(missing: Iterable[Mapping[str, Any]], *, cause: str) -> list[dict[str, Any]]:
    """Return what an explanation lacks, with facts for what it would show."""
    return [
        {**each, "would": statement_json(_would(each["would"], cause, str(each["source"])))}
        if isinstance(each["would"], str)
        else dict(each)
        for each in missing
    ]


def ruled_out_fact(reason: str) -> dict[str, Any] | None:
    """Return why an explanation fell, None where it stands."""
    if not reason:
        return None
    cause, follows, _rest = reason.partition(BETTER)
    if follows:
        return statement_json(statement("explained-better-by-cause", cause=cause))
    return statement_json(_told(reason))


def _action(action: Mapping[str, Any], cause: str) -> dict[str, Any]:
    if "text" not in action:
        return dict(action)
    rest = {name: value for name, value in action.items() if name != "text"}
    told = _what_to_do(str(action["text"]), str(action.get("rival") or cause))
    return {"statement": statement_json(told), **rest}


def _what_to_do(text: str, cause: str) -> Statement:
    asked = text.removeprefix(PROVIDE)
    source, follows, would = asked.partition(WOULD)
    if asked != text and follows:
        return statement("provide", source=source, would=_would(would, cause, source))
    known = load_causes().get(cause)
    texts = [known.action, *(one.text for one in known.actions)] if known else []
    if text in texts:
        return statement("cause-action", cause=cause, number=texts.index(text))
    return _told(text)


def _would(text: str, cause: str, source: str) -> Statement:
    known, text = load_causes().get(cause), MENDED.get(text, text)
    if known and any((one.source, one.would) == (source, text) for one in known.settles):
        return known.would(source=source)
    return _told(text)


def _told(text: str) -> Statement:
    return statement(TOLD[text]) if text in TOLD else statement("text", text=text)


def moment_fact(title: str) -> dict[str, Any] | None:
    """Return what people did or the portal answered, None where nobody recognises it."""
    if told := DEED.fullmatch(title):
        who = statement("organization", name=told[1])
        return statement_json(Statement(told[2], (("who", who),)))
    if told := OPEN.fullmatch(title):
        return statement_json(statement("verdict-open", number=int(told[1])))
    if told := VERDICT.fullmatch(title):
        values = {name: value for name, value in told.groupdict().items() if value}
        kind = "verdict" if "layer_odds" in values else "verdict-of-layer"
        return statement_json(statement(kind, **values | {"number": int(told["number"])}))
    return None


def withdrawal(reason: str) -> Statement:
    """Return why an incident was withdrawn."""
    known = WITHDRAWN.get(reason)
    return statement(known) if known else statement("text", text=reason)


def portal_fact(title: str) -> Statement | None:
    """Return what the portal said of an incident beside its answers, None where nobody knows."""
    reason = title.removeprefix("Withdrawn: ")
    if reason != title:
        return statement("withdrawn", because=withdrawal(reason))
    if told := NOT_ALL.fullmatch(title):
        return statement("not-all-findings", count=int(told[1].replace(",", "")))
    return None
