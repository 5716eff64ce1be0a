"""The search over what an organization may read."""

from collections.abc import Mapping
from typing import Final

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers
from apps.api.v1.serializers.search.search import SearchQuerySerializer, SearchSerializer
from apps.search.search import search
from apps.search.values import QueryProblem

PROBLEMS: Final[Mapping[str, str]] = {
    QueryProblem.EMPTY: "say what to look for",
    QueryProblem.SHORT: "at least two letters",
    QueryProblem.LONG: "at most 200 letters",
    QueryProblem.BAD_XID: "an Xid is a number, as in xid:79",
}


class Search(OrganizationView):
    """Everything one may read that holds a text."""

    @takes(*SearchQuerySerializer().fields)
    @extend_schema(
        responses=answers(SearchSerializer),
        parameters=[SearchQuerySerializer],
        operation_id="search",
    )
    def get(self, request: Request, organization: str) -> Response:
        """Return it by kind, at most 20 of each: incidents, sessions, nodes, GPUs, causes,
        warnings, annotations, reports, and lines of one's own logs.
        """
        typed = read_query(SearchQuerySerializer, request=request)["q"]
        result = search(actor=self.actor, typed=typed)
        if result.query.problem:
            raise ValidationError({"q": PROBLEMS[result.query.problem]})
        return Response(SearchSerializer(result).data)
