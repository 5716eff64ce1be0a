"""What the tables of signatures and causes say, and words that were kept before facts were."""

from collections.abc import Mapping

from apps.diagnosis.causes.load import PLACE, load_causes
from apps.diagnosis.signatures.load import load_catalog, number_in
from apps.wording.names import in_words
from apps.wording.speaker import Speaker, Values, Wording, made, text


def _would(values: Values, speaker: Speaker) -> str:
    cause, source = load_causes().get(str(values["cause"])), values["source"]
    told = (one.would for one in cause.settles if one.source == source) if cause else ()
    return speaker.translate(next(iter(told), "")) or in_words(str(values["cause"]))


def _means(values: Values, speaker: Speaker) -> str:
    cause = load_causes().get(str(values["cause"]))
    return speaker.translate(cause.means if cause else in_words(str(values["cause"])))


def _action(values: Values, speaker: Speaker) -> str:
    """Return what to do: what is usual, or by the so many-th row of what lines may ask for."""
    cause, number = load_causes().get(str(values["cause"])), values["number"]
    if cause is None:
        return in_words(str(values["cause"]))
    by_line = (one.text for place, one in enumerate(cause.actions, start=1) if place == number)
    return speaker.translate(next(by_line, cause.action))


def _signature(values: Values, speaker: Speaker) -> str:
    """Return what a line means, with the number of its error where the meaning lacks it."""
    key, fields = str(values["id"]), _fields(values)
    known = load_catalog().get(key)
    meaning = known.meaning_in(fields=fields) if known else in_words(key)
    number, told = number_in(fields=fields), speaker.translate(meaning)
    return told if number in meaning else f"{told} ({number})"


def _symptom(values: Values, speaker: Speaker) -> str:
    """Return what was observed, with what the line says in the places of the text."""
    cause, sign = load_causes().get(str(values["cause"])), values["sign"]
    alike = (one.text for one in cause.symptoms if one.sign == sign) if cause else ()
    found = (text for number, text in enumerate(alike) if number == values["number"])
    fields = _fields(values)
    told = speaker.translate(next(found, "")) or in_words(str(sign))
    return PLACE.sub(lambda place: fields.get(place[1]) or "…", told)


def _fields(values: Values) -> dict[str, str]:
    told = values["fields"]
    pairs = (pair for pair in told if isinstance(pair, tuple)) if isinstance(told, tuple) else ()
    return {str(name): str(value) for name, value in pairs}


KNOWLEDGE: Mapping[str, Wording] = {
    "text": text("%(text)s"),
    "signature": made(_signature, "id", "fields"),
    "symptom": made(_symptom, "cause", "sign", "number", "fields"),
    "settles": made(_would, "cause", "source"),
    "cause-meaning": made(_means, "cause"),
    "cause-action": made(_action, "cause", "number"),
}
