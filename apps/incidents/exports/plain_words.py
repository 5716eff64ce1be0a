"""What the slugs and codes of a document are called in files for people. They speak English."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from apps.incidents.exports.export_format import Json
from apps.wording import ENGLISH, forms
from apps.wording.devices import addressed, device_of
from apps.wording.names import LANES, ROLES, SOURCES, in_words

STATES: Final = {"hidden": "hidden by policy"}
CERTAINTY: Final = {"unknown": "not settled", "no-failure": "no failure"}
VERDICTS: Final = {
    "open": "nobody is blamed yet",
    "proposed": "proposed, not agreed on yet",
}
LEVELS: Final = {"full": "in full", "redacted": "redacted", "signal": "as a signal"}
# What a reader may not see, as the export names it → in words.
HIDDEN: Final = {
    "culprits": "which part is blamed",
    "restart.exclude_hosts": "which hosts to leave out",
    "actions.hosts": "which hosts the actions are about",
    "session": "the session",
    "first_stopper": "which ranks stopped first",
    "coverage.missing_hosts": "which hosts sent nothing",
}


class PartyNames:
    """What the parties of a document are called, by their slugs."""

    def __init__(self, incident: Json) -> None:
        parties = incident.get("parties") or ()
        self._names: Mapping[str, str] = {each["slug"]: each["name"] for each in parties}

    def of(self, slug: object) -> str:
        """Return a party's name; its slug where the document names none, empty for nobody."""
        return self._names.get(str(slug), str(slug)) if slug else ""

    def shared(self, shared: Json | None, *, beside: object = None) -> str:
        """Return by whom and how something is shown; empty for one's own. `beside` is the party
        whose name stands there already.
        """
        if not shared:
            return ""
        level = LEVELS.get(shared["level"], shared["level"])
        if shared["organization"] == beside:
            return f"shown {level}"
        return f"shown by {self.of(shared['organization'])}, {level}"


def blamed_text(culprits: Sequence[Json] | None) -> str:
    """Return the blamed parts so that somebody finds them: GPU 6 (0000:d1:00.0) on gpu044."""
    return "; ".join(addressed(device_of(each), ENGLISH) for each in culprits or ())


def role_text(role: object) -> str:
    """Return what a part in a cluster is called: GPU vendor."""
    return ROLES.get(str(role), spaced(role)) if role else ""


def place_text(entry: Json) -> str:
    """Return where a moment was, as far as it is shown: gpu044, GPU 6, rank 12."""
    gpu, ranks = entry["detail"].get("gpu"), entry["ranks"] or ()
    parts = [entry["host"] or "", "" if gpu is None else f"GPU {gpu}"]
    if ranks:
        parts.append(f"rank {ranks[0]}" if len(ranks) == 1 else counted(len(ranks), "rank"))
    return ", ".join(filter(None, parts))


def roles_text(roles: Iterable[object]) -> str:
    """Return several parts in a row."""
    return ", ".join(map(role_text, roles))


def parties_text(incident: Json) -> str:
    """Return who takes part, each with its parts in the cluster."""
    return "; ".join(
        f"{each['name']} ({roles_text(each['parts'])})" for each in incident["parties"]
    )


def layer_text(layer: object) -> str:
    """Return what a layer is called: GPU, Network."""
    return forms.layer(str(layer or "unknown"), ENGLISH)


def cause_text(slug: str | None) -> str:
    """Return what a cause is called; its slug where no table knows it."""
    return forms.cause(slug, ENGLISH) if slug else "not known"


def lane_text(lane: object) -> str:
    """Return what a lane of the timeline is called."""
    return LANES.get(str(lane), in_words(str(lane))) if lane else ""


def source_text(source: object) -> str:
    """Return what a kind of source is called: Kernel logs."""
    return SOURCES.get(str(source), in_words(str(source)))


def spaced(slug: object) -> str:
    """Return a word of a list that has no name of its own: information needed."""
    return str(slug or "").replace("-", " ").replace("_", " ")


def state_text(state: object) -> str:
    """Return whether a source was there."""
    return STATES.get(str(state), spaced(state))


def verdict_text(state: object) -> str:
    """Return where a verdict stands with those whom it blames."""
    return VERDICTS.get(str(state), spaced(state))


def certainty_text(incident: Json) -> str:
    """Return how sure the verdict is; nothing is sure of an unknown one."""
    status = str(incident["verdict_status"])
    if status not in {"likely", "possible"}:
        return CERTAINTY.get(status, spaced(status))
    return f"{status}, {incident['probability']:.0%}"


def hidden_texts(incident: Json) -> list[str]:
    """Return what policy hides from the reader."""
    return [HIDDEN.get(each, spaced(each)) for each in incident["hidden"]]


def hosts_heard(coverage: Json) -> str:
    """Return from how many hosts a source came; of how many, where any were expected."""
    present, expected = coverage["hosts_present"], coverage["hosts_expected"]
    if present is None or expected is None:
        return ""
    if expected:
        return f"{present} of {expected} hosts"
    return counted(present, "host") if present else ""


def counted(count: int, noun: str) -> str:
    """Return how many of something there are: 1 host, 9 hosts."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
