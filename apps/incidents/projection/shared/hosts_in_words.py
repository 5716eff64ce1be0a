"""Hosts of a change in what its sender wrote of it: names, whole names, lists, and numbers."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import Final

from apps.diagnosis.reasoning.scope.jobs.node_lists import nodes_of
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level

# A list as Slurm or a shell writes it: "rack[071-072]", "compute-07{2,3}", "compute-(072|073)".
NODE_LIST: Final = re.compile(r"(?<![\w.-])([\w.-]+)[\[{(]([\d,| -]+)[\]})]", re.ASCII)
# What stands between the numbers of several: "071 to 073", "70 or 72", "70/72", "70번과 72번".
AND: Final = (
    r"번?\s{0,3}(?:->|\.{2,3}|[-\u2010-\u2015\u2212\u301c\uff5e~,\u3001\uff0c\uff64;/&+|\u2192\u2026]"
    r"|up to|to|and|or|through|thru|부터|에서|와|과|및)\s{0,3}(?:(?:and|or|to)\s{1,3})?-?"
)
NUMBERS: Final = rf"\d{{1,18}}(?:{AND}\d{{1,18}})"
# What stands between a word and its number: "node 72", "node=72", "node-72", "node id 72".
BESIDE: Final = r"[\s#:=_(-]{0,4}(?:(?:id|between|no\.|numbers?|numbered)[\s:#=]{1,3})?"
RACK: Final = r"racks?|cabinets?|랙|캐비닛"
# "71, 72번 노드"; so many at most, or a long row of numbers is walked again from each of them.
NUMBERED_BEFORE: Final = re.compile(
    rf"(?<![\w.])({NUMBERS}{{0,30}})번\s{{0,3}}(?:({RACK})|노드|호스트|서버)"
)
NUMBER: Final = re.compile(r"\d{1,18}")  # digits of any script, as above
# Racks that are called by letters, too: "rack A12", "racks B-3 and C4", "rack 4b".
LETTERED: Final = r"(?:[a-z]{1,3}[-.]?\d{1,6}(?:-\d{1,6})?|\d{1,6}[a-z])"
RACKS: Final = re.compile(
    rf"(?i)(?<![a-z0-9_])((?:{RACK})[\s#:=_(-]{{0,4}})({LETTERED}(?:{AND}{LETTERED})*)(?![a-z0-9_])"
)
STEM: Final = re.compile(r"[a-z]+")
COMMON_STEMS: Final = (
    "nodes?",
    "hosts?",
    "servers?",
    "machines?",
    "compute",
    "노드",
    "호스트",
    "서버",
)
DEVICE: Final = "gpu"  # a small number behind it is a device's, not a node's
DEVICES: Final = 16
# Signs that look like others, or like nothing: a name that is written with them is the same name.
LOOKALIKES: Final = str.maketrans(
    {chr(0xFF01 + place): chr(0x21 + place) for place in range(94)}
    | dict.fromkeys("\u2010\u2011\u2012\u2212", "-")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", "")
)


def without_hosts(
    texts: Collection[str], *, hidden: Collection[str], redactor: Redactor
) -> Callable[[str], str]:
    """Return what puts pseudonyms in the place of hidden hosts in these texts.

    A list that names any of them is one pseudonym: how many it names stays hidden, too. So are
    numbers of racks wherever hosts are hidden: they say where these stand.
    """
    wanted = frozenset(hidden)
    return _Hiding(wanted, " ".join(texts).lower(), redactor).said if wanted else str


class _Hiding:
    """What puts pseudonyms in the place of these hosts; `low` is all that is said in lower case."""

    def __init__(self, wanted: frozenset[str], low: str, redactor: Redactor) -> None:
        self._wanted, self._redactor = wanted, redactor
        low = low.translate(LOOKALIKES)
        # A change may name thousands, and its few words none of them.
        named = sorted((each for each in wanted if each in low), key=len, reverse=True)
        names = "|".join(map(re.escape, named)) or r"[^\s\S]"
        # Also in front of a port, an adapter or the rest of a whole name; never inside a word.
        self._name = re.compile(
            rf"(?i)(?<![a-z0-9])({names})(?:\.[\w-]+)*((?:{AND}\d{{1,18}})*)(?![a-z0-9])"
        )
        # "nodes 071 to 073", "compute 72" of a compute-072, "racks 4, 5 and 7"; not "Node 20.10".
        stems = {stem for each in wanted for stem in STEM.findall(each)[:1]}
        words = "|".join([*COMMON_STEMS, *sorted(stems & set(STEM.findall(low)))])
        self._numbered = re.compile(
            rf"(?i)(?<![a-z0-9_])(?:({RACK})|({words}))({BESIDE})({NUMBERS}*)(?!\.?[a-z0-9_])"
        )

    def said(self, text: str) -> str:
        """Return a text without them."""
        plain = text.translate(LOOKALIKES)
        told = NODE_LIST.sub(self._of_list, plain)
        told = self._name.sub(self._of_name, told)
        told = RACKS.sub(self._of_racks, told)
        told = self._numbered.sub(self._of_numbered, told)
        told = NUMBERED_BEFORE.sub(self._of_numbered_before, told)
        return text if told == plain else told

    @cached_property
    def _numbers(self) -> dict[str, frozenset[int]]:
        """By host the numbers in its name; there may be thousands, and many numbers to look for."""
        own = ((each, NUMBER.findall(each.partition(".")[0])) for each in self._wanted)
        return {each: frozenset(map(int, found)) for each, found in own}

    def _stands_for(self, name: str) -> str:
        return self._redactor.host(name.lower(), Level.REDACTED)

    def _of_list(self, found: re.Match[str]) -> str:
        stem, told = found[1].lower(), found[2].replace(" ", "").replace("|", ",")
        is_open = self._wanted.isdisjoint(nodes_of(f"{stem}[{told}]"))
        if is_open and not self._meant(NUMBER.findall(told), STEM.findall(stem)[:1]):
            return found[0]
        return self._stands_for(f"{found[1]}[{told}]")

    def _meant(self, told: Sequence[str], stem: Sequence[str] = ()) -> list[str]:
        """Return the hidden hosts of these numbers or between them, of a stem where one is told."""
        span = range(min(map(int, told)), max(map(int, told)) + 1)
        return [
            name
            for name, own in self._numbers.items()
            if any(one in span for one in own)
            and (not stem or STEM.findall(name)[:1] == list(stem))
        ]

    def _of_numbered(self, found: re.Match[str]) -> str:
        rack, word, beside, said = found.groups()
        told = NUMBER.findall(said)
        is_device = (word or "").lower() == DEVICE and max(map(int, told)) < DEVICES
        meant = [] if is_device else self._meant(told)
        if not meant and not rack:
            return found[0]
        stands = self._stands_for(_name_of(meant, told))
        is_word = beside[-1:].isspace() or beside[-1:] in {"(", ":", "#"}
        return (rack or word) + beside + stands if is_word and beside else stands

    def _of_numbered_before(self, found: re.Match[str]) -> str:
        told = NUMBER.findall(found[1])
        meant = self._meant(told)
        if not meant and not found[2]:
            return found[0]
        return self._stands_for(_name_of(meant, told)) + found[0][len(found[1]) :]

    def _of_racks(self, found: re.Match[str]) -> str:
        return found[1] + self._stands_for("-".join(re.findall(rf"(?i){LETTERED}", found[2])))

    def _of_name(self, found: re.Match[str]) -> str:
        """Numbers behind a name, "gpu070-073", are of the same nodes where any is hidden."""
        more = NUMBER.findall(found[2])
        wanted = {int(each) for each in more}
        if all(own.isdisjoint(wanted) for own in self._numbers.values()):
            return self._stands_for(found[1]) + found[2]
        return self._stands_for("-".join([found[1], *more]))


def _name_of(meant: Sequence[str], told: Sequence[str]) -> str:
    """Return what to redact: bare numbers are no name, they stand as one that has them."""
    return meant[0] if len(meant) == 1 else "n" + "-".join(told)
