"""What the demo's incidents say beside what the simulator really broke. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioCheck:
    """One scenario: what was expected, what every party sees, and where they differ."""

    scenario: str
    expected: str
    seen: str
    differences: Sequence[str]

    @property
    def is_right(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def compare(
    *, truth: Json, incidents: Mapping[str, Sequence[Json]], tenants: Collection[str]
) -> ScenarioCheck:
    """Compare one scenario with the incidents that each organization (by slug) sees."""
    own = incidents.get(truth["organization"], ())
    about = [each for each in own if is_about(incident=each, truth=truth)]
    if truth.get("survived"):
        about = [each for each in about if each.get("kind") == truth["survived"]["state"]]
    # What merely slowed an attempt that stopped is an incident of its own.
    found = min(about, key=lambda each: each.get("kind") == "slow", default=None)
    if not truth["expect"]["incident"]:
        differences = [] if found is None else ["an incident where nothing broke"]
        return _finding(truth, found, differences)
    if found is None:
        return _finding(truth, None, ["no incident yet"])
    differences = [
        *_verdict_differences(truth, found),
        *_culprit_differences(truth["culprits"], (found.get("culprits") or ())),
        *_visibility_differences(truth, found, incidents, tenants),
    ]
    return _finding(truth, found, differences)


def survival_differences(*, truth: Json, attempts: Sequence[Json]) -> list[str]:
    """Return how the attempt of a job that went on differs from the ledger, by its REST value."""
    wanted = truth.get("survived")
    if not wanted:
        return []
    found = next((each for each in attempts if each.get("number") == truth["attempt"]), {})
    expected = {
        "degraded": wanted["state"] == "degraded",
        "lost_gpus": wanted["lost_gpus"],
        "alive_gpus": wanted["alive_gpus"],
        "ended_at": None,
    }
    return [
        f"{name} {found.get(name)} instead of {value}"
        for name, value in expected.items()
        if name not in found or found[name] != value
    ]


def is_about(*, incident: Json, truth: Json) -> bool:
    """Whether an incident is of the session and attempt that a scenario broke."""
    named = [incident.get("session"), *incident.get("sessions", ())]
    for each in named:
        values = each if isinstance(each, Mapping) else {"name": each}
        if values.get("name") != truth["session"]:
            continue
        attempt = values.get("attempt", incident.get("attempt"))
        if attempt is None or attempt == truth["attempt"]:
            return True
    return False


def _verdict_differences(truth: Json, incident: Json) -> list[str]:
    wanted = {
        "layer": truth["layer"],
        "cause": truth["cause"],
        "verdict_status": truth["expect"]["status"],
    }
    # An unknown verdict names no layer and no cause, whatever was broken.
    if truth["expect"]["status"] == "unknown":
        wanted |= {"layer": "unknown", "cause": "unknown"}
    # Where the truth only asks for a possible answer, a well-evidenced one is no mistake.
    if wanted["verdict_status"] == "possible" and incident.get("verdict_status") == "likely":
        del wanted["verdict_status"]
    return [
        f"{name} {incident.get(name) or None} instead of {value}"
        for name, value in wanted.items()
        if (incident.get(name) or None) != value
    ]


def _culprit_differences(truth: Sequence[Json], incident: Sequence[Json]) -> list[str]:
    missed = [each for each in truth if not any(_is_same(each, other) for other in incident)]
    wrong = [each for each in incident if not any(_is_same(other, each) for other in truth)]
    return [f"culprit {_name(each)} is not named" for each in missed] + [
        f"{_name(each)} is named and innocent" for each in wrong
    ]


def _is_same(truth: Json, named: Json) -> bool:
    if truth["kind"] != named["kind"]:
        return False
    for field in ("host", "name"):
        if truth.get(field) and truth[field] != named.get(field):
            return False
    return truth.get("gpu") is None or truth["gpu"] == _gpu_index(named)


def _visibility_differences(
    truth: Json,
    found: Json,
    incidents: Mapping[str, Sequence[Json]],
    tenants: Collection[str],
) -> list[str]:
    seen = {
        slug: next((each for each in own if each["id"] == found["id"]), None)
        for slug, own in incidents.items()
    }
    parties = set(truth["expect"]["parties"])
    return [f"{slug} can't see it" for slug in sorted(parties) if seen.get(slug) is None] + [
        f"{slug} sees {'it' if slug in tenants else 'the culprit'} and must not"
        for slug, incident in sorted(seen.items())
        # Whoever supplies the cluster reads layer, cause, time and owner; of whom, only parties.
        if slug not in parties and incident and (slug in tenants or incident.get("culprits"))
    ]


def _finding(truth: Json, found: Json | None, differences: Sequence[str]) -> ScenarioCheck:
    expects = truth["expect"]
    expected = "no incident"
    if expects["incident"]:
        culprits = ", ".join(_name(each) for each in truth["culprits"])
        expected = f"{expects['status']} {truth['layer']}/{truth['cause']} {culprits}"
    seen = "no incident"
    if found is not None:
        culprits = ", ".join(_name(each) for each in (found.get("culprits") or ()))
        status, layer, cause = (found.get(n) for n in ("verdict_status", "layer", "cause"))
        seen = f"{found['id']} {status} {layer}/{cause} {culprits}"
    return ScenarioCheck(
        scenario=truth["scenario"], expected=expected, seen=seen, differences=differences
    )


def _name(culprit: Json) -> str:
    index = _gpu_index(culprit)
    parts = [culprit.get("host"), culprit.get("name"), None if index is None else f"GPU {index}"]
    return " ".join(str(each) for each in parts if each) or str(culprit["kind"])


def _gpu_index(culprit: Json) -> Any:
    """Return the number of a GPU, which the truth says bare and an incident among other names."""
    gpu = culprit.get("gpu")
    return gpu.get("index") if isinstance(gpu, Mapping) else gpu
