"""Hosts of a change in what its sender wrote of it: names, whole names, lists, and numbers."""

import re
from collections.abc import Callable, Collection
from functools import cached_property, partial
from typing import Final

from apps.diagnosis.reasoning.scope.jobs.node_lists import nodes_of
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level

NODE_LIST: Final = re.compile(r"(?<![\w.-])[\w.-]+\[[\d, -]+\]", re.ASCII)
# What stands between the numbers of several: "071 to 073", "70 or 72", "70/72", "70번과 72번".
AND: Final = (
    r"번?\s{0,3}(?:[-\u2010-\u2015\u2212\u301c\uff5e~,\u3001\uff0c;/&+]|\.{2,3}|up to|to|and|or"
    r"|through|thru|부터|에서|와|과|및)\s{0,3}(?:(?:and|or|to)\s{1,3})?"
)
NUMBERS: Final = rf"\d{{1,18}}(?:{AND}\d{{1,18}})"
# Nodes and racks by their numbers: "nodes 071 to 073", "racks 4, 5 and 7"; not "Node 20.10".
NUMBERED: Final = re.compile(
    r"(?i)(?<![a-z0-9_])(?:(racks?|랙)|nodes?|hosts?|servers?|machines?|노드|호스트|서버)"
    rf"[\s#:(]{{1,4}}(?:(?:no\.|numbers?|numbered)\s{{1,3}})?({NUMBERS}*)(?!\.?[a-z0-9_])"
)
# "71, 72번 노드"; so many at most, or a long row of numbers is walked again from each of them.
NUMBERED_BEFORE: Final = re.compile(
    rf"(?<![\w.])({NUMBERS}{{0,30}})번\s{{0,3}}(?:(랙)|노드|호스트|서버)"
)
NUMBER: Final = re.compile(r"\d{1,18}")  # digits of any script, as above


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
        # A change may name thousands, and its few words none of them.
        named = sorted((each for each in wanted if each in low), key=len, reverse=True)
        names = "|".join(map(re.escape, named)) or r"[^\s\S]"
        # Also in front of a port, an adapter or the rest of a whole name; never inside a word.
        self._name = re.compile(
            rf"(?i)(?<![a-z0-9])({names})(?:\.[\w-]+)*((?:{AND}\d{{1,18}})*)(?![a-z0-9])"
        )

    def said(self, text: str) -> str:
        """Return a text without them."""
        text = NODE_LIST.sub(self._of_list, text)
        text = NUMBERED.sub(partial(self._of_numbers, numbers=2, rack=1), text)
        text = NUMBERED_BEFORE.sub(partial(self._of_numbers, numbers=1, rack=2), text)
        return self._name.sub(self._of_name, text)

    @cached_property
    def _numbers(self) -> dict[str, frozenset[int]]:
        """By host the numbers in its name; there may be thousands, and many numbers to look for."""
        own = ((each, NUMBER.findall(each.partition(".")[0])) for each in self._wanted)
        return {each: frozenset(map(int, found)) for each, found in own}

    def _stands_for(self, name: str) -> str:
        return self._redactor.host(name.lower(), Level.REDACTED)

    def _of_list(self, found: re.Match[str]) -> str:
        told = found[0].replace(" ", "")
        is_open = self._wanted.isdisjoint(nodes_of(told.lower()))
        return found[0] if is_open else self._stands_for(told)

    def _of_numbers(self, found: re.Match[str], *, numbers: int, rack: int) -> str:
        told = NUMBER.findall(found[numbers])
        span = range(min(map(int, told)), max(map(int, told)) + 1)
        meant = [name for name, own in self._numbers.items() if any(one in span for one in own)]
        if not meant and not found[rack]:
            return found[0]
        # Bare numbers are no name to redact: they stand as one that has them.
        name = meant[0] if len(meant) == 1 else "n" + "-".join(told)
        begin, end = (place - found.start() for place in found.span(numbers))
        return found[0][:begin] + self._stands_for(name) + found[0][end:]

    def _of_name(self, found: re.Match[str]) -> str:
        """Numbers behind a name, "gpu070-073", are of the same nodes where any is hidden."""
        more = NUMBER.findall(found[2])
        wanted = {int(each) for each in more}
        if all(own.isdisjoint(wanted) for own in self._numbers.values()):
            return self._stands_for(found[1]) + found[2]
        return self._stands_for("-".join([found[1], *more]))
