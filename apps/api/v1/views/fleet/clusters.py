"""The clusters that one takes part in."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import BY_SLUG, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.schema import answers, lists
from apps.api.v1.serializers.fleet.clusters import ClusterSerializer
from apps.api.v1.serializers.listing import sent
from apps.fleet.access import access_cluster, access_clusters, parts_in
from apps.fleet.models import Cluster


class Clusters(OrganizationView):
    """The clusters one takes part in."""

    @lists(ClusterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them."""
        page = page_of_rows(rows=access_clusters(actor=self.actor), order=BY_SLUG, request=request)
        return Response(
            page.answer(sent(ClusterSerializer, page.results, self.parts(*page.results)))
        )

    def parts(self, *clusters: Cluster) -> dict[str, object]:
        """Return in which parts the actor's organization takes part in each."""
        return {
            "parts": {
                cluster.pk: [row.part for row in parts_in(actor=self.actor, cluster=cluster)]
                for cluster in clusters
            }
        }


class ClusterDetail(Clusters):
    """One cluster."""

    @extend_schema(responses=answers(ClusterSerializer), operation_id="cluster")
    def get(self, request: Request, organization: str, public_id: str = "") -> Response:
        """Return it."""
        cluster = access_cluster(actor=self.actor, slug=public_id)
        return Response(ClusterSerializer(cluster, context=self.parts(cluster)).data)
