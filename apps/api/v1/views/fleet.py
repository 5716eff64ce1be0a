"""Clusters, nodes and sessions."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import BY_NAME, BY_SLUG, NEWEST_MADE, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import (
    ClusterFilterSerializer,
    InstantFilterSerializer,
    at_filter,
    cluster_filter,
)
from apps.api.v1.queries import takes
from apps.api.v1.schema import answers, lists
from apps.api.v1.serializers.fleet import (
    ClusterSerializer,
    NodeDetailSerializer,
    NodeSerializer,
    SessionSerializer,
)
from apps.api.v1.serializers.listing import sent
from apps.fleet.access import (
    access_cluster,
    access_clusters,
    access_node,
    access_nodes,
    devices_of,
    former_devices_of,
    parts_in,
)
from apps.fleet.facade.sessions import (
    attempts_of,
    list_sessions,
    open_session,
    sessions_on_node,
)
from apps.fleet.models import Cluster
from apps.tenancy.access import NotFound


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


class Nodes(OrganizationView):
    """The hosts one owns."""

    @lists(NodeSerializer, ClusterFilterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them by name."""
        rows = access_nodes(
            actor=self.actor, cluster=cluster_filter(actor=self.actor, request=request)
        )
        page = page_of_rows(rows=rows, order=BY_NAME, request=request)
        return Response(page.answer(sent(NodeSerializer, page.results)))


class NodeDetail(OrganizationView):
    """One host with its devices. Its id is `<cluster>:<name>`."""

    @takes(*InstantFilterSerializer().fields)
    @extend_schema(
        responses=answers(NodeDetailSerializer),
        operation_id="node",
        parameters=[InstantFilterSerializer],
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it."""
        cluster, colon, name = public_id.partition(":")
        if not colon:
            raise NotFound
        node = access_node(actor=self.actor, cluster=cluster, name=name)
        at = at_filter(request)
        context = {
            "devices": devices_of(actor=self.actor, node=node, at=at),
            "sessions": sessions_on_node(
                actor=self.actor,
                cluster_id=node.cluster_id,
                host=node.name,
                at=at or timezone.now(),
            ),
            "former_devices": former_devices_of(actor=self.actor, node=node),
        }
        return Response(NodeDetailSerializer(node, context=context).data)


class SessionList(OrganizationView):
    """The training sessions one owns or may know of."""

    @lists(SessionSerializer, ClusterFilterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, newest first."""
        rows = list_sessions(
            actor=self.actor, cluster=cluster_filter(actor=self.actor, request=request)
        )
        page = page_of_rows(rows=rows, order=NEWEST_MADE, request=request)
        attempts = attempts_of(actor=self.actor, sessions=page.results)
        context = {"attempts": attempts}
        return Response(page.answer(sent(SessionSerializer, page.results, context)))


class SessionDetail(OrganizationView):
    """One session with its attempts."""

    @extend_schema(responses=answers(SessionSerializer), operation_id="session")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it."""
        session = open_session(actor=self.actor, public_id=public_id)
        context = {"attempts": attempts_of(actor=self.actor, sessions=[session])}
        return Response(SessionSerializer(session, context=context).data)
