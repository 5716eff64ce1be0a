"""What a sender pastes, in the order of what one wants to send, and the token that goes with it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.telemetry.snippets.agents import AGENTS, Agent, SnippetRequest, filled


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentText:
    """One tab: an agent and what is pasted into it."""

    key: str
    name: str
    place: str
    text: str
    note: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentGroup:
    """What one may want to send, and who can send it."""

    key: str
    title: str
    lead: str
    agents: tuple[AgentText, ...]


GROUPS: Final[Mapping[str, tuple[Promise, Promise]]] = {
    "logs": (
        gettext_lazy("Logs of hosts and sessions"),
        gettext_lazy(
            "The kernel's log of each host, and what each rank prints. Logs of sessions are taken "
            "to lie under /var/log/training/<session>/rank<N>.log: change the path where yours do. "
            "rsyslog as Debian packages it can't send over HTTP: take a build of it with the "
            "module omhttp, or let it forward to a relay with syslog-ng."
        ),
    ),
    "metrics": (
        gettext_lazy("Metrics"),
        gettext_lazy("Sent here, or read by the portal where it can reach the server."),
    ),
    "scheduler": (
        gettext_lazy("What the scheduler knows"),
        gettext_lazy("When a session starts and ends, on which hosts, and of which project it is."),
    ),
    "alerts": (
        gettext_lazy("Alerts"),
        gettext_lazy("What your rules already find. An alert is a hint of a layer, never a proof."),
    ),
}
# Senders whose name is more than a program's.
NAMES: Final[Mapping[str, Promise]] = {
    "remote-write": gettext_lazy("Prometheus, sending"),
    "prometheus-read": gettext_lazy("Prometheus, being read"),
    "inventory": gettext_lazy("Inventory, with curl"),
}
NOTES: Final[Mapping[str, Promise]] = {
    "promtail": gettext_lazy(
        "Start it with -config.expand-env=true and HOSTNAME in its environment; systemd: "
        "Environment=HOSTNAME=%H"
    ),
    "fluent-bit": gettext_lazy(
        "For version 3.2 or newer, with HOSTNAME in its environment; systemd: "
        "Environment=HOSTNAME=%H"
    ),
    "collector": gettext_lazy("The contrib distribution has journald, filelog and host detection."),
    "syslog-ng": gettext_lazy(
        "For version 3.35 or newer, with its module http: the package syslog-ng-mod-http, or "
        "syslog-ng-http. On a host, or on the relay that hosts send their kernel's log to."
    ),
    "remote-write": gettext_lazy("The token in a file that Prometheus can read, or as it stands."),
    "slurm": gettext_lazy(
        "Runs on the controller. The operator names in the inventory whose each account is."
    ),
    "backend-ai": gettext_lazy(
        "Callbacks name no hosts: these come from the labels of the session's logs."
    ),
    "inventory": gettext_lazy("Sent by the operator; again whenever something changes."),
    "alertmanager": gettext_lazy(
        "Alerts find their host by the labels node, instance or hostname."
    ),
}


def groups_of(
    *, wanted: SnippetRequest, chosen: str, without: Collection[str] = ()
) -> tuple[AgentGroup, ...]:
    """Return the agents by group, but some; of each group the chosen one, or the first, is open."""
    agents = [agent for agent in AGENTS if agent.key not in without]
    return tuple(
        AgentGroup(
            key=key,
            title=str(title),
            lead=str(lead),
            agents=_agents([agent for agent in agents if agent.group == key], wanted, chosen),
        )
        for key, (title, lead) in GROUPS.items()
    )


def only_alone(*, wanted: SnippetRequest) -> tuple[AgentGroup, ...]:
    """Return what can be sent without a cluster: files, for one's own eyes."""
    group = groups_of(wanted=wanted, chosen="curl")[0]
    curl = next(agent for agent in group.agents if agent.key == "curl")
    return (
        AgentGroup(key=group.key, title=group.title, lead=_("Files, by hand."), agents=(curl,)),
    )


def _agents(agents: list[Agent], wanted: SnippetRequest, chosen: str) -> tuple[AgentText, ...]:
    opened = chosen if chosen in {agent.key for agent in agents} else agents[0].key
    return tuple(
        AgentText(
            key=agent.key,
            name=str(NAMES.get(agent.key, agent.name)),
            place=agent.place,
            text=filled(agent=agent, wanted=wanted),
            note=str(NOTES.get(agent.key, "")),
            is_chosen=agent.key == opened,
        )
        for agent in agents
    )
