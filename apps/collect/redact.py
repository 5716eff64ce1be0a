"""Secrets and names → marks and pseudonyms, line by line; the same name is the same everywhere.

Secrets go and can't be brought back. Names become pseudonyms, and the list of both stays with
whoever collected, so that an answer about `node-0007` can be read.
"""

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import re2

from apps.secret_shapes import HIDDEN, WORDS, hide_shapes


class Hide(StrEnum):
    """What is left out."""

    SECRETS = "secrets"
    HOSTS = "hosts"
    ADDRESSES = "addresses"
    USERS = "users"
    PATHS = "paths"


# What is written down as such: NAME=value, "name": "value", --name value. Matched in linear time:
# a line may be a megabyte of such words.
NAMED: Final = re2.compile(
    rf"(?i)((?:[\w-]*(?:{WORDS})[\w-]*|\b(?:[\w-]*[_-])?token|authorization)"
    r"""["']?(?:\s*[=:]\s*["']?|\s+["'])(?:(?:bearer|basic|token)\s+)?)([^\s"',;}&]{6,})"""
)
OPTION: Final = re2.compile(rf"(?i)(--[\w-]*(?:token|{WORDS})[\w-]*[ =]+)([^\s\"']{{6,}})")
KEY_BEGINS: Final = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
KEY_ENDS: Final = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")
V4: Final = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)", re.ASCII)
V6: Final = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:.])", re.ASCII)
COLONS: Final = 7  # of an IPv6 address that is written out
# Bare numbers and measures after such words are counts: `tokens: 4096`, `token=17`.
COUNT: Final = re.compile(r"[\d.,:/%()\[\]+-]+[kKmMbBsS]?|none|null|true|false|\*+", re.IGNORECASE)
# Of tests of routers, and what was never given out: 268 million.
UNUSED: Final = (ipaddress.IPv4Network("198.18.0.0/15"), ipaddress.IPv4Network("240.0.0.0/4"))
HOME: Final = re.compile(r"(?<![\w.-])(/(?:home|users|u|scratch/users)/)([\w.-]{1,64})", re.ASCII)
USER: Final = re.compile(
    r"(?i)\b((?:user(?:_?name|id)?|logname|owner)\s*[=:]\s*)([a-z_][\w.-]{0,31})\b"
)
# Slurm's lists of hosts; and the stem of a name that ends in a number.
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*", re.ASCII)
LIST: Final = re.compile(r"(?<![\w-])[A-Za-z][\w-]{0,60}\[[\d,-]{1,2000}\]", re.ASCII)
STEM: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,60}?)(\d{2,9})", re.ASCII)
HOST_NAME: Final = r"[A-Za-z][A-Za-z0-9-]{1,62}(?:\.[A-Za-z0-9-]{1,62}){0,6}"
HOST_SAID: Final = re.compile(
    rf"@({HOST_NAME})|(?i:\b(?:host|hostname|node|nodename)\b[\"']?\s{{0,8}}[:=]\s{{0,8}}[\"']?)({HOST_NAME})"
    rf"|(?:srun|slurmstepd|sbatch): error: ({HOST_NAME}):|\bON ({HOST_NAME}) CANCELLED",
    re.ASCII,
)
PATH: Final = re.compile(r"(?<![\w.:/-])/(?:[\w.@+=~%-]+/)+[\w.@+=~%-]*", re.ASCII)
# Their names tell what failed, and are the same on all machines.
COMMON_PATHS: Final = re.compile(
    r"/(?:usr|opt|lib|lib64|bin|sbin|etc|proc|sys|dev|run|var|boot)/", re.ASCII
)


@dataclass(slots=True, kw_only=True)
class Redaction:
    """Hides what was asked for; `names` is what was put in whose place, pseudonym → name."""

    hides: frozenset[Hide]
    hosts: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    _known: dict[str, dict[str, int]] = field(default_factory=dict)  # kind → name → number
    _shorts: frozenset[str] = frozenset()
    _stems: frozenset[tuple[str, int]] = frozenset()

    def __post_init__(self) -> None:
        """Number the hosts in their order: racks stay neighbours."""
        for host in self.hosts:
            self.host(host)
        self._shorts = frozenset(map(_short, self.hosts))
        self._stems = frozenset(stem for one in self._shorts if (stem := _stem(one)))

    def host(self, name: str) -> str:
        """Return the name under which a host stands in the tar."""
        if Hide.HOSTS not in self.hides:
            return name
        return self._stands_for("node", _short(name), "node-{:04d}")

    def lines(self, said: Iterable[str]) -> Iterator[str]:
        """Yield lines without what is hidden; as many as came."""
        is_key = False
        for line in said:
            begins = KEY_BEGINS.search(line)
            if Hide.SECRETS in self.hides and (is_key or begins):
                is_key = KEY_ENDS.search(line) is None
                yield HIDDEN + "\n" * line.endswith("\n")
                continue
            yield self.line(line)

    def line(self, text: str) -> str:
        """Return one line without what is hidden."""
        for kind, hide in self._steps().items():
            if kind in self.hides:
                text = hide(text)
        return text

    def _steps(self) -> Mapping[Hide, Callable[[str], str]]:
        return {
            Hide.SECRETS: without_secrets,
            Hide.HOSTS: self._without_hosts,
            Hide.ADDRESSES: self._without_addresses,
            Hide.PATHS: self._without_paths,
            Hide.USERS: self._without_users,
        }

    def _without_hosts(self, text: str) -> str:
        if not self.hosts:
            return text
        text = LIST.sub(lambda found: self._list(found[0]), text)
        return NAME.sub(lambda found: self._name(found[0]), text)

    def _name(self, said: str) -> str:
        """Hide a host's name, and that of others that are numbered like it."""
        if said in self.hosts:
            return self.host(said)
        short, dot, rest = said.partition(".")
        is_host = short in self._shorts or _stem(short) in self._stems
        return self.host(short) + dot + rest if is_host else said

    def _list(self, said: str) -> str:
        """Hide a list of hosts whole: what it holds is named elsewhere."""
        stem = said.partition("[")[0]
        is_ours = any(host.startswith(stem) for host in self.hosts)
        return self._stands_for("list", said, "nodes-{:03d}") if is_ours else said

    def _without_addresses(self, text: str) -> str:
        text = V4.sub(lambda found: self._address(found[0], 4), text)
        if "::" not in text and text.count(":") < COLONS:
            return text
        return V6.sub(lambda found: self._address(found[0], 6), text)

    def _address(self, said: str, version: int) -> str:
        try:
            address = ipaddress.ip_address(said)
        except ValueError:
            return said
        if address.is_loopback or address.is_unspecified or address.version != version:
            return said
        # Networks that are set apart for tests and documents: nobody takes them for real ones.
        if version == 4:
            return self._keep(_v4(self._number("ipv4", said)), said)
        return self._keep(f"2001:db8::{self._number('ipv6', said):x}", said)

    def _without_users(self, text: str) -> str:
        text = HOME.sub(lambda found: found[1] + self._user(found[2]), text)
        return USER.sub(lambda found: found[1] + self._user(found[2]), text)

    def _user(self, name: str) -> str:
        is_ours = name in {"root", "nobody"} or name.startswith("user-")
        return name if is_ours else self._stands_for("user", name, "user-{:03d}")

    def _without_paths(self, text: str) -> str:
        return PATH.sub(lambda found: self._path(found[0]), text)

    def _path(self, said: str) -> str:
        """Hide the folders, keep the file: `train.py` names nobody."""
        if COMMON_PATHS.match(said):
            return said
        folder, name = said.rpartition("/")[::2]
        return self._stands_for("path", folder, "/path-{:03d}") + "/" + name

    def _stands_for(self, kind: str, name: str, form: str) -> str:
        return self._keep(form.format(self._number(kind, name)), name)

    def _number(self, kind: str, name: str) -> int:
        known = self._known.setdefault(kind, {})
        return known.setdefault(name, len(known) + 1)

    def _keep(self, pseudonym: str, name: str) -> str:
        self.names[pseudonym] = name
        return pseudonym


def without_secrets(text: str) -> str:
    """Return a line with a mark in the place of each credential."""
    text = hide_shapes(text)
    for named in (NAMED, OPTION):
        text = named.sub(_named, text)
    return text


def _named(found: re.Match[str]) -> str:
    value = found[2]
    return found[0] if COUNT.fullmatch(value) or value == HIDDEN else found[1] + HIDDEN


def _stem(name: str) -> tuple[str, int] | None:
    """Return what a numbered name begins with, and how many digits it ends with."""
    found = STEM.fullmatch(name)
    return (found[1], len(found[2])) if found else None


def _v4(number: int) -> str:
    """Return the pseudonym of that number; none is given twice."""
    first, others = UNUSED
    beyond = number - first.num_addresses
    return str(first[number] if beyond < 0 else others[beyond])


def hosts_in(*, line: str) -> list[str]:
    """Return what a line calls a host: `user@gpu017`, `host : gpu021.x`, `srun: error: gpu003:`."""
    found = [each for groups in HOST_SAID.findall(line) for each in groups if each]
    return [
        each for each in found if any(map(str.isdigit, _short(each))) and not V4.fullmatch(each)
    ]


def _short(host: str) -> str:
    return host.partition(".")[0]
