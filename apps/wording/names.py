"""What kinds of sources, layers, lanes and parts in a cluster are called."""

from apps.diagnosis.model import without_part
from apps.wording.translatable import gettext_noop

LAYERS = {
    "gpu": "GPU",
    "network": gettext_noop("Network"),
    "storage": gettext_noop("Storage"),
    "host": gettext_noop("Host"),
    "software": gettext_noop("Software"),
    "straggler": gettext_noop("Straggler"),
    "unknown": gettext_noop("Unknown"),
}
SOURCES = {
    "session-log": gettext_noop("Session logs"),
    "kernel-log": gettext_noop("Kernel logs"),
    "scheduler-log": gettext_noop("Scheduler logs"),
    "scheduler": gettext_noop("Scheduler events"),
    "storage-log": gettext_noop("Storage server logs"),
    "fabric-log": gettext_noop("Fabric logs"),
    "bmc-log": gettext_noop("BMC event log"),
    "metrics": gettext_noop("Metrics"),
    "topology": gettext_noop("Inventory"),
    "inventory": gettext_noop("Inventory"),
    "flight-recorder": gettext_noop("Flight recorder"),
    "alerts": gettext_noop("Alerts"),
}
# What an organization does in a cluster.
ROLES = {
    "operator": gettext_noop("operator"),
    "tenant": gettext_noop("tenant"),
    "platform": gettext_noop("platform"),
    "gpu_vendor": gettext_noop("GPU vendor"),
    "network_vendor": gettext_noop("network vendor"),
    "storage_vendor": gettext_noop("storage vendor"),
}
# Lanes of a timeline, in their order.
LANES = {
    "application": gettext_noop("Application / NCCL"),
    "gpu": "GPU",
    "host": gettext_noop("Host"),
    "network": gettext_noop("Network"),
    "storage": gettext_noop("Storage"),
    "scheduler": gettext_noop("Scheduler"),
    "changes": gettext_noop("Changes"),
    "people": gettext_noop("People"),
}
# Whose log a line stands in, inside a sentence.
STREAMS = {
    "session": gettext_noop("session"),
    "kernel": gettext_noop("kernel"),
    "scheduler": gettext_noop("scheduler"),
    "storage": gettext_noop("storage"),
    "fabric": gettext_noop("fabric"),
    "bmc": "bmc",
    "alerts": gettext_noop("alerts"),
    "other": gettext_noop("other"),
}
# What a program was doing when it broke; of an unknown phase nothing is said.
PHASES = {
    "launch": gettext_noop("while launching"),
    "init": gettext_noop("while connecting"),
    "load": gettext_noop("while loading"),
    "iterate": gettext_noop("while training"),
    "save": gettext_noop("while saving"),
    "teardown": gettext_noop("while ending"),
}


def inside(text: str) -> str:
    """Return the text as it stands inside a sentence: BMC stays, Kernel does not."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


ACRONYMS = {
    **{each: each.upper() for each in ("ecc", "gpu", "nic", "nfs", "rdma", "cpu", "tcp", "hbm")},
    "nvlink": "NVLink",
    "pcie": "PCIe",
}


def family(slug: str) -> str:
    """Return a family of metrics inside a sentence: NVLink, row remap.

    Series that stopped are a family apart for each kind of part, which the sentence names itself.
    """
    named = without_part(slug).split("-")
    return " ".join(ACRONYMS.get(each, each) for each in named)


def sentence_case(text: str) -> str:
    """Return the text with a capital in front, unless it begins with a name such as gpu071."""
    first = text.split(" ", 1)[0]
    if any(character.isdigit() or character in "_/" for character in first):
        return text
    return text[:1].upper() + text[1:]


def in_words(slug: str) -> str:
    """Return a slug that has no name of its own."""
    return slug.replace("-", " ").replace("_", " ").capitalize()
