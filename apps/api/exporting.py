"""Exports: how one reaches its reader in bounded memory.

A streamed body outlives the request's transaction, so each piece is read in a scope of its own;
no scope is held while the client takes its time.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Final

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from apps.incidents.exports.export_format import ExportFormat
from apps.tenancy.database.connections import return_connection
from apps.tenancy.work.later_turns import LaterTurn, later_turn_of

STEP_BYTES: Final = 64 * 2**10


def stream(
    *, request: HttpRequest, chunks: Iterator[bytes], form: ExportFormat, name: str
) -> StreamingHttpResponse:
    """Return the answer that sends the chunks as a file."""
    body: Iterator[bytes] | AsyncIterator[bytes] = chunks
    if isinstance(request, ASGIRequest):
        body = stepwise(chunks, turn=later_turn_of(request=request))
    response = StreamingHttpResponse(body, content_type=form.media_type)
    response["Content-Disposition"] = f'attachment; filename="{name}.{form.name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


async def stepwise(chunks: Iterator[bytes], *, turn: LaterTurn) -> AsyncIterator[bytes]:
    """Yield the chunks some at a time, each step read in a turn of its own."""

    # Given a plain iterator, Django's asynchronous handler would collect the whole export first.
    def take() -> bytes:
        try:
            return _some(chunks)
        finally:
            return_connection()  # for others, while the client takes its time

    async def step() -> bytes:
        async with turn():
            return await sync_to_async(take, thread_sensitive=True)()

    while some := await step():
        yield some


def _some(chunks: Iterator[bytes]) -> bytes:
    """Return what comes next, up to some size: a row alone is not worth a turn."""
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) >= STEP_BYTES:
            break
    return bytes(found)
