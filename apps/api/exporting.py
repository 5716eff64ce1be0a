"""Exports: which formats there are, and how one reaches its reader in bounded memory.

A streamed body outlives the request's transaction, so each piece is read in a scope of its own;
no scope is held while the client takes its time.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from functools import cache

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from apps.api import exports
from apps.api.export_format import ExportFormat
from apps.diagnosis.registry import collect
from apps.tenancy.connections import return_connection


@cache
def formats() -> Mapping[str, ExportFormat]:
    """Return the formats by name: one module of `exports` each."""
    return {each.name: each for each in collect(package=exports, kind=ExportFormat)}


def stream(
    *, request: HttpRequest, chunks: Iterator[bytes], form: ExportFormat, name: str
) -> StreamingHttpResponse:
    """Return the answer that sends the chunks as a file."""
    body = _stepwise(chunks) if isinstance(request, ASGIRequest) else chunks
    response = StreamingHttpResponse(body, content_type=form.media_type)
    response["Content-Disposition"] = f'attachment; filename="{name}.{form.name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


async def _stepwise(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    # Given a plain iterator, Django's asynchronous handler would collect the whole export first.
    def take() -> bytes | None:
        try:
            return next(chunks, None)
        finally:
            return_connection()  # for others, while the client takes its time

    while (chunk := await sync_to_async(take, thread_sensitive=True)()) is not None:
        yield chunk
