"""Logs that an organization holds itself, and their lines."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers, lists
from apps.api.v1.serializers.held_data.logs import (
    HeldStreamSerializer,
    LinePageSerializer,
    LinePlaceSerializer,
    LogDetailSerializer,
    LogFilterSerializer,
    LogSearchSerializer,
    SearchPageSerializer,
)
from apps.api.v1.serializers.listing import sent
from apps.diagnosis.patterns import BadPattern
from apps.telemetry.facade import held_logs
from apps.telemetry.held_logs.values import LinePage


class Logs(OrganizationView):
    """Logs that an organization holds itself."""

    @lists(HeldStreamSerializer, LogFilterSerializer, operation="logs")
    def get(self, request: Request, organization: str) -> Response:
        """List up to a hundred, the latest heard first; narrow them by session, host and kind."""
        asked = read_query(LogFilterSerializer, request=request)
        found = held_logs.list_streams(actor=self.actor, **asked)
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(HeldStreamSerializer, page.results)))


class LogDetail(OrganizationView):
    """One of these logs."""

    @extend_schema(responses=answers(LogDetailSerializer), operation_id="log")
    def get(self, request: Request, organization: str, key: str) -> Response:
        """Return what is known of it and how much of it is kept."""
        log = held_logs.open_stream(actor=self.actor, key=key)
        kept = held_logs.extent_of(actor=self.actor, stream=log)
        return Response(LogDetailSerializer({"log": log, "kept": kept}).data)


class HeldLogLines(OrganizationView):
    """Lines of one of these logs."""

    @takes(*LinePlaceSerializer().fields)
    @extend_schema(
        responses=answers(LinePageSerializer),
        parameters=[LinePlaceSerializer],
        operation_id="log_lines",
    )
    def get(self, request: Request, organization: str, key: str) -> Response:
        """Return lines around a line or time, from a line on, or in front of one."""
        asked = read_query(LinePlaceSerializer, request=request)
        return Response(LinePageSerializer(self._page(key, asked)).data)

    def _page(self, key: str, asked: dict[str, Any]) -> LinePage:
        actor, count = self.actor, asked["limit"]
        number = asked.get("line")
        if number is None and "at" in asked:
            number = held_logs.place_of_time(actor=actor, key=key, at=asked["at"])
            if number is None:
                raise ValidationError({"at": "the lines of this log have no times with a zone"})
        if number is not None:
            return held_logs.page_around(actor=actor, key=key, number=number, count=count)
        if "from" in asked:
            return held_logs.page_from(actor=actor, key=key, number=asked["from"], count=count)
        stream = held_logs.open_stream(actor=actor, key=key)
        before = asked.get("before", stream.line_count + 1)
        return held_logs.page_before(actor=actor, key=key, number=before, count=count)


class LogSearch(OrganizationView):
    """A search in one of these logs."""

    @takes(*LogSearchSerializer().fields)
    @extend_schema(
        responses=answers(SearchPageSerializer),
        parameters=[LogSearchSerializer],
        operation_id="log_search",
    )
    def get(self, request: Request, organization: str, key: str) -> Response:
        """Return lines that match, as far as 0.2 s reach; it goes on at `next_number`."""
        stream = held_logs.open_stream(actor=self.actor, key=key)
        asked = read_query(LogSearchSerializer, request=request)
        is_backward = asked["backward"]
        query = held_logs.LineQuery(
            text=asked["q"],
            is_pattern=asked["mode"] == "pattern",
            ignores_case=not asked["exact_case"],
            level=asked.get("level", ""),
        )
        start = asked.get("number", stream.line_count + 1 if is_backward else 1)
        try:
            page = held_logs.search_lines(
                actor=self.actor, key=key, query=query, number=start, is_backward=is_backward
            )
        except BadPattern as error:
            raise ValidationError({"q": f"no RE2 pattern that can be used: {error}"}) from error
        return Response(SearchPageSerializer(page).data)
