"""Hosts of a change in what its sender wrote of it: names, whole names, lists, and numbers."""

import re
from collections.abc import Callable, Collection
from functools import cache
from typing import Final

from apps.diagnosis.reasoning.scope.jobs.node_lists import nodes_of
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level

NODE_LIST: Final = re.compile(r"(?<![\w.-])[\w.-]+\[[\d,-]+\]", re.ASCII)
# Nodes and racks by their numbers: "nodes 071 to 073", "racks 4, 5 and 7"; not "Node 20.10".
NUMBERED: Final = re.compile(
    r"(?i)(?<![a-z0-9_])(?:(racks?|랙)|nodes?|hosts?|servers?|machines?|노드|호스트|서버)"
    r"(?: ?# ?| )(\d{1,9}(?: ?(?:[-\u2013~,&]|to|and|through|부터) ?(?:and )?\d{1,9})*)"
    r"(?!\.?[a-z0-9_])"
)
NUMBER: Final = re.compile(r"\d{1,9}")  # digits of any script, as above


def without_hosts(
    texts: Collection[str], *, hidden: Collection[str], redactor: Redactor
) -> Callable[[str], str]:
    """Return what puts pseudonyms in the place of hidden hosts in these texts.

    A list that names any of them is one pseudonym: how many it names stays hidden, too. So are
    numbers of racks wherever hosts are hidden: they say where these stand.
    """
    wanted, low = frozenset(hidden), " ".join(texts).lower()
    # A change may name thousands, and its few words none of them.
    named = sorted((each for each in wanted if each in low), key=len, reverse=True)
    names = "|".join(map(re.escape, named))
    # Also in front of a port, an adapter or the rest of a whole name; never inside a word.
    host = re.compile(rf"(?i)(?<![a-z0-9])({names})(?:\.[\w-]+)*(?![a-z0-9])") if named else None

    def stands_for(name: str) -> str:
        return redactor.host(name.lower(), Level.REDACTED)

    def of_list(found: re.Match[str]) -> str:
        is_open = wanted.isdisjoint(nodes_of(found[0].lower()))
        return found[0] if is_open else stands_for(found[0])

    @cache  # a change may hide thousands of hosts, and name numbers many times
    def numbers_of(name: str) -> tuple[int, ...]:
        return tuple(map(int, NUMBER.findall(name.partition(".")[0])))

    def of_numbers(found: re.Match[str]) -> str:
        told = [int(each) for each in NUMBER.findall(found[2])]
        span = range(min(told), max(told) + 1)
        meant = [each for each in wanted if any(one in span for one in numbers_of(each))]
        if not meant and not (wanted and found[1]):
            return found[0]
        # Bare numbers are no name to redact: they stand as one that has them.
        name = meant[0] if len(meant) == 1 else "n" + "-".join(NUMBER.findall(found[2]))
        return found[0][: found.start(2) - found.start()] + stands_for(name)

    def said(text: str) -> str:
        text = NODE_LIST.sub(of_list, text)
        text = NUMBERED.sub(of_numbers, text) if wanted else text
        return host.sub(lambda found: stands_for(found[1]), text) if host else text

    return said
