"""What is said of an incident: its title, its cause, the parts it blames."""

from apps.incidents.words.advice import (
    answer,
    hosts_text,
    is_restart_needed,
    more,
    restart,
    restart_retold,
    rival_hosts,
    said_in_words,
)
from apps.incidents.words.blamed import culprit, culprits
from apps.incidents.words.titles import (
    Happening,
    clause,
    head_in_words,
    is_stop,
    listed_name,
    rival_of,
    session_name,
    sessions_json,
    shown_name,
    summary_of,
    title,
    title_of,
    title_told,
)
from apps.wording.causes import CAUSES, cause, spoken
from apps.wording.phrase import PROGRAM_IS_FINE, CausePhrase

__all__ = [
    "CAUSES",
    "PROGRAM_IS_FINE",
    "CausePhrase",
    "Happening",
    "answer",
    "cause",
    "clause",
    "culprit",
    "culprits",
    "head_in_words",
    "hosts_text",
    "is_restart_needed",
    "is_stop",
    "listed_name",
    "more",
    "restart",
    "restart_retold",
    "rival_hosts",
    "rival_of",
    "said_in_words",
    "session_name",
    "sessions_json",
    "shown_name",
    "spoken",
    "summary_of",
    "title",
    "title_of",
    "title_told",
]
