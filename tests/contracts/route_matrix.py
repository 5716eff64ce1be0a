"""Every route of the portal, read from the URL configuration."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver, resolve

from apps.api.v1.queries import TAKEN

PARAMETER = re.compile(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>")
# Parameters that name an organization, and objects by the folder they stand in.
ORGANIZATION = {"organization", "org"}
FOLDERS = {
    *("clusters", "nodes", "sessions", "incidents", "annotations", "sources", "warnings"),
    *("upload", "tokens", "members", "invitations", "deliveries"),
    *("proposals", "parts", "submissions", "agreements", "bundles", "evidence-requests"),
    *("hand-overs", "resolutions", "actions", "runs", "reports", "report-schedules"),
    *("compare", "hosts", "recovery", "saved-views", "logs"),
    "as",  # another party, by its slug
}
_ABSENT = dict.fromkeys(FOLDERS, "absent")
ACTS = ("acknowledge", "resolve", "reopen")
# Outside organizations: health, signing in, language; and pushes, whose token names theirs.
OPEN = {
    *("healthz", "readyz", "metrics", "", "sign-in/", "sign-out/", "i18n/setlang/"),
    *("api/v1/openapi.yaml", "reference/"),  # of everybody alike
    # Of whoever is signed in, or about to: they show and change that person's own things only.
    *("sign-in/second-factor/", "account/confirm/", "account/confirm/code/"),
    *("account/second-factor/", "account/second-factor/app/", "account/second-factor/app/remove/"),
    *("account/second-factor/recovery-codes/", "account/second-factor/recovery-codes/new/"),
    *("sign-in/passkey/", "account/confirm/passkey/", "account/second-factor/passkeys/add/"),
    "account/second-factor/passkeys/<str:passkey>/rename/",
    "account/second-factor/passkeys/<str:passkey>/remove/",
    *("account/sessions/", "account/sessions/end/"),
    *("join/<str:code>/", "address/<str:code>/"),  # whoever holds the link
    *("sign-in/with/<str:code>/", "sign-in/with/<str:code>/callback/"),  # the same
    *("sign-in/with/<str:code>/saml/", "sign-in/with/<str:code>/saml/finish/"),
    "sign-in/with/<str:code>/saml/metadata/",
}
PUSHES = {
    *("loki/api/v1/push", "api/v1/logs", "api/v1/session-events", "api/v1/inventory"),
    *("api/v1/write", "v1/metrics", "v1/logs", "api/v1/alertmanager", "api/v1/exclusions"),
    *("api/v1/step-traces", "api/v1/recovery-events", "api/v1/changes"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A route as it is written in the URL configuration."""

    pattern: str

    @property
    def is_inside(self) -> bool:
        """Whether its path names an organization."""
        return any(match["name"] in ORGANIZATION for match in PARAMETER.finditer(self.pattern))

    @property
    def is_page(self) -> bool:
        """Whether people look at it, who may be sent to the door."""
        return not self.pattern.startswith(("api/", "loki/", "v1/"))

    @property
    def objects(self) -> list[str]:
        """Return the kinds of objects that its path names; KeyError for one nobody listed."""
        return [kind for _, kind in _objects(self.pattern)]

    @property
    def parameters(self) -> frozenset[str]:
        """Return what a list or thing of the interface takes behind the question mark."""
        view = getattr(resolve(self.path("x", _ABSENT)).func, "view_class", None)
        return getattr(getattr(view, "get", None), TAKEN, frozenset())

    def path(self, organization: str, ids: dict[str, str]) -> str:
        """Return a path with this organization and these objects."""
        kinds = dict(_objects(self.pattern))

        def value(match: re.Match[str]) -> str:
            if match["name"] in ORGANIZATION:
                return organization
            if match["name"] == "act":
                return ACTS[0]
            return ids[kinds[match["name"]]]

        return "/" + PARAMETER.sub(value, self.pattern)


def routes() -> list[Route]:
    """Return all routes, in order."""
    found = sorted(set(_walk(get_resolver().url_patterns, "")))
    return [Route(pattern=pattern) for pattern in found]


def inside() -> list[Route]:
    """Return the routes inside organizations."""
    return [route for route in routes() if route.is_inside]


def _walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for each in patterns:
        here = before + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from _walk(each.url_patterns, here)
        else:
            yield here


def _objects(pattern: str) -> Iterator[tuple[str, str]]:
    for match in PARAMETER.finditer(pattern):
        if match["name"] in ORGANIZATION | {"act"}:
            continue
        folder = pattern[: match.start()].rstrip("/").rpartition("/")[2]
        # A node's page names the cluster and the host apart; by REST they are one id.
        folder = {"cluster": "clusters", "host": "hosts"}.get(match["name"], folder)
        if folder not in FOLDERS:
            raise KeyError(f"{pattern}: say in FOLDERS what <{match['name']}> names")
        yield match["name"], folder
