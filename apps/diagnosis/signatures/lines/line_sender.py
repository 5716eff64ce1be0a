"""Who told a line, by what stands before its text: unparsed, as most lines stay."""

import re

from apps.diagnosis.signatures.match import SignatureMatch
from apps.diagnosis.signatures.progress.step_times import Voice

# What changes from line to line of one voice: clocks, measures and counted steps. No address does.
# Each alternative stands behind a first digit: so places without one are passed quickly.
COUNTED = "|".join(
    rf"(?<={word}[ =:]\d)|(?<={word}[=:] \d)"
    for word in ("tep", "ter", "tion", "poch", "atch", "mples", "kens")
)
CHANGING = re.compile(
    r"\d(?:(?:\d{3}-\d\d-\d\d[ T]\d)?\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r"|(?<![\d.]\d)\d{0,11}\.\d{1,12}(?:[eE][+-]?\d{1,3})?(?![\d.])"
    rf"|(?:{COUNTED})\d{{0,11}}(?![\d.]))",
    re.ASCII,
)
Repeat = tuple[str, str | None, tuple[str | None, ...]]


def voice_of(hit: SignatureMatch) -> Voice:
    """Return who told of a progress, by the unparsed prefix of the line."""
    found, names = hit.found, hit.signature.speaker
    prefix = found.before if hit.is_whole else ""
    return hit.signature.key, CHANGING.sub("", prefix), tuple(map(found.group, names))


def repeat_of(hit: SignatureMatch) -> Repeat:
    """Return what is told once per process: who said what, unparsed."""
    found, names = hit.found, hit.found.re.groupindex
    values = tuple(found[name] if name in names else None for name in hit.signature.once_per)
    return hit.signature.key, hit.prefix, values
