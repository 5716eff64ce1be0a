"""Beside the steps: what an observation tells, as a fact."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from apps.diagnosis.causes.load import Cause, CauseSymptom, load_causes
from apps.diagnosis.model import Observation
from apps.diagnosis.signatures.load import load_catalog


def worded(one: Observation) -> Observation:
    """Return an observation with what it tells: by its signature, else by what it speaks for."""
    if one.statement:
        return one
    signature = load_catalog().get(one.sign)
    if signature:
        return replace(one, statement=signature.fact_of(fields=one.fields))
    if one.sign not in _heaviest():
        return one
    cause, symptom = _heaviest()[one.sign]
    return replace(one, statement=cause.symptom_fact(symptom=symptom, fields=one.fields))


@cache
def _heaviest() -> Mapping[str, tuple[Cause, CauseSymptom]]:
    """Return for each sign that speaks for a cause the symptom that weighs most."""
    pairs = [(cause, each) for cause in load_causes().values() for each in cause.symptoms]
    weighed = sorted(pairs, key=lambda pair: (pair[1].weight, pair[1].text))
    return {each.sign: (cause, each) for cause, each in weighed}
