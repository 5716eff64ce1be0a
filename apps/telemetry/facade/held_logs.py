"""Logs that an organization holds itself, read at any place. Needs the actor's scope."""

from apps.telemetry.held_logs.aligned_columns import aligned_page
from apps.telemetry.held_logs.line_pages import page_around, page_before, page_from
from apps.telemetry.held_logs.line_search import LineQuery, search_lines
from apps.telemetry.held_logs.line_text import text_between
from apps.telemetry.held_logs.stream_access import (
    extent_of,
    hosts_heard,
    keep_days,
    key_of_stream,
    list_streams,
    open_stream,
)
from apps.telemetry.held_logs.time_places import place_of_time

__all__ = [
    "LineQuery",
    "aligned_page",
    "extent_of",
    "hosts_heard",
    "keep_days",
    "key_of_stream",
    "list_streams",
    "open_stream",
    "page_around",
    "page_before",
    "page_from",
    "place_of_time",
    "search_lines",
    "text_between",
]
