"""What the tables of causes say, and words that were kept before facts were."""

from collections.abc import Mapping

from apps.diagnosis.causes.load import load_causes
from apps.wording.names import in_words
from apps.wording.speaker import Speaker, Values, Wording, made, text


def _would(values: Values, speaker: Speaker) -> str:
    cause, source = load_causes().get(str(values["cause"])), values["source"]
    told = (one.would for one in cause.settles if one.source == source) if cause else ()
    return speaker.translate(next(iter(told), "")) or in_words(str(values["cause"]))


def _action(values: Values, speaker: Speaker) -> str:
    """Return what to do: what is usual, or by the so many-th row of what lines may ask for."""
    cause, number = load_causes().get(str(values["cause"])), values["number"]
    if cause is None:
        return in_words(str(values["cause"]))
    by_line = (one.text for place, one in enumerate(cause.actions, start=1) if place == number)
    return speaker.translate(next(by_line, cause.action))


KNOWLEDGE: Mapping[str, Wording] = {
    "text": text("%(text)s"),
    "settles": made(_would, "cause", "source"),
    "cause-action": made(_action, "cause", "number"),
}
