"""Which signatures bear a mark: the reasoning asks for what a line means, not for its name."""

from apps.diagnosis.model import Mark
from apps.diagnosis.signatures.load import load_catalog


def marked(*marks: Mark) -> frozenset[str]:
    """Return the signatures that bear one of these marks."""
    wanted = frozenset(marks)
    return frozenset(key for key, one in load_catalog().items() if one.marks & wanted)
