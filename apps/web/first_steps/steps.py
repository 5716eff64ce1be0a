"""The first steps in words, each with where it is taken: facts in, sentences out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.web import words
from apps.web.connect.ingest_checklist import KINDS
from apps.web.first_steps.facts import FirstFacts

# What each kind of party does here.
PURPOSES: Final[Mapping[str, Promise]] = {
    "operator": gettext_lazy(
        "As the operator you send kernel logs and metrics, and read which node, GPU or link broke "
        "and what to drain."
    ),
    "tenant": gettext_lazy(
        "As a tenant you send the logs of your sessions, and read why one stopped, whether to "
        "restart it and which nodes to leave out."
    ),
    "platform": gettext_lazy(
        "As the platform you tell when sessions start and end and where they run, and read "
        "retries, exclusions and degraded sessions."
    ),
    "gpu_vendor": gettext_lazy(
        "As the GPU vendor you read the evidence of your layer that others show you, and confirm "
        "or refute that it is at fault."
    ),
    "network_vendor": gettext_lazy(
        "As the network vendor you send fabric logs, read the evidence of your layer that others "
        "show you, and confirm or refute that it is at fault."
    ),
    "storage_vendor": gettext_lazy(
        "As the storage vendor you send server logs, and read how saves and loads got to them."
    ),
}
LOGS: Final = frozenset({"kernel", "session", "scheduler", "storage", "fabric", "bmc"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step, and how it stands."""

    key: str
    name: str
    state: str  # done waiting missing
    text: str
    route: str = ""  # where it is taken; empty: not by this reader

    @property
    def mark(self) -> str:
        """Return the mark of its state."""
        return {"done": "fresh", "waiting": "waiting"}.get(self.state, "stale")

    @property
    def state_word(self) -> str:
        """Return its state in a word."""
        if self.state == "done":
            return _("done")
        return _("waiting") if self.state == "waiting" else _("missing")


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSteps:
    """The steps of an organization that begins."""

    steps: tuple[Step, ...]
    purposes: tuple[str, ...]  # what a party of its kind does here

    @property
    def done_count(self) -> int:
        """Return how many are done."""
        return sum(step.state == "done" for step in self.steps)

    @property
    def is_done(self) -> bool:
        """Say whether nothing is left to do."""
        return self.done_count == len(self.steps)


def first_steps(facts: FirstFacts) -> FirstSteps:
    """Return the steps in the order in which they are taken."""
    return FirstSteps(
        steps=tuple(_steps(facts)),
        purposes=tuple(str(PURPOSES[part]) for part in facts.parts if part in PURPOSES),
    )


def _steps(facts: FirstFacts) -> Iterator[Step]:
    yield _cluster(facts)
    if _sends(facts, "metrics"):
        yield _metrics(facts)
    if any(_sends(facts, kind) for kind in LOGS):
        yield _logs(facts)
    yield _session(facts)
    if facts.has_others:
        yield _agreement(facts)
    yield _mail(facts)
    yield _people(facts)


def _sends(facts: FirstFacts, kind: str) -> bool:
    """Say whether it is this organization that sends a kind; alone it sends what it has."""
    flow = facts.flow
    if flow is None:
        return kind == "session"
    has_source = kind == "metrics" and bool(flow.source_count)
    return kind in flow.held or kind in flow.heard or has_source


def _cluster(facts: FirstFacts) -> Step:
    name = _("A part in a cluster")
    if not facts.cluster:
        text = _("none yet: an operator offers it, and an admin takes it")
        return _step(facts, "cluster", name, "missing", text, "web:clusters")
    told = {"cluster": facts.cluster, "part": words.parts(facts.parts)}
    return _step(facts, "cluster", name, "done", _("%(cluster)s, as %(part)s") % told)


def _metrics(facts: FirstFacts) -> Step:
    name, flow = _("Metrics"), facts.flow
    count = flow.source_count if flow else 0
    if flow is None or not count:
        return _step(facts, "metrics", name, "missing", _("no source"), "web:connect")
    told = {"n": flow.fresh_source_count, "all": count}
    text = _("%(n)s of %(all)s sources answer") % told
    state = "done" if flow.fresh_source_count else "waiting"
    return _step(facts, "metrics", name, state, text, "web:sources")


def _logs(facts: FirstFacts) -> Step:
    name = _("Logs")
    heard = LOGS & facts.flow.heard if facts.flow else frozenset[str]()
    if not facts.flow:
        state = "done" if facts.has_session else "missing"
        text = _("they come") if facts.has_session else _("no line yet: drop a file to begin")
        return _step(facts, "logs", name, state, text, "web:upload")
    wanted = LOGS & facts.flow.held
    told = words.joined([str(KINDS[kind]) for kind in sorted(heard)])
    if not heard:
        return _step(facts, "logs", name, "missing", _("no line yet"), "web:connect")
    left = words.joined([str(KINDS[kind]) for kind in sorted(wanted - heard)])
    if not left:
        return _step(facts, "logs", name, "done", told, "web:connect")
    text = _("%(heard)s; not yet: %(left)s") % {"heard": told, "left": left}
    return _step(facts, "logs", name, "waiting", text, "web:connect")


def _session(facts: FirstFacts) -> Step:
    name = _("The first session")
    if facts.has_session:
        return _step(facts, "session", name, "done", _("seen"), "web:sessions")
    text = _("waiting: it appears with its first log line, or when the scheduler tells of it")
    return _step(facts, "session", name, "waiting", text)


def _agreement(facts: FirstFacts) -> Step:
    name = _("An agreement")
    if facts.agreed_with:
        text = _("with %(names)s") % {"names": words.joined(list(facts.agreed_with))}
        return _step(facts, "agreement", name, "done", text, "web:sharing")
    if facts.waits_for_reader:
        text = _("one waits for an answer of yours")
        return _step(facts, "agreement", name, "missing", text, "web:sharing")
    if facts.waits_for_other:
        text = _("proposed, the other side has not answered yet")
        return _step(facts, "agreement", name, "waiting", text, "web:sharing")
    text = _("none: the parties show each other nothing beyond the verdict")
    return _step(facts, "agreement", name, "missing", text, "web:sharing")


def _mail(facts: FirstFacts) -> Step:
    name = _("E-mail")
    if not facts.is_mail_set_up:
        text = _("not set up: whoever runs this portal sets PORTAL_SMTP_URL")
        return _step(facts, "mail", name, "missing", text)
    if facts.is_mail_delivered:
        return _step(facts, "mail", name, "done", _("an e-mail was delivered"))
    text = _("set up, none was delivered yet: send a test")
    return _step(facts, "mail", name, "waiting", text, "web:notifications")


def _people(facts: FirstFacts) -> Step:
    name, count = _("A second person"), facts.member_count
    told = ngettext("%(n)s member", "%(n)s members", count) % {"n": count}
    admins = ngettext("%(n)s admin", "%(n)s admins", facts.admin_count) % {"n": facts.admin_count}
    text = _("%(members)s, %(admins)s") % {"members": told, "admins": admins}
    if count < 2:
        return _step(facts, "people", name, "missing", text, "web:members")
    return _step(facts, "people", name, "done", text, "web:members")


def _step(facts: FirstFacts, key: str, name: str, state: str, text: str, route: str = "") -> Step:
    """Return a step; of what only an admin does nobody else gets the way."""
    is_barred = route in ADMINS and state != "done" and not facts.can_manage
    return Step(key=key, name=name, state=state, text=text, route="" if is_barred else route)


ADMINS: Final = frozenset({"web:clusters", "web:members", "web:sharing"})
