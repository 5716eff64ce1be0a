"""Terms of agreements in words: how much of what is shown, and where."""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.sharing.states import VersionState
from apps.sharing.terms import Level, Place, Purpose, SharingRule
from apps.web.display.data_classes import data_name
from apps.web.display.levels import level_name

PLACES: Mapping[Place, Promise] = {
    Place.CLUSTER: gettext_lazy("of the whole cluster"),
    Place.OWN_SESSIONS: gettext_lazy("of the nodes of the reader's own sessions, while they ran"),
    Place.INCIDENTS: gettext_lazy("around incidents that both are party of"),
    Place.BLAMED: gettext_lazy("around incidents that blame a layer the reader answers for"),
}
PURPOSES: Mapping[Purpose, Promise] = {
    Purpose.DIAGNOSIS: gettext_lazy("for diagnosis"),
    Purpose.OPERATIONS: gettext_lazy("for operations"),
    Purpose.REVIEW: gettext_lazy("for review"),
}
PRESETS: Mapping[str, tuple[Promise, Promise]] = {
    "joint-operations": (
        gettext_lazy("Joint operations"),
        gettext_lazy(
            "Each tenant sees metrics, warnings and events of the nodes of its own sessions, while "
            "they ran. "
            "Operator and platform see how sessions get on, and redacted events and lines of them "
            "around incidents. "
            "Vendors see what concerns their layer in incidents where it is blamed."
        ),
    ),
    "open-book": (
        gettext_lazy("Open book"),
        gettext_lazy(
            "Metrics, warnings, events and logs in full. What sessions print stays redacted: it "
            "holds names of models, of data and of people."
        ),
    ),
    "closed": (
        gettext_lazy("Closed"),
        gettext_lazy(
            "Everybody reads its own, and of an incident the cause and whom it blames. "
            "Nothing else."
        ),
    ),
}
STATES: Mapping[VersionState, Promise] = {
    VersionState.PROPOSED: gettext_lazy("waits for an answer"),
    VersionState.COUNTERED: gettext_lazy("answered with other terms"),
    VersionState.REPLACED: gettext_lazy("replaced by a later proposal"),
    VersionState.DECLINED: gettext_lazy("declined"),
    VersionState.TAKEN_BACK: gettext_lazy("taken back"),
    VersionState.LAPSED: gettext_lazy("not answered in time"),
    VersionState.IN_FORCE: gettext_lazy("in force"),
    VersionState.SUPERSEDED: gettext_lazy("replaced by a later version"),
    VersionState.EXPIRED: gettext_lazy("ended on its day"),
    VersionState.REVOKED: gettext_lazy("ended by one side"),
}


def rule_sentence(rule: SharingRule, *, reader: str) -> str:
    """Return one rule in words; `reader` is the side that is shown it, empty: who reads this."""
    told = {
        "data": data_name(rule.data),
        "level": level_name(rule.level),
        "place": _place_of(rule.where, reader),
    }
    text = _("%(data)s %(place)s: %(level)s") % told
    if rule.purpose is not Purpose.DIAGNOSIS:
        text = f"{text}, {PURPOSES[rule.purpose]}"
    if rule.keep_days is None:
        return text
    days = ngettext("for %(n)s day", "for %(n)s days", rule.keep_days) % {"n": rule.keep_days}
    return f"{text}, {days}"


def _place_of(where: Place, reader: str) -> str:
    if where is Place.OWN_SESSIONS:
        if not reader:
            return _("of the nodes of your own sessions, while they ran")
        return _("of the nodes of the sessions of %(reader)s, while they ran") % {"reader": reader}
    if where is Place.BLAMED:
        if not reader:
            return _("around incidents that blame a layer you answer for")
        return _("around incidents that blame a layer %(reader)s answers for") % {"reader": reader}
    return str(PLACES[where])


def rule_changes(
    former: Sequence[SharingRule], now: Sequence[SharingRule], *, reader: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a later version shows that the former did not, and the other way round."""
    before, after = (
        tuple(rule_sentence(each, reader=reader) for each in rules) for rules in (former, now)
    )
    added = tuple(each for each in after if each not in before)
    return added, tuple(each for each in before if each not in after)


def levels() -> dict[str, str]:
    """Return level → its name."""
    return {str(each): level_name(each) for each in Level}


def places() -> dict[str, str]:
    """Return place → its name."""
    return {str(place): str(name) for place, name in PLACES.items()}


def purposes() -> dict[str, str]:
    """Return purpose → its name."""
    return {str(purpose): str(name) for purpose, name in PURPOSES.items()}
