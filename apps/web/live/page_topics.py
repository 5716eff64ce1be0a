"""Of which changes each page hears while it is open: topics, those of one thing with its name."""

from typing import Final

from apps.tenancy.models import Topic


def _written(*topics: Topic) -> str:
    return " ".join(topics)


HOME: Final = _written(*Topic)
INCIDENTS: Final = _written(Topic.INCIDENT, Topic.ANNOTATION, Topic.SHARING)
SESSIONS: Final = _written(Topic.SESSION, Topic.INCIDENT, Topic.SHARING)
SOURCES: Final = _written(Topic.SOURCE)
WARNINGS: Final = _written(Topic.WARNING, Topic.INCIDENT, Topic.SHARING)


def incident_topics(public_id: str) -> str:
    """Return those of the page of one incident, whose scripts know annotations from the rest."""
    return f"{Topic.ANNOTATION}:{public_id} {Topic.INCIDENT}:{public_id} {Topic.SHARING}"


def session_topics(public_id: str) -> str:
    """Return those of the page of one session; which incidents hit it stands there, too."""
    return f"{Topic.SESSION}:{public_id} {Topic.INCIDENT} {Topic.SHARING}"
