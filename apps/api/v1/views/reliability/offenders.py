"""Exclusions, nodes that fail again, and the history of one."""

from collections.abc import Iterator
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import DaysFilterSerializer, days_filter
from apps.api.v1.queries import takes
from apps.api.v1.schema import answers, lists, sends_csv
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.reliability.offenders import (
    ExclusionSerializer,
    NodeHistorySerializer,
    OffendersSerializer,
)
from apps.incidents.exports.formats.csv import csv_table
from apps.reliability.facade.offenders import cluster_exclusions, node_history, offenders_of
from apps.reliability.offenders.values import ClusterOffenders
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import NotFound

DAYS: Final = tuple(DaysFilterSerializer().fields)
COLUMNS: Final = (
    *("node", "incidents", "taken_out", "left_out_by_jobs", "out", "lemon_score", "lemon"),
    *("since", "until", "lemons_since"),
)


class Exclusions(OrganizationView):
    """When nodes of a cluster were left out, as far as the reader may know."""

    @lists(ExclusionSerializer, DaysFilterSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List them, the newest first."""
        now = timezone.now()
        found = cluster_exclusions(
            actor=self.actor, cluster=public_id, since=now - days_filter(request), now=now
        )
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(ExclusionSerializer, page.results)))


class Offenders(OrganizationView):
    """Which nodes of a cluster fail again, as far as the reader may know."""

    @takes(*DAYS)
    @extend_schema(
        responses=answers(OffendersSerializer),
        parameters=[DaysFilterSerializer],
        operation_id="offenders",
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return concentration, lemons and hazard over the last days."""
        return Response(OffendersSerializer(self.found(request, public_id)).data)

    def found(self, request: Request, cluster: str) -> ClusterOffenders:
        """Return what is known of them."""
        now = timezone.now()
        since = now - days_filter(request)
        return offenders_of(actor=self.actor, cluster=cluster, since=since, until=now, now=now)


class OffendersCsv(Offenders):
    """The same as a table, one line a node."""

    @sends_csv(DaysFilterSerializer, operation="offenders_csv")
    def get(  # type: ignore[override]  # a file, no document
        self, request: Request, organization: str, public_id: str
    ) -> StreamingHttpResponse:
        """Send it."""
        found = self.found(request, public_id)
        return self.send_csv(csv_table(COLUMNS, _cells(found)), name=f"offenders-{public_id}")


class NodeHistoryDetail(OrganizationView):
    """The history of one node. Its id is `<cluster>:<name>`."""

    @takes(*DAYS)
    @extend_schema(
        responses=answers(NodeHistorySerializer),
        parameters=[DaysFilterSerializer],
        operation_id="node_history",
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it."""
        cluster, colon, host = public_id.partition(":")
        if not colon:
            raise NotFound
        now = timezone.now()
        found = node_history(
            actor=self.actor,
            cluster=cluster,
            host=host,
            since=now - days_filter(request),
            now=now,
            channel=LedgerChannel.REST,
        )
        return Response(NodeHistorySerializer(found).data)


def _cells(found: ClusterOffenders) -> Iterator[dict[str, Any]]:
    scores = {each.node: each for each in found.lemons}
    counted = {each.host for each in found.hosts}
    span = {
        "since": found.since.isoformat(),
        "until": found.until.isoformat(),
        "lemons_since": found.lemons_since.isoformat(),
    }
    for each in found.hosts:
        score = scores.get(each.host)
        yield span | {
            "node": each.host,
            "incidents": each.incidents,
            "taken_out": each.taken_out,
            "left_out_by_jobs": each.left_out_by_jobs,
            "out": each.is_out,
            "lemon_score": f"{score.score:.3f}" if score else "0",
            "lemon": score.is_lemon if score else False,
        }
    for name in sorted(scores.keys() - counted):
        score = scores[name]
        zeros = {"incidents": 0, "taken_out": 0, "left_out_by_jobs": 0, "out": False}
        told = {"node": name, "lemon_score": f"{score.score:.3f}", "lemon": score.is_lemon}
        yield span | zeros | told
