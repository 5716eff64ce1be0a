"""A metric of all parts of a cluster at one instant."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import ClusterFilterSerializer, InstantFilterSerializer, PublicIdField
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers
from apps.api.v1.serializers.fleet.metrics import FleetSerializer
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.spelling import meant, shown
from apps.fleet.access import access_clusters
from apps.reliability.facade.fleet import fleet_view, usual_signal
from apps.reliability.fleet_grid.values import FleetQuestion
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import NotFound


class MetricField(serializers.CharField):
    """A metric of the catalog."""

    def to_internal_value(self, data: Any) -> str:
        """Refuse what the catalog does not know, with the name that was meant."""
        name, known = super().to_internal_value(data), catalog().signals
        if name not in known:
            hint = meant(word=name, known=known)
            raise serializers.ValidationError(f"there is no metric `{shown(word=name)}`{hint}")
        return name


class FleetFilterSerializer(InstantFilterSerializer, ClusterFilterSerializer):
    """Which cluster (the only one, if it is not given), which metric of the catalog, when; hosts by
    session or a part of their name.
    """

    metric = MetricField(max_length=150, required=False)
    session = PublicIdField()
    host = serializers.CharField(max_length=253, required=False, default="")


class Fleet(OrganizationView):
    """A metric of all parts of a cluster."""

    @takes(*FleetFilterSerializer().fields)
    @extend_schema(
        responses=answers(FleetSerializer),
        parameters=[FleetFilterSerializer],
        operation_id="fleet",
    )
    def get(self, request: Request, organization: str) -> Response:
        """Return it as it was at `at`, else now: what one holds, and what others show."""
        told: dict[str, Any] = read_query(FleetFilterSerializer, request=request)
        now = timezone.now()
        at = min(told.get("at") or now, now)
        cluster = told.get("cluster") or self._only_cluster()
        signal = told.get("metric") or usual_signal(
            actor=self.actor, cluster=cluster, at=at, now=now
        )
        asked = FleetQuestion(
            cluster=cluster,
            signal=signal,
            at=at,
            session=told.get("session", ""),
            host=told["host"],
        )
        found = fleet_view(actor=self.actor, asked=asked, channel=LedgerChannel.REST, now=now)
        return Response(FleetSerializer(found).data)

    def _only_cluster(self) -> str:
        """Return the cluster of who takes part in one; raise ValidationError, NotFound."""
        slugs = list(access_clusters(actor=self.actor).values_list("slug", flat=True)[:2])
        if not slugs:
            raise NotFound
        if len(slugs) > 1:
            raise serializers.ValidationError({"cluster": "there are several: name one"})
        return slugs[0]
