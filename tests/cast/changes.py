"""Changes that parties of the cast tell."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from apps.diagnosis.model import Layer
from apps.fleet.changes import change_rows
from apps.fleet.changes.change_report import ChangeReport
from apps.fleet.models import ChangedThing, Cluster, ClusterChange, Node
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make


def changed(who: Organization, cluster: Cluster, **said: Any) -> ClusterChange:
    """Let an organization tell of a driver on gpu001, fourteen minutes before AT."""
    told: dict[str, Any] = {
        "key": "rollout-17",
        "kind": ChangedThing.DRIVER,
        "layer": Layer.GPU,
        "starts_at": make.AT - timedelta(minutes=14),
        "hosts": ("gpu001",),
        "title": "CHANGE-TITLE",
        "before": "550.54",
        "after": "560.35",
        "reference": "CHG-REFERENCE",
        "url": "https://git.example.com/CHANGE-URL",
        "by": "CHANGE-PERSON",
        **said,
    }
    report = ChangeReport(**told)
    with organization_scope(who.pk):
        change_rows.record(cluster=cluster, reporter=who, reports=[report], now=make.AT)
        return ClusterChange.objects.get(organization=who, cluster=cluster, key=report.key)


def keep_node(who: Organization, cluster: Cluster, name: str, aliases: Sequence[str] = ()) -> None:
    """Let a node stand in an organization's inventory."""
    with organization_scope(who.pk):
        Node.objects.create(
            organization=who,
            cluster=cluster,
            name=name,
            aliases=[*aliases],
            first_seen_at=make.AT,
            last_seen_at=make.AT,
        )
