"""What a holder states of its data, by rule, and why it can't tell."""

from collections.abc import Mapping

from apps.diagnosis.checks.load import load_checks
from apps.diagnosis.model import Value
from apps.wording import quantities
from apps.wording.forms import source
from apps.wording.names import in_words
from apps.wording.speaker import Speaker, Wording, text
from apps.wording.translatable import gettext_noop

MOST_HOSTS = 4
HOSTS = gettext_noop("%(n)s hosts")


def _holds(value: Value, speaker: Speaker) -> str:
    return _phrase(value, speaker, 0)


def _fails(value: Value, speaker: Speaker) -> str:
    return _phrase(value, speaker, 1)


def _unknown(value: Value, speaker: Speaker) -> str:
    return _phrase(value, speaker, 2)


def _phrase(value: Value, speaker: Speaker, place: int) -> str:
    known = load_checks().get(str(value))
    return speaker.translate(known.phrases[place]) if known else in_words(str(value))


def _hosts(value: Value, speaker: Speaker) -> str:
    names = [str(each) for each in value] if isinstance(value, tuple) else []
    if len(names) > MOST_HOSTS:
        return speaker.translate(HOSTS) % {"n": len(names)}
    return ", ".join(names)


ANSWERS: Mapping[str, Wording] = {
    "answer-holds": text(gettext_noop("%(rule)s %(basis)s"), rule=_holds),
    "answer-fails-of-lines": text(
        gettext_noop("%(rule)s %(basis)s: %(count)s line, at %(first)s"),
        gettext_noop("%(rule)s %(basis)s: %(count)s lines, the first at %(first)s"),
        counted="count", rule=_fails, first=quantities.second,
    ),
    "answer-fails-of-series": text(
        gettext_noop("%(rule)s %(basis)s: %(count)s series, at %(first)s"),
        gettext_noop("%(rule)s %(basis)s: %(count)s series, the first at %(first)s"),
        counted="count", rule=_fails, first=quantities.second,
    ),
    "answer-unknown": text(
        gettext_noop("not known %(rule)s %(basis)s: %(why)s"), rule=_unknown
    ),
    "answer-holds-partly": text(
        gettext_noop("%(rule)s %(basis)s; of the rest it is not known: %(why)s"), rule=_holds
    ),
    "answer-basis": text(
        gettext_noop("%(where)s, %(window)s, by rule %(rule)s on %(source)s"),
        window=quantities.window, source=source,
    ),
    "answer-of-hosts": text(gettext_noop("on %(hosts)s"), hosts=_hosts),
    "answer-of-cluster": text(gettext_noop("in the whole cluster")),
    "gap-of-host": text(gettext_noop("%(host)s: %(why)s")),
    "gap-of-hosts": text(
        gettext_noop("%(host)s: %(why)s, and %(count)s host more"),
        gettext_noop("%(host)s: %(why)s, and %(count)s hosts more"),
        counted="count",
    ),
    "gap-no-host": text(gettext_noop("no host is named that both sides know")),
    "gap-no-log": text(gettext_noop("no such log is there")),
    "gap-log-begins": text(gettext_noop("its log begins at %(at)s"), at=quantities.second),
    "gap-log-ends": text(gettext_noop("its log ends at %(at)s"), at=quantities.second),
    "gap-lines-left-out": text(
        gettext_noop("the log says that it left lines out at %(at)s"), at=quantities.second
    ),
    "gap-lines-without-time": text(
        gettext_noop("%(count)s line prints no time that can be placed"),
        gettext_noop("%(count)s lines print no time that can be placed"),
        counted="count",
    ),
    "gap-lines-deleted": text(gettext_noop("lines of that time are not kept any more")),
    "gap-lines-unread": text(gettext_noop("lines that were sent are not read yet")),
    "gap-no-series": text(gettext_noop("no such series was kept")),
    "gap-in-series": text(
        gettext_noop("its series lacks samples from %(start)s to %(end)s"),
        start=quantities.second, end=quantities.second,
    ),
}  # fmt: skip
