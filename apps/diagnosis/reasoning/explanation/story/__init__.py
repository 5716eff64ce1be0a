"""The story of a failure: what is worth telling, in order, short enough to be read."""

from apps.diagnosis.reasoning.explanation.story.timeline import (
    BEGAN_TO_FAIL,
    most_important,
    timeline,
)

__all__ = ["BEGAN_TO_FAIL", "most_important", "timeline"]
