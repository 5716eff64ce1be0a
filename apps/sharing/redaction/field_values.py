"""The value of a field → what stands for it, by what such a field holds."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import CUT_MARK, Kind
from apps.sharing.redaction.pseudonyms import is_address
from apps.sharing.redaction.steps.paths import hide_path
from apps.sharing.redaction.text import keep_pseudonyms
from apps.sharing.redaction.vocabulary import load_vocabulary

HOST_AND_PORT: Final = "host-and-port"
HOST_AND_PATH: Final = "host-and-path"
WITH_PORT: Final = re.compile(r"\[?([^\[\]<>]*?)\]?((?::\d{1,5})?|(?:<\d{1,5}>)?)", re.ASCII)
NUMBER: Final = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?", re.ASCII)
UUID: Final = re.compile(r"(?:GPU|MIG)-[0-9a-fA-F-]{32,36}")


def named(hiding: Hiding, kind: Kind, value: str) -> str:
    """Return what stands for a name of some kind; nobody and what is known already stay."""
    is_nobody = kind is Kind.USER and value.lower() in hiding.vocabulary.users
    if is_nobody or hiding.pseudonyms.is_own(value):
        return value
    made = hiding.stand_in(kind, value)
    return value if made is None else made


def _host(hiding: Hiding, value: str) -> str:
    if is_address(value):
        return _address(hiding, value)
    if not any(map(str.isalpha, value)) or load_vocabulary().is_public_site(value):
        return value
    return named(hiding, Kind.HOST, value)


def _address(hiding: Hiding, value: str) -> str:
    if not hiding.profile.hides(Kind.ADDRESS):
        return value
    made = hiding.pseudonyms.address(value)
    return CUT_MARK if hiding.profile.cuts(Kind.ADDRESS) and made != value else made


def _host_and_port(hiding: Hiding, value: str) -> str:
    if is_address(value):
        return _address(hiding, value)
    found = WITH_PORT.fullmatch(value)
    if found is None:
        return _host(hiding, value)
    return value.replace(found[1], _host(hiding, found[1]), 1) if found[1] else value


def _path(hiding: Hiding, value: str) -> str:
    if not hiding.profile.hides(Kind.PATH) or not any(map(str.isalpha, value)):
        return value
    draft = hiding.draft
    draft.data = value.encode("utf-8", "replace")
    keep_pseudonyms(hiding)
    return draft.shown(hide_path(hiding, draft.data))


def _host_and_path(hiding: Hiding, value: str) -> str:
    host, colon, path = value.rpartition(":") if ":/" in value else ("", "", value)
    name, sign, network = host.partition("@")
    return _host(hiding, name) + sign + network + colon + _path(hiding, path)


def _gpu(hiding: Hiding, value: str) -> str:
    if not UUID.fullmatch(value) or not hiding.profile.hides(Kind.GPU):
        return named(hiding, Kind.GPU, value)
    if hiding.profile.cuts(Kind.GPU) or hiding.pseudonyms.is_own(value):
        return value if hiding.pseudonyms.is_own(value) else CUT_MARK
    return hiding.pseudonyms.uuid(value)


def _communicator(hiding: Hiding, value: str) -> str:
    digits = value.lower().removeprefix("0x")
    if hiding.pseudonyms.is_own(digits) or not hiding.profile.hides(Kind.COMMUNICATOR):
        return value
    made = (
        CUT_MARK
        if hiding.profile.cuts(Kind.COMMUNICATOR)
        else hiding.pseudonyms.communicator(digits)
    )
    return value[: len(value) - len(digits)] + made


def _loss(hiding: Hiding, value: str) -> str:
    is_number = NUMBER.fullmatch(value.strip()) and hiding.profile.hides(Kind.LOSS)
    return CUT_MARK if is_number else value


def _hardware(hiding: Hiding, value: str) -> str:
    return _address(hiding, value) if is_address(value) else named(hiding, Kind.HARDWARE, value)


SPECIAL: Final[Mapping[str, Callable[[Hiding, str], str]]] = {
    Kind.HOST: _host,
    HOST_AND_PORT: _host_and_port,
    HOST_AND_PATH: _host_and_path,
    Kind.PATH: _path,
    Kind.GPU: _gpu,
    Kind.COMMUNICATOR: _communicator,
    Kind.HARDWARE: _hardware,
    Kind.LOSS: _loss,
}


OF_NUMBERS: Final = frozenset({Kind.SESSION, Kind.PCI})  # whose names may be numbers
