"""Incidents as rows, made of a seed: who holds what, when, of which layer, and what people did."""

import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any, Final

from apps.fleet.models import Cluster, ParticipationRole
from apps.incidents.annotations import annotate
from apps.incidents.correlation.conclusion import Conclusion, WeighedEvidence
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import (
    IncidentIdentity,
    new_public_id,
    open_incident,
    rewrite,
)
from apps.incidents.entries import Audience, HandOverEntry, Note
from apps.incidents.lifecycle.hand_over import propose
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.incidents.states import IncidentKind
from apps.notifications.models import Notification
from apps.notifications.occasions.incident_changes import look
from apps.telemetry.models import LogStream
from apps.tenancy.access import Actor
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, actor, attempt_of, conclusion, telling
from tests.cast.make import text_fact

PRESETS: Final = ("closed", "joint-operations", "open-book")
PARTS: Final = (
    ParticipationRole.OPERATOR,
    ParticipationRole.PLATFORM,
    ParticipationRole.TENANT,
    ParticipationRole.TENANT,
    ParticipationRole.GPU_VENDOR,
    ParticipationRole.STORAGE_VENDOR,
)
CAUSES: Final = (
    ("gpu", "gpu-off-bus"),
    ("storage", "checkpoint-slow"),
    ("network", "link-down"),
    ("host", "host-oom"),
    ("software", "rank-exception"),
)
STREAMS: Final = ("kernel", "scheduler", "session", "session", "bmc", "storage")  # by PARTS
HOSTS: Final = ("gpu001", "gpu002", "gpu003")
LINE_COUNT: Final = 40  # of each party's log
MOST_PIECES: Final = 6  # a side, as many as a card shows in full


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedWorld:
    """Six parties of one cluster under one preset; each has a log."""

    preset: str
    cluster: Cluster
    parties: tuple[Organization, ...]
    readers: Mapping[int, Actor]
    streams: Mapping[int, int]  # organization → its log

    @property
    def ids(self) -> tuple[int, ...]:
        """Return the ids of all parties."""
        return tuple(each.pk for each in self.parties)

    @property
    def cast(self) -> Cast:
        """Return who is who as other tests call them."""
        operator, _, tenant, other, vendor, storage = self.parties
        return Cast(
            cluster=self.cluster, operator=operator, tenant=tenant, other_tenant=other,
            vendor=vendor, stranger=storage,
        )  # fmt: skip


def generated_world(preset: str) -> GeneratedWorld:
    """Make six parties that all agreed on a preset, each with a log of its own."""
    cluster = make.cluster()
    parties = tuple(make.organization() for _ in PARTS)
    for party, part in zip(parties, PARTS, strict=True):
        make.participation(organization=party, cluster=cluster, part=part)
        if part == ParticipationRole.TENANT:
            make.agreed(organization=party, cluster=cluster)
    _agree(parties, cluster, preset)
    streams = {}
    for number, (party, stream) in enumerate(zip(parties, STREAMS, strict=True)):
        labels = {"stream": stream, "host": HOSTS[number % len(HOSTS)]}
        lines = [f"a line of no weight, li{number}x{n:03d}end" for n in range(LINE_COUNT)]
        come_in(party, cluster, lines, at=make.AT, **labels)
        with organization_scope(party.pk):
            streams[party.pk] = LogStream.objects.get().pk
    return GeneratedWorld(
        preset=preset,
        cluster=cluster,
        parties=parties,
        readers={party.pk: actor(party, MemberRole.ADMIN) for party in parties},
        streams=streams,
    )


def _agree(parties: tuple[Organization, ...], cluster: Cluster, preset: str) -> None:
    tenants = parties[2:4]  # who do not know of each other
    for first, second in combinations(parties, 2):
        if first in tenants and second in tenants:
            continue
        agreed(first, second, cluster, preset=preset)


@dataclass(slots=True, kw_only=True)
class _Draft:
    """What is thrown for one incident."""

    world: GeneratedWorld
    seed: int
    dice: random.Random
    holders: list[Organization]
    broke_at: datetime
    count: int = 0
    pieces: list[WeighedEvidence] = field(default_factory=list)

    def mark(self, kind: str) -> str:
        """Return a word that no other fact of any incident holds."""
        self.count += 1
        return f"{kind}{self.seed:03d}x{self.count:03d}end"

    def at(self) -> datetime:
        """Return an instant around the stop, each another one."""
        self.count += 1
        return self.broke_at + timedelta(
            seconds=self.dice.randint(-500, 500), milliseconds=self.count
        )


def generated_incident(world: GeneratedWorld, *, seed: int) -> Incident:
    """Write one incident, and what its parties did and were told. The same for each world."""
    dice = random.Random(seed)  # noqa: S311  no secret
    is_shared = dice.random() < 0.3
    operator, platform, tenant, other, vendor, storage = world.parties
    tenants = [tenant, other] if is_shared else [tenant]
    draft = _Draft(
        world=world,
        seed=seed,
        dice=dice,
        holders=[operator, platform, vendor, storage, *tenants],
        broke_at=make.AT + timedelta(minutes=20 * seed),
    )
    started = draft.broke_at - timedelta(hours=1)
    attempts = [
        attempt_of(world.cast, each, hosts=[host], started_at=started)
        for each, host in zip(tenants, HOSTS, strict=False)
    ]
    told = _conclusion(draft)
    identity = IncidentIdentity(
        owner_id=operator.pk if is_shared else tenant.pk,
        kind=IncidentKind.SHARED if is_shared else IncidentKind.STOP,
        cluster_id=world.cluster.pk,
        attempt_id=None if is_shared else attempts[0].pk,
        entity=f"mount:/ckpt{seed}" if is_shared else "",
    )
    now = draft.broke_at + timedelta(minutes=10)
    with organization_scope(*world.ids):
        incident = open_incident(
            place=identity, conclusion=told, public_id=new_public_id(), is_simulated=False, now=now
        )
        for attempt in attempts:
            mine = replace(told, started_at=draft.broke_at)
            attach(incident=incident, attempt=attempt, conclusion=mine)
            rewrite(
                incident=incident,
                attempt=attempt,
                conclusion=mine,
                newest_evidence_at=None,
                now=now,
            )
    _people(draft, incident, tenants, now)
    for party in world.parties:
        look(organization_id=party.pk, now=now + timedelta(minutes=1))
    return incident


def notices_of(incident: Incident, reader: Organization) -> list[Notification]:
    """Return what a party was told of an incident. Needs its scope."""
    found = Notification.objects.for_organization(reader).filter(incident=incident)
    return list(found.order_by("created_at", "id"))


def _conclusion(draft: _Draft) -> Conclusion:
    dice = draft.dice
    chosen = dice.sample(CAUSES, dice.randint(1, 3))
    hypotheses: list[dict[str, Any]] = []
    for position, (layer, cause) in enumerate(chosen):
        is_out = position == len(chosen) - 1 and position > 0 and dice.random() < 0.5
        sides = {"for": 0, "against": 1} if is_out else {
            "for": dice.randint(1, MOST_PIECES), "against": dice.randint(0, 3)
        }  # fmt: skip
        pieces = [_piece(draft, layer, cause, side) for side, n in sides.items() for _ in range(n)]
        draft.pieces += pieces
        hypotheses.append(
            {
                "layer": layer,
                "cause": cause,
                "probability": round(0.9 / (position + 1), 2),
                "cause_probability": round(0.8 / (position + 1), 2),
                "culprits": [{"kind": "node", "host": dice.choice(HOSTS), "name": None}],
                "missing": [],
                "ruled_out": text_fact("it began after the stop") if is_out else None,
                "held": _held(pieces),
            }
        )
    best = hypotheses[0]
    host = best["culprits"][0]["host"]
    header = {
        **{name: best[name] for name in ("layer", "cause", "probability", "cause_probability")},
        "verdict_status": dice.choice(("likely", "possible")),
        "culprits": best["culprits"],
        "restart": {"advice": "restart-without", "exclude_hosts": [host]},
        "actions": [
            {"statement": text_fact("Look at the node"), "owner": "operator", "hosts": [host]}
        ],
    }
    usual = conclusion(draft.world.cast, **header)
    moments = tuple(_moment(draft) for _ in range(dice.randint(1, 8)))
    return replace(
        usual,
        hypotheses=hypotheses,
        pieces=tuple(draft.pieces),
        tellings=moments,
        started_at=draft.broke_at,
    )


def _piece(draft: _Draft, layer: str, cause: str, side: str) -> WeighedEvidence:
    dice = draft.dice
    holder, host = dice.choice(draft.holders), dice.choice(HOSTS)
    number = dice.randint(1, LINE_COUNT)
    line = f"stream:{draft.world.streams[holder.pk]}/{number}"
    reference = dice.choice((line, line, "", f"anomaly:{draft.count}"))
    is_line = reference == line
    text = f"{host} tells of /mnt/data/run7 what is {draft.mark('ev')}"
    return WeighedEvidence(
        organization_id=holder.pk,
        cause=f"{layer}/{cause}",
        side=side,
        position=draft.count,
        weight=round(dice.uniform(0.5, 6.0), 1),
        layer=dice.choice((layer, layer, "host")),
        statement=text_fact(text),
        source="a.log" if is_line else "",
        line=number if is_line else None,
        at=draft.at(),
        reference=reference,
        is_claimed=dice.random() < 0.1,
        fact={"host": host, "fields": {}},
    )


def _held(pieces: list[WeighedEvidence]) -> list[dict[str, Any]]:
    found: defaultdict[tuple[Any, ...], list[float]] = defaultdict(list)
    for each in pieces:
        found[each.organization_id, each.side, each.layer, each.is_claimed].append(each.weight)
    return [
        {
            "organization": who, "side": side, "layer": layer, "claimed": is_claimed,
            "count": len(weights), "weight": round(sum(weights), 2),
        }
        for (who, side, layer, is_claimed), weights in sorted(found.items())
    ]  # fmt: skip


def _moment(draft: _Draft) -> Any:
    dice = draft.dice
    layer, host = dice.choice(CAUSES)[0], dice.choice(HOSTS)
    return telling(
        dice.choice(draft.holders),
        f"{host} has at /mnt/data/run7 what is {draft.mark('mo')}",
        lane=layer,
        kind=dice.choice(("event", "event", "anomaly")),
        at=draft.at(),
        detail={"host": host, "layer": layer, "source": "a.log", "line": draft.count},
        for_all_parties=dice.random() < 0.1,
    )


def _people(draft: _Draft, incident: Incident, tenants: list[Organization], now: datetime) -> None:
    dice, world = draft.dice, draft.world
    operator, platform, *_ = world.parties
    for _ in range(dice.randint(0, 3)):
        author = dice.choice(draft.holders)
        # A tenant does not know of the other one, so it can't write to it.
        others = [each for each in draft.holders if each != author and each not in tenants]
        readers = dice.sample(others, dice.randint(0, len(others)))
        with organization_scope(author.pk):
            annotate(
                actor=world.readers[author.pk],
                incident=incident,
                note=Note(text=f"what we know is {draft.mark('no')}"),
                audience=Audience(organizations=tuple(each.slug for each in readers)),
                now=now,
            )
    if dice.random() < 0.3:
        with organization_scope(operator.pk):
            asking = world.readers[operator.pk]
            found = access_incident(actor=asking, public_id=incident.public_id)
            entry = HandOverEntry(
                to=platform.slug, reason="other", text="it is yours", ticket="T-1"
            )
            propose(actor=asking, incident=found, entry=entry, now=now)
