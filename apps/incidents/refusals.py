"""Why what a person does with an incident is refused."""


class AudienceUnknown(ValueError):
    """A named recipient is no party of the incident."""


class MentionUnread(ValueError):
    """Who is mentioned would not read it; `names` are as they were written."""

    def __init__(self, names: str) -> None:
        super().__init__(f"mentions {names}, not among those who would read it")
        self.names = names


class ReplyMisplaced(ValueError):
    """What is answered can't be: it is not there, a reply itself, or withdrawn."""


class TooManyAnnotations(Exception):
    """The organization has written as many on this incident as there may be."""


class TextMissing(ValueError):
    """An annotation without words, or with far too many."""


class AlreadyChanged(Exception):
    """Somebody wrote a newer version in between."""


class AlreadyHandled(Exception):
    """Somebody else was faster; look at the incident again."""


class BadOpinion(ValueError):
    """A judgement that says nothing or contradicts itself; `field` is what to change."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class VerdictMoved(Exception):
    """The verdict changed while it was judged; look at it again."""


class BadStep(ValueError):
    """A step that lacks something or can't be meant so; `field` is what to change."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class HandOverOpen(Exception):
    """A hand-over waits for its answer: there is one at a time."""


class IncidentNotOpen(Exception):
    """The incident is resolved or withdrawn: nothing is handed over or done any more."""


class ResolutionProposed(Exception):
    """The organization has proposed to resolve it already, and waits for the answer."""
