"""What other parties' metrics tell of parts of a cluster at an instant, as far as they show it.

Each host is asked for by itself: a rule for the reader's own sessions shows their hosts alone. Of a
signal there is nothing to draw.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.model import Device
from apps.fleet.models import Cluster, Session
from apps.incidents.projection.shared.handed_out import HandedOut
from apps.incidents.projection.shared.holder_scope import holder_scope
from apps.incidents.projection.shared.shared_access import shown_as
from apps.incidents.projection.shared.shared_charts import SHOWN
from apps.incidents.projection.shared.shared_warnings import looks_from
from apps.incidents.projection.shared_values import SharedAs
from apps.sharing.grant_values import Grant, ReaderPlace, SharedThing
from apps.sharing.grants import grants_to, rule_for
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level
from apps.telemetry.fleet_metrics.moments import FRESH, MetricMoment, moment_of, signals_between
from apps.tenancy.access import Actor, Right


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedMoment:
    """Parts of hosts that one rule shows, under the names that it shows them by."""

    shared: SharedAs
    moment: MetricMoment


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentQuestion:
    """Which signal of a cluster is asked for, and when; without one, which there are."""

    cluster: Cluster
    at: datetime
    now: datetime
    signal: str = ""


def shared_moments(*, actor: Actor, asked: MomentQuestion) -> list[SharedMoment]:
    """Return what others show of a signal. Needs the actor's scope, a cluster from a door."""
    data = f"metrics:{catalog().signals[asked.signal].layer}"
    found: list[SharedMoment] = []
    for grant, place, redactor in _opened(actor, asked):
        if not grant.agreed(data):
            continue
        whole = moment_of(
            organization_id=grant.holder.id,
            cluster_id=asked.cluster.pk,
            signal=asked.signal,
            at=asked.at,
        )
        found += _by_rule(whole, grant, place, redactor, asked)
    return found


def shared_signals(*, actor: Actor, asked: MomentQuestion) -> frozenset[str]:
    """Return which signals others tell of that a rule shows in some place."""
    found: set[str] = set()
    for grant, place, _ in _opened(actor, asked):
        names = signals_between(
            organization_id=grant.holder.id,
            cluster_id=asked.cluster.pk,
            since=asked.at - FRESH,
            until=asked.at,
        )
        layers = {catalog().signals[each].layer for each in names}
        shown = {layer for layer in layers if _is_shown(layer, grant, place, asked)}
        found |= {each for each in names if catalog().signals[each].layer in shown}
    return frozenset(found)


def _is_shown(layer: str, grant: Grant, place: ReaderPlace, asked: MomentQuestion) -> bool:
    """Say whether anything of a layer is shown then, wherever it stands."""
    thing = SharedThing(data=f"metrics:{layer}", at=asked.at)
    rule = rule_for(grant=grant, thing=thing, reader=place, now=asked.now)
    return rule is not None and rule.level in SHOWN


def hand_out_moment(handed_out: HandedOut, asked: MomentQuestion, each: SharedMoment) -> None:
    """Take what of a signal is shown, for the ledger."""
    moment = each.moment
    data = f"metrics:{catalog().signals[asked.signal].layer}"
    told = (asked.signal, asked.at.isoformat(), moment.parts, moment.values.tobytes())
    handed_out.add(each.shared, data, *told)


def _opened(actor: Actor, asked: MomentQuestion) -> Iterator[tuple[Grant, ReaderPlace, Redactor]]:
    """Yield each grant of metrics, in the scope of its holder."""
    actor.require(Right.READ)
    cluster = asked.cluster
    grants = grants_to(reader=actor.organization, cluster_id=cluster.pk, now=asked.now)
    telling = [each for each in grants.values() if each.speaks_of("metrics")]
    if not telling:
        return
    place, names = looks_from(actor, cluster, since=asked.at)
    none = Session.objects.none().values("pk")
    for grant in telling:
        hides = Redactor(grant=grant, cluster_id=cluster.pk, reader=names, hit=none)
        with holder_scope(grant=grant, redactor=hides) as redactor:
            yield grant, place, redactor


def _by_rule(
    whole: MetricMoment,
    grant: Grant,
    place: ReaderPlace,
    redactor: Redactor,
    asked: MomentQuestion,
) -> list[SharedMoment]:
    data = f"metrics:{catalog().signals[asked.signal].layer}"
    hosts = dict.fromkeys(host for host, _ in whole.parts)
    by_rule: defaultdict[SharedAs, set[str]] = defaultdict(set)
    for host in hosts:
        thing = SharedThing(data=data, host=host, at=asked.at)
        rule = rule_for(grant=grant, thing=thing, reader=place, now=asked.now)
        if rule is not None and rule.level in SHOWN:
            by_rule[shown_as(grant, rule)].add(host)
    kind = catalog().signals[asked.signal].entity
    return [
        SharedMoment(
            shared=shared,
            moment=_renamed(_of_hosts(whole, shown), kind, redactor, shared.level),
        )
        for shared, shown in by_rule.items()
    ]


def _of_hosts(whole: MetricMoment, hosts: set[str]) -> MetricMoment:
    return whole.only([at for at, (host, _) in enumerate(whole.parts) if host in hosts])


def _renamed(moment: MetricMoment, kind: str, redactor: Redactor, level: Level) -> MetricMoment:
    """Return it under the names of a level, ordered by them: places must not tell a host.

    What a part is called may tell its host, too: a board that has no number goes by its UUID.
    """
    hosts = {host: redactor.host(host, level) for host, _ in moment.parts}
    labels = {label: _label(label, kind, redactor, level) for _, label in moment.parts}
    parts = [(hosts[host], labels[label]) for host, label in moment.parts]
    order = sorted(range(len(parts)), key=lambda at: parts[at][0])
    return replace(moment.only(order), parts=tuple(parts[at] for at in order))


def _label(label: str, kind: str, redactor: Redactor, level: Level) -> str:
    if not label or is_whole_number(label):
        return label
    if kind == "gpu":
        return redactor.device(Device(kind=kind, uuid=label), level).uuid or ""
    return redactor.device(Device(kind=kind, name=label), level).name or ""
