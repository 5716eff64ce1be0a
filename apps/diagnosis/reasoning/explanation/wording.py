"""Beside the steps: what an observation says to people."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from apps.diagnosis.causes.load import Symptom, load_causes
from apps.diagnosis.model import Observation
from apps.diagnosis.signatures.load import load_catalog


def worded(one: Observation) -> Observation:
    """Say an observation in the words of its signature."""
    if one.text:
        return one
    signature = load_catalog().get(one.sign)
    if signature:
        return replace(one, text=signature.meaning_of(fields=one.fields))
    symptom = _heaviest().get(one.sign)
    words = symptom.text_of(fields=one.fields) if symptom else ""
    return replace(one, text=words[:1].upper() + words[1:]) if words else one


@cache
def _heaviest() -> Mapping[str, Symptom]:
    """Return for each sign that speaks for a cause the symptom that weighs most."""
    symptoms = [each for cause in load_causes().values() for each in cause.symptoms]
    weighed = sorted(symptoms, key=lambda each: (each.weight, each.text))
    return {each.sign: each for each in weighed}
