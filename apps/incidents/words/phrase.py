"""One cause in words: the name in lists, then the clause that ends "Session x stopped: …"."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """How one cause is spoken of."""

    name: str
    clause: str  # with {culprit}
    plain: str  # when nobody may be or can be named
    comfort: str  # what need not be changed, or what has to be
