"""Requests that no view can read: a problem document for machines, the house's page for people."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.defaults import bad_request

from portal.middleware import MACHINES


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 in the form that whoever asks can read."""
    if not request.path_info.startswith(MACHINES):
        return bad_request(request, exception)
    return JsonResponse(
        {
            "type": "about:blank",
            "title": "Bad request",
            "status": 400,
            "code": "bad_request",
            "detail": "The request can't be read: its address, its headers or its size are wrong.",
        },
        status=400,
        content_type="application/problem+json",
    )
