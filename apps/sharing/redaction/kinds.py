"""Kinds of things that are hidden, and what can be done about each."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What a hidden value is."""

    HOST = "host"
    ADDRESS = "address"
    HARDWARE = "hardware-address"  # MAC addresses, GUIDs and LIDs of InfiniBand
    PATH = "path"
    USER = "user"
    MODEL = "model"
    DATASET = "dataset"
    SESSION = "session"
    JOB = "job"
    GPU = "gpu"  # UUIDs and serial numbers
    PCI = "pci"
    COMMUNICATOR = "communicator"
    WORD = "word"  # of the owner's own list
    LOSS = "loss"
    ENVIRONMENT = "environment"
    SECRET = "secret"  # noqa: S105  a kind, no secret


class Treatment(StrEnum):
    """What is done about a kind."""

    PSEUDONYM = "pseudonym"
    CUT = "cut"
    KEEP = "keep"


# How pseudonyms of a kind begin.
PREFIXES: Final[Mapping[Kind, str]] = {
    Kind.HOST: "host",
    Kind.ADDRESS: "addr",
    Kind.HARDWARE: "hw",
    Kind.PATH: "p",
    Kind.USER: "user",
    Kind.MODEL: "model",
    Kind.DATASET: "data",
    Kind.SESSION: "session",
    Kind.JOB: "job",
    Kind.GPU: "gpu",
    Kind.PCI: "pci",
    Kind.COMMUNICATOR: "comm",
    Kind.WORD: "word",
}
FILE_PREFIX: Final = "f"  # the last part of a path
# In place of what is cut, but for secrets, which have a mark of their own.
CUT_MARK: Final = "▒"
