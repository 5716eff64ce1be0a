"""A metric of all parts of a cluster at one instant."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import InstantFilterSerializer
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers
from apps.api.v1.serializers.fleet.metrics import FleetSerializer
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.spelling import meant, shown
from apps.reliability.facade.fleet import fleet_view, usual_signal
from apps.reliability.fleet_grid.values import FleetQuestion
from apps.sharing.ledger_kinds import LedgerChannel


class FleetFilterSerializer(InstantFilterSerializer):
    """Which cluster, which metric of the catalog, when; hosts by session or a part of the name."""

    cluster = serializers.SlugField(max_length=60)
    metric = serializers.CharField(max_length=150, required=False)
    session = serializers.CharField(max_length=40, required=False, default="")
    host = serializers.CharField(max_length=253, required=False, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse what the catalog does not know, with the name that was meant."""
        known, metric = catalog().signals, attrs.get("metric")
        if metric and metric not in known:
            hint = meant(word=metric, known=known)
            raise serializers.ValidationError({"metric": f"no `{shown(word=metric)}`{hint}"})
        return attrs


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
        cluster = told["cluster"]
        signal = told.get("metric") or usual_signal(
            actor=self.actor, cluster=cluster, at=at, now=now
        )
        asked = FleetQuestion(
            cluster=cluster, signal=signal, at=at, session=told["session"], host=told["host"]
        )
        found = fleet_view(actor=self.actor, asked=asked, channel=LedgerChannel.REST, now=now)
        return Response(FleetSerializer(found).data)
