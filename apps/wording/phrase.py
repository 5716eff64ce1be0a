"""One cause in words: the name in lists, then the clause that ends "Session x stopped: …"."""

from dataclasses import dataclass

from apps.wording.translatable import gettext_noop

# What a fault of a part says of the program, where somebody read what the program printed.
PROGRAM_IS_FINE = gettext_noop("Nothing in the program needs to change.")


@dataclass(frozen=True, slots=True, kw_only=True)
class CausePhrase:
    """How one cause is spoken of."""

    name: str
    clause: str  # with {culprit}
    plain: str  # when nobody may be or can be named
    comfort: str  # what need not be changed, or what has to be
