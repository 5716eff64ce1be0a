"""What the portal's slugs are called in plain words: sentences that a manager can read."""

from collections.abc import Sequence

LAYERS = {
    "gpu": "GPU",
    "network": "Network",
    "storage": "Storage",
    "host": "Host",
    "software": "Software",
    "straggler": "Straggler",
    "unknown": "Unknown",
}
PARTS = {
    "operator": "operator",
    "tenant": "tenant",
    "platform": "platform",
    "gpu_vendor": "GPU vendor",
    "network_vendor": "network vendor",
    "storage_vendor": "storage vendor",
}
NOBODY = "nobody here"
SOURCES = {
    "session-log": "Session logs",
    "kernel-log": "Kernel logs",
    "scheduler-log": "Scheduler logs",
    "scheduler": "Scheduler events",
    "storage-log": "Storage server logs",
    "fabric-log": "Fabric logs",
    "bmc-log": "BMC event log",
    "metrics": "Metrics",
    "topology": "Inventory",
    "inventory": "Inventory",
    "flight-recorder": "Flight recorder",
    "alerts": "Alerts",
}
STREAMS = {
    "session": "Session log",
    "kernel": "Kernel log",
    "scheduler": "Scheduler log",
    "storage": "Storage server log",
    "fabric": "Fabric log",
    "bmc": "BMC log",
    "alerts": "Alert",
}
COVERAGE = {
    "present": "present",
    "stale": "stale",
    "hidden": "hidden by policy",
    "absent": "absent",
}
CERTAINTY = {
    "likely": "likely",
    "possible": "possible",
    "unknown": "not settled",
    "no-failure": "no failure",
}
PHASES = {
    "launch": "while launching",
    "init": "while connecting",
    "load": "while loading",
    "iterate": "while training",
    "save": "while saving",
    "teardown": "while ending",
}
STATES = {
    "running": "running",
    "failed": "failed",
    "finished": "finished",
    "walltime": "reached its time limit",
    "cancelled": "cancelled",
    "preempted": "preempted",
    "unknown": "state not reported",
}
STATUSES = {
    "open": "open",
    "resolved": "resolved",
    "withdrawn": "withdrawn",
    "merged": "merged",
}
FIRST_STOP = {
    "flight-recorder": "by its flight recorder",
    "sequence": "by collective sequence numbers",
    "silence": "by its silence",
    "named-peer": "named by its peers",
    "exit-code": "by its exit code",
}


def layer(slug: str) -> str:
    """Return the name of a layer."""
    return LAYERS.get(slug, LAYERS["unknown"])


def parts(slugs: Sequence[str]) -> str:
    """Return the parts of a party in a row: GPU vendor, network vendor."""
    return ", ".join(PARTS.get(slug, slug.replace("_", " ")) for slug in slugs)


def source(slug: str) -> str:
    """Return the name of a kind of source."""
    return SOURCES.get(slug, slug.replace("-", " ").replace("_", " ").capitalize())


def restart(*, advice: str, hosts: Sequence[str]) -> str:
    """Answer the question whether to start again, and whom to leave out."""
    named = hosts_text(hosts)
    answers = {
        "restart": "Restart now; no node has to be left out.",
        "restart-without": f"Restart without {named}." if named else "Restart without the culprit.",
        "fix-first": f"Don't restart yet: it would fail again. Leave out {named}."
        if named
        else "Don't restart yet: it would fail the same way. No node has to be left out.",
        "wait": "Wait with the restart: the disturbance goes on. No node has to be left out.",
    }
    unknown = "Whether to restart can't be said yet; no node is known to be bad."
    return answers.get(advice, unknown)


def hosts_text(hosts: Sequence[str], *, limit: int = 4) -> str:
    """Return host names in a row, counted where they are many."""
    if len(hosts) <= limit:
        return ", ".join(hosts)
    return f"{', '.join(hosts[: limit - 1])} and {len(hosts) - limit + 1} more"


def sentence_case(text: str) -> str:
    """Return the text with a capital in front, unless it begins with a name such as gpu071."""
    first = text.split(" ", 1)[0]
    if any(character.isdigit() or character in "_/" for character in first):
        return text
    return text[:1].upper() + text[1:]


def inside(text: str) -> str:
    """Return the text as it stands inside a sentence: BMC stays, Kernel does not."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def items(count: int) -> str:
    """Return a number of items: 1 item, 2 items."""
    return f"{count} item" if count == 1 else f"{count} items"


def weight(value: float) -> str:
    """Return a weight with its sign, as a minus of its own where it is negative."""
    return f"+{value:.1f}" if value >= 0 else f"−{abs(value):.1f}"  # noqa: RUF001  a true minus sign


def duration(seconds: float) -> str:
    """Return a length of time in the two largest units."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes:02d} min"
    return f"{hours // 24} d {hours % 24} h"
