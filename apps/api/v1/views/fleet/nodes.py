"""Hosts, and the devices and sessions on them."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import BY_NAME, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import (
    ClusterFilterSerializer,
    InstantFilterSerializer,
    at_filter,
    cluster_filter,
)
from apps.api.v1.queries import takes
from apps.api.v1.schema import answers, lists
from apps.api.v1.serializers.fleet.nodes import NodeDetailSerializer, NodeSerializer
from apps.api.v1.serializers.listing import sent
from apps.fleet.access import access_node, access_nodes, devices_of, former_devices_of
from apps.fleet.facade.sessions import sessions_on_node
from apps.tenancy.access import NotFound


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
