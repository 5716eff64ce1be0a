"""Beside the steps: what an observation says to people."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import Observation
from apps.diagnosis.signatures.load import load_catalog


def worded(one: Observation) -> Observation:
    """Say an observation in the words of its signature."""
    if one.text:
        return one
    signature = load_catalog().get(one.sign)
    words = signature.meaning_of(fields=one.fields) if signature else _meanings().get(one.sign, "")
    return replace(one, text=words) if words else one


@cache
def _meanings() -> Mapping[str, str]:
    """Return what the causes say of each sign that speaks for one, the heaviest words first."""
    symptoms = [each for cause in load_causes().values() for each in cause.symptoms]
    weighed = sorted(symptoms, key=lambda each: (each.weight, each.text))
    return {each.sign: each.text[:1].upper() + each.text[1:] for each in weighed}
