"""What is said of an incident: its title, its cause, the parts it blames."""

from apps.incidents.words.blamed import culprit, culprits
from apps.incidents.words.causes import CAUSES, cause, spoken
from apps.incidents.words.phrase import Cause
from apps.incidents.words.titles import clause, retold, session_name, shown_name, title, title_of

__all__ = [
    "CAUSES",
    "Cause",
    "cause",
    "clause",
    "culprit",
    "culprits",
    "retold",
    "session_name",
    "shown_name",
    "spoken",
    "title",
    "title_of",
]
