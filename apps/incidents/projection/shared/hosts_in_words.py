"""Hosts of a change in what its sender wrote of it: names, whole names, and lists of nodes."""

import re
from collections.abc import Callable, Collection
from typing import Final

from apps.diagnosis.reasoning.scope.jobs.node_lists import nodes_of
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level

NODE_LIST: Final = re.compile(r"(?<![\w.-])[\w.-]+\[[\d,-]+\]", re.ASCII)


def without_hosts(
    texts: Collection[str], *, hidden: Collection[str], redactor: Redactor
) -> Callable[[str], str]:
    """Return what puts pseudonyms in the place of hidden hosts in these texts.

    A list that names any of them is one pseudonym: how many it names stays hidden, too.
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

    def said(text: str) -> str:
        text = NODE_LIST.sub(of_list, text)
        return host.sub(lambda found: stands_for(found[1]), text) if host else text

    return said
