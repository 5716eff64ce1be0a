"""Under which names causes list an observation, and whether a symptom fits it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from apps.diagnosis.causes.load import Cause, CauseSymptom
from apps.diagnosis.model import Observation


def signs(observation: Observation) -> set[str]:
    """Return every name under which causes may list an observation."""
    fields = observation.fields
    found = {observation.sign}
    if fields.get("xid"):
        found.add(f"xid:{fields['xid'].lstrip('0')}")
    if fields.get("wc_status"):
        found.add(f"wc:{fields['wc_status']}")
    if fields.get("exitcode"):
        found.add(f"exit:{fields['exitcode']}")
    return found


def listed_signs(causes: Mapping[str, Cause]) -> frozenset[str]:
    """Return all signs that some cause weighs."""
    return frozenset(symptom.sign for cause in causes.values() for symptom in cause.symptoms)


def signs_by_host(observations: Iterable[Observation]) -> Mapping[str | None, set[str]]:
    found: dict[str | None, set[str]] = defaultdict(set)
    for one in observations:
        found[one.host] |= signs(one)
    return found


def fits(symptom: CauseSymptom, one: Observation) -> bool:
    for name, accepted in symptom.where.items():
        if one.fields.get(name, "") not in accepted:
            return False
    if symptom.signal and symptom.signal not in one.fields.get("signal", ""):
        return False
    if symptom.layer and symptom.layer != one.layer:
        return False
    if not symptom.contains and not symptom.lacks:
        return True
    texts = [event.line.text.lower() for event in one.events]
    return any(
        symptom.contains in text and not any(part in text for part in symptom.lacks)
        for text in texts
    )
