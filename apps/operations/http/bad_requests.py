"""Requests that no view can read: a problem document for machines, the house's page for people."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Final

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, is_valid_path

from apps.api.problems import problem
from apps.api.v1.urls import inside
from apps.diagnosis.spelling import MOST_TOLD, nearest, shown, slipped
from apps.operations.admission import routes
from apps.operations.http.middleware import MACHINES

API = "/api/v1/"
REFERENCE = f"{API}openapi.yaml"
INSIDE = f"{API}o/"
NO_TEXT: Final = "a NUL is no text"
COMPARED = 200  # letters of an address
INSIDE_PAGES = re.compile(r"(?P<home>/o/[-\w]+/)(?P<folder>[^/]+)(?:/(?P<rest>.*))?", re.ASCII)
# Pages of an organization that people go to, and those below them.
PAGES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("incidents", "warnings", "sessions", "upload", "accuracy"), ()),
    **dict.fromkeys(("fleet", "logs", "explore", "find", "changes"), ()),
    **dict.fromkeys(("reliability", "reports", "retries", "storage-path", "stragglers"), ()),
    "sharing": ("bundles",),
    "sources": ("connect", "add"),
    "settings": (
        *("members", "clusters", "audit", "account", "tokens", "notifications", "retention"),
        *("single-sign-on", "costs"),
    ),
}


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 in the form that whoever asks can read."""
    names = _with_nul(request)
    if not request.path_info.startswith(MACHINES):
        values = {"parameters": ", ".join(names)}
        return render(request, "400.html", values, status=400)
    if names:
        errors = [{"field": name, "detail": NO_TEXT} for name in names]
        words = "; ".join(f"{name}: {NO_TEXT}" for name in names)
        return problem(status=400, code="invalid", detail=words, errors=errors)
    words = "The request can't be read: its address, its headers or its size are wrong."
    return problem(status=400, code="bad_request", detail=words)


def _with_nul(request: HttpRequest) -> list[str]:
    """Return the parameters with a sign that no text has, by names that may be said."""
    try:
        given = dict(request.GET.lists())
    except (SuspiciousOperation, BadRequest):
        return []
    wrong = (name for name in given if "\x00" in "".join((name, *given[name])))
    return [shown(word=name) for name in islice(wrong, MOST_TOLD)]


def too_many(request: HttpRequest) -> HttpResponse:
    """Answer 429 to who tries a step of signing in too often; allauth asks for it by its name."""
    answer = render(request, "429.html", status=429)
    answer.headers["Retry-After"] = "60"
    return answer


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 in the form that whoever asks can read; name the address that was meant."""
    path = request.path_info
    if not path.startswith(MACHINES):
        meant = _page_meant(path) if isinstance(exception, Resolver404) else ""
        return render(request, "404.html", {"meant": meant}, status=404)
    words = "There is nothing here for this credential."
    if isinstance(exception, Resolver404):
        meant = _meant(path)
        ends = f"; did you mean `{meant}`?" if meant else "."
        words = f"There is no such address; {REFERENCE} describes all there are{ends}"
    return problem(status=404, code="not_found", detail=words)


def _meant(path: str) -> str:
    """Return the address that was meant by one that is nearly it, empty where none is like it."""
    if not path.startswith(INSIDE):
        return _meant_outside(path[:COMPARED])
    organization, _, rest = path.removeprefix(INSIDE).partition("/")
    found = nearest(word=rest.partition("/")[0], known=_folders())
    known = f"{INSIDE}{organization[:COMPARED]}/{found}/"
    return known if found and not path.startswith(known) else ""


def _meant_outside(path: str) -> str:
    """Return the same of an address that names no organization.

    What all addresses begin with makes none of them likely.
    """
    by_end = {each.removeprefix(API): each for each in routes.pushes() | {REFERENCE}}
    pushed = nearest(word=path.removeprefix(API), known=by_end)
    if pushed and not path.endswith("/"):
        return by_end[pushed]
    folder, known = path.removeprefix(API).partition("/")[0], _folders()
    if within := folder if folder in known else slipped(word=folder, known=known):
        return f"{INSIDE}{{organization}}/{within}/"
    return by_end[pushed] if pushed else ""


def _page_meant(path: str) -> str:
    """Return the page that was meant by an address that none has, empty where none is like it.

    Tells nothing of what exists: it is made of the address alone.
    """
    match = INSIDE_PAGES.fullmatch(path[: 2 * COMPARED])
    if match is None:
        return ""
    home, folder, rest = match["home"], match["folder"], match["rest"] or ""
    found = folder if folder in PAGES else nearest(word=folder, known=PAGES)
    if found is None:
        return ""
    below = nearest(word=rest.strip("/"), known=PAGES[found]) if rest.strip("/") else None
    # What follows is kept where there is such an address; else what is nearest of it.
    tried = [f"{home}{found}/{end}" for end in (rest, f"{rest}/", f"{below}/" if below else "")]
    known = (each for each in [*tried, f"{home}{found}/"] if is_valid_path(each))
    return next((each for each in known if each != path), "")


@cache
def _folders() -> frozenset[str]:
    """Return what addresses inside an organization begin with."""
    return frozenset(str(each.pattern).partition("/")[0] for each in inside)
