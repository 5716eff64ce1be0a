"""What metrics told of early. Where the cause is inferred it is `consistent with`, never `is`."""

from collections.abc import Mapping

from apps.diagnosis.detection.metrics.load import catalog
from apps.wording import forms, names
from apps.wording.amounts import amount
from apps.wording.devices import device_of, located
from apps.wording.speaker import Speaker, Values, Wording, made
from apps.wording.translatable import gettext_noop

ALONE = gettext_noop(
    "its peers are served as ever, which speaks for this host or its way to the server"
)
CONSISTENT = gettext_noop("consistent with %(cause)s")
AT_ONCE = gettext_noop("%(seen)s of %(watched)s hosts at once")
SHARED = gettext_noop("%(seen)s of %(watched)s hosts at once, a shared cause at %(part)s")
SATURATED = gettext_noop("consistent with saturation of the NFS client queues against %(part)s")
SHARE, WAITING = gettext_noop("queue share %(share)s"), gettext_noop("requests wait in clients")
# What else is seen where the queues are full.
BESIDE = {
    "network": gettext_noop("retransmissions rise too, which speaks for the network in between"),
    "server": gettext_noop("the server answers later too, which speaks for the server"),
    "flat": gettext_noop("server response flat"),
}
ENDED, VALUE = gettext_noop("%(family)s ended"), gettext_noop("%(signal)s: %(value)s")
AGAINST = gettext_noop("%(signal)s: %(value)s, usually %(usual)s")
SESSION, WAY = gettext_noop("the session %(name)s"), gettext_noop("the way to %(name)s")
IN_COMMON = gettext_noop("what these hosts have in common")
NUMBERS_THAT_ARE_NAMES = frozenset({"code", "flag", "state", "bits"})


def _of_host(values: Values, speaker: Speaker) -> str:
    told = [*_findings(values, speaker)]
    if values.get("is_alone"):
        told.append(speaker.translate(ALONE))
    return f"{speaker.value(values['part'])}: {'; '.join([*told, *_cause(values, speaker)])}"


def _of_shared(values: Values, speaker: Speaker) -> str:
    told = [*_findings(values, speaker), *_cause(values, speaker)]
    return f"{speaker.translate(SHARED) % _shown(values, speaker)}: {'; '.join(told)}"


def _saturated(values: Values, speaker: Speaker) -> str:
    shown, share = _shown(values, speaker), values.get("share")
    waits = (
        speaker.translate(SHARE) % {"share": f"{share:.2f}"}
        if isinstance(share, float)
        else speaker.translate(WAITING)
    )
    heads = f"{speaker.translate(AT_ONCE) % shown}: {speaker.translate(SATURATED) % shown}"
    return f"{heads}: {waits}, {speaker.translate(BESIDE[str(values['beside'])])}"


def _finding(values: Values, speaker: Speaker) -> str:
    """Return what one family of metrics says: its signal, and how much against what is usual."""
    if values.get("has_ended"):
        family = speaker.translate(names.family(str(values["family"])))
        return speaker.translate(ENDED) % {"family": family}
    known = catalog().signals.get(str(values["signal"]))
    signal = speaker.translate(known.title) if known else str(values["signal"])
    unit = str(values.get("unit", ""))
    shown = {"signal": signal, "value": _amount(values, "value", unit, speaker)}
    if not shown["value"] or unit in NUMBERS_THAT_ARE_NAMES:
        return signal
    usual = _amount(values, "usual", unit, speaker)
    return speaker.translate(AGAINST if usual else VALUE) % {**shown, "usual": usual}


def _amount(values: Values, name: str, unit: str, speaker: Speaker) -> str:
    value = values.get(name)
    if not isinstance(value, float | int):
        return ""
    return amount(value, unit, translate=speaker.translate)


def _part(values: Values, speaker: Speaker) -> str:
    """Return a part of the cluster, or what many hosts share."""
    kind, name = values["kind"], values.get("name")
    if kind == "program":
        return speaker.translate(SESSION) % {"name": name} if name else speaker.translate(IN_COMMON)
    if kind == "link" and "host" not in values and name:
        return speaker.translate(WAY) % {"name": name}
    return located(device_of(values), speaker)


def _findings(values: Values, speaker: Speaker) -> list[str]:
    told = values["findings"]
    return [speaker.value(each) for each in told] if isinstance(told, tuple) else []


def _cause(values: Values, speaker: Speaker) -> list[str]:
    if "cause" not in values:
        return []
    return [speaker.translate(CONSISTENT) % {"cause": forms.cause_inside(values["cause"], speaker)}]


def _shown(values: Values, speaker: Speaker) -> dict[str, str]:
    return {name: speaker.value(values[name]) for name in ("seen", "watched", "part")}


WARNINGS: Mapping[str, Wording] = {
    "warning-of-host": made(_of_host, "part", "findings", may_take=("is_alone", "cause")),
    "warning-of-shared-part": made(
        _of_shared, "part", "findings", "seen", "watched", may_take=("cause",)
    ),
    "queues-saturated": made(_saturated, "part", "seen", "watched", "beside", may_take=("share",)),
    "finding-of-family": made(
        _finding, "family", "signal", may_take=("has_ended", "value", "usual", "unit")
    ),
    "part": made(_part, "kind", may_take=("host", "index", "name", "pci", "uuid", "rank")),
}
