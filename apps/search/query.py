"""A text as it was typed → what is looked for. Pure."""

import re
from collections.abc import Mapping
from typing import Final

from apps.diagnosis.spelling import slipped
from apps.search.values import HitKind, QueryProblem, SearchQuery

LEAST, MOST = 2, 200  # letters
ALL: Final = frozenset(HitKind)
# What a prefix narrows the search to.
PREFIXES: Final[Mapping[str, frozenset[HitKind]]] = {
    "incident": frozenset({HitKind.INCIDENT}),
    "host": frozenset({HitKind.NODE, HitKind.INCIDENT, HitKind.WARNING}),
    "gpu": frozenset({HitKind.GPU}),
    "session": frozenset({HitKind.SESSION, HitKind.INCIDENT}),
    "cause": frozenset({HitKind.CAUSE, HitKind.INCIDENT, HitKind.WARNING}),
    "xid": frozenset({HitKind.CAUSE, HitKind.INCIDENT, HitKind.LINE}),
    "warning": frozenset({HitKind.WARNING}),
    "note": frozenset({HitKind.ANNOTATION}),
    "report": frozenset({HitKind.REPORT}),
    "log": frozenset({HitKind.LINE}),
}
PREFIX: Final = re.compile(r"([A-Za-z]{2,12}):\s*(\S.*)?", re.DOTALL)
XID: Final = re.compile(r"[0-9]{1,3}")


def read_query(typed: str) -> SearchQuery:
    """Return what a text asks for; one that can't be answered says why in `problem`.

    A word before a colon that is no prefix belongs to the text: PCI addresses and log lines have
    colons.
    """
    typed = typed.strip()
    found = PREFIX.fullmatch(typed)
    prefix = found[1].lower() if found else ""
    if found is None or prefix not in PREFIXES:
        meant = slipped(word=prefix, known=PREFIXES) if prefix else None
        return _checked(SearchQuery(text=typed, kinds=ALL, meant=meant or ""))
    text = (found[2] or "").strip()
    query = SearchQuery(text=text, kinds=PREFIXES[prefix], prefix=prefix)
    return _with_xid(query) if prefix == "xid" else _checked(query)


def _checked(query: SearchQuery) -> SearchQuery:
    problem = ""
    if not query.text:
        problem = QueryProblem.EMPTY
    elif len(query.text) < LEAST:
        problem = QueryProblem.SHORT
    elif len(query.text) > MOST:
        problem = QueryProblem.LONG
    return SearchQuery(
        text=query.text[:MOST],
        kinds=query.kinds,
        prefix=query.prefix,
        problem=problem,
        meant=query.meant,
    )


def _with_xid(query: SearchQuery) -> SearchQuery:
    is_number = XID.fullmatch(query.text) is not None
    problem = "" if is_number else QueryProblem.BAD_XID if query.text else QueryProblem.EMPTY
    return SearchQuery(
        text=query.text[:MOST],
        kinds=query.kinds,
        prefix="xid",
        xid=int(query.text) if is_number else None,
        problem=problem,
    )
