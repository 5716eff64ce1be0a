"""One request for each route that changes something: what a valid one looks like."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from apps.incidents.entries import StepEntry
from apps.incidents.lifecycle.hand_over import answer
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.incidents.states import HandOverState
from apps.notifications.models import Delivery
from apps.tenancy.models import MemberRole, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make, trace_files
from tests.cast.incidents import actor
from tests.contracts.route_matrix import Route, inside
from tests.contracts.world import World

WRITING = ("post", "put", "patch", "delete")
API = "api/v1/o/<str:organization>/"
PAGE = "o/<slug:org>/"
INCIDENT = "incidents/<str:public_id>/"
NOTIFICATIONS = f"{PAGE}settings/notifications/"
API_NOTIFICATIONS = f"{API}notifications/"
WEBHOOK = {"url": "https://hooks.example/x", "kinds": ["incident.opened"], "is_enabled": True}
WEBHOOK_FORM = {"url": "https://hooks.example/x", "kind": "incident.opened", "minimum": "any"}
Prepare = Callable[[World], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A request that does something, and who may make it."""

    method: str
    pattern: str
    who: str = "tenant"
    body: Mapping[str, Any] | Callable[[World], Mapping[str, Any]] | None = None
    ids: Mapping[str, str] | None = None
    before: tuple["Act", ...] = ()
    prepare: Prepare | None = None
    act: str = ""
    by_person_alone: bool = False

    @property
    def name(self) -> str:
        """Name it in a report."""
        return f"{self.method} {self.pattern}{self.act}"

    @property
    def is_page(self) -> bool:
        """Whether it is a form of a page."""
        return self.pattern.startswith("o/")

    def path(self, world: World) -> str:
        """Return where it goes."""
        path = Route(pattern=self.pattern.replace("<str:act>", self.act)).path(
            self.organization(world).slug, {**world.ids, **(self.ids or {})}
        )
        return path

    def organization(self, world: World) -> Organization:
        """Return whose member asks."""
        found: Organization = getattr(world.cast, self.who)
        return found

    def send(self, client: Client, world: World, path: str = "") -> Any:
        """Make the request."""
        body = self.body(world) if callable(self.body) else self.body
        path = path or self.path(world)
        if self.is_page:
            return client.post(path, dict(body or {}))
        return client.generic(
            self.method.upper(), path, _json(body), content_type="application/json"
        )


def _json(body: Mapping[str, Any] | None) -> str:
    import json  # noqa: PLC0415

    return json.dumps(body) if body is not None else ""


def writing_routes() -> set[tuple[str, str]]:
    """Return (method, pattern) of every route inside organizations that may change something."""
    views = dict(_views(get_resolver().url_patterns, ""))
    found = set()
    for route in inside():
        view = views[route.pattern]
        handlers = getattr(view, "view_class", None) or getattr(view, "cls", None)
        if handlers is not None:
            found |= {(each, route.pattern) for each in WRITING if hasattr(handlers, each)}
    return found


def _views(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, Any]]:
    for each in patterns:
        here = before + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from _views(each.url_patterns, here)
        else:
            yield here, each.callback


def _with_factors(_world: World) -> None:
    # Who has none can't ask others for one.
    for user in User.objects.all():
        Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={})


def _resolved(world: World) -> None:
    _set_incident(world, status="resolved")


def _set_incident(world: World, **values: Any) -> None:
    with organization_scope(world.cast.tenant.pk):
        Incident.objects.filter(public_id=world.ids["incidents"]).update(**values)


def _hand_over(world: World) -> Mapping[str, Any]:
    return {"to": world.cast.tenant.slug, "reason": "your-layer"}


def _no_hand_over(world: World) -> None:
    """Take the one back that waits."""
    cast = world.cast
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        answer(
            actor=asking,
            incident=access_incident(actor=asking, public_id=world.ids["incidents"]),
            subject=world.ids["hand-overs"],
            state=HandOverState.WITHDRAWN,
            entry=StepEntry(),
            now=make.AT,
        )


def _failed(world: World) -> None:
    with organization_scope(world.cast.operator.pk):
        Delivery.objects.update(state="failed")


def _offer(world: World) -> Mapping[str, Any]:
    return {"cluster": world.cast.cluster.slug, "kind": "offer", "part": "platform",
            "organization": world.cast.stranger.slug}  # fmt: skip


def _offer_form(world: World) -> Mapping[str, Any]:
    return {**_offer(world), "slug": world.cast.stranger.slug}


def _other_admin(world: World) -> None:
    make.user(organization=world.cast.operator, role=MemberRole.ADMIN)


def _other_operator(world: World) -> None:
    from apps.fleet.models import ParticipationRole  # noqa: PLC0415

    make.participation(
        organization=world.cast.stranger,
        cluster=world.cast.cluster,
        part=ParticipationRole.OPERATOR,
    )


def _trace(world: World) -> dict[str, Any]:
    body = trace_files.inspector_lines(late=1, ranks=2, collectives=4)
    return {"files": SimpleUploadedFile("inspector.jsonl", body)}


def _file(_world: World) -> Mapping[str, Any]:
    return {
        "files": SimpleUploadedFile("train.log", b"2026-11-21 02:00:00 a line\n"),
        "session": "s",
    }


def _project(world: World) -> Mapping[str, Any]:
    return {"project": "solar", "tenant": world.cast.tenant.slug}


def _agreement(world: World) -> Mapping[str, Any]:
    return {"organization": world.cast.tenant.slug, "part": "tenant", "agreed": "yes"}


def _agreement_form(world: World) -> Mapping[str, Any]:
    return {**_agreement(world), "slug": world.cast.tenant.slug}


def _source(world: World) -> Mapping[str, Any]:
    return {"name": "more metrics", "cluster": world.cast.cluster.slug,
            "url": "https://metrics2.example", "auth": "none"}  # fmt: skip


def _source_form(world: World) -> Mapping[str, Any]:
    return {**_source(world), "kind": "prometheus"}


def _token(_world: World) -> Mapping[str, Any]:
    return {"name": "a new one", "scopes": ["read"]}


JUDGED = Act(method="put", pattern=f"{API}{INCIDENT}feedback/", body={"judgement": "right"})
HOOK = Act(
    method="put", pattern=f"{API_NOTIFICATIONS}webhook/", who="operator", body=WEBHOOK,
    by_person_alone=True,
)  # fmt: skip
WISHES = {"kinds": ["incident.opened"], "rhythm": "at-once", "zone": "UTC"}
ACTS = (
    Act(method="post", pattern=f"{API}clusters/<str:public_id>/storage-path/ratings/",
        who="operator", body={"kind": "load", "value": 700e9}),
    Act(method="post", pattern=f"{API}{INCIDENT}acknowledge/"),
    Act(method="post", pattern=f"{API}{INCIDENT}resolve/", body={"reason": "fixed"}),
    Act(method="post", pattern=f"{API}{INCIDENT}reopen/", who="vendor", prepare=_resolved,
        body={"reason": "came-back"}),
    Act(method="post", pattern=f"{API}{INCIDENT}hand-overs/", who="operator",
        prepare=_no_hand_over, body=_hand_over),
    Act(method="patch", pattern=f"{API}{INCIDENT}hand-overs/<str:hand_over>/", who="vendor",
        body={"state": "accepted"}),
    Act(method="post", pattern=f"{API}{INCIDENT}resolutions/", who="vendor",
        body={"reason": "fixed"}),
    Act(method="patch", pattern=f"{API}{INCIDENT}resolutions/<str:resolution>/",
        body={"state": "resolved"}),
    Act(method="patch", pattern=f"{API}{INCIDENT}actions/<str:action>/", who="operator",
        body={"state": "taken"}),
    Act(method="post", pattern=f"{API}{INCIDENT}annotations/", body={"text": "a note"}),
    Act(method="patch", pattern=f"{API}{INCIDENT}annotations/<str:note>/", body={"text": "other"}),
    Act(method="delete", pattern=f"{API}{INCIDENT}annotations/<str:note>/"),
    JUDGED,
    Act(method="delete", pattern=f"{API}{INCIDENT}feedback/", before=(JUDGED,)),
    Act(method="put", pattern=f"{API_NOTIFICATIONS}preferences/", body=WISHES,
        by_person_alone=True),
    HOOK,
    *(
        Act(method=method, pattern=f"{API_NOTIFICATIONS}{path}", who="operator", before=(HOOK,),
            body=body, by_person_alone=True)
        for method, path, body in (
            ("delete", "webhook/", None), ("post", "webhook/rotate/", None),
            ("post", "webhook/resume/", None),
        )
    ),
    Act(method="post", pattern=f"{API_NOTIFICATIONS}test/", who="operator", before=(HOOK,),
        prepare=_failed, body={"channel": "webhook"}, by_person_alone=True),
    Act(method="post", pattern=f"{API_NOTIFICATIONS}deliveries/<str:public_id>/replay/",
        who="operator", prepare=_failed, by_person_alone=True),
    Act(method="post", pattern=f"{API_NOTIFICATIONS}replay-failed/", who="operator",
        prepare=_failed, by_person_alone=True),
    Act(method="post", pattern=f"{API}proposals/", who="operator", body=_offer,
        by_person_alone=True),
    Act(method="delete", pattern=f"{API}proposals/<str:public_id>/", who="operator",
        by_person_alone=True),
    Act(method="post", pattern=f"{API}proposals/<str:public_id>/accept/", who="other_tenant",
        by_person_alone=True),
    Act(method="post", pattern=f"{API}proposals/<str:public_id>/decline/", who="other_tenant",
        by_person_alone=True),
    Act(method="delete", pattern=f"{API}clusters/<str:public_id>/parts/<str:part>/",
        who="operator", prepare=_other_operator, by_person_alone=True),
    Act(method="post", pattern=f"{API}clusters/<str:public_id>/hosts-agreement/",
        who="operator", body=_agreement, by_person_alone=True),
    Act(method="patch", pattern=f"{API}members/<str:username>/", who="operator",
        body={"role": "viewer"}, by_person_alone=True),
    Act(method="delete", pattern=f"{API}members/<str:username>/", who="operator",
        by_person_alone=True),
    Act(method="post", pattern=f"{API}invitations/", who="operator", body={"role": "viewer"},
        by_person_alone=True),
    Act(method="delete", pattern=f"{API}invitations/<str:public_id>/", who="operator",
        by_person_alone=True),
    Act(method="post", pattern=f"{API}sources/", who="operator", body=_source,
        by_person_alone=True),
    Act(method="patch", pattern=f"{API}sources/<str:public_id>/", who="operator",
        body={"name": "another name"}, by_person_alone=True),
    Act(method="post", pattern=f"{API}tokens/", who="operator", body=_token,
        by_person_alone=True),
    Act(method="delete", pattern=f"{API}tokens/<str:prefix>/", who="operator",
        by_person_alone=True),
)  # fmt: skip
FORMS = (
    Act(method="post", pattern=f"{PAGE}{INCIDENT}<str:act>/", act="acknowledge"),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}<str:act>/", act="resolve",
        body={"reason": "fixed"}),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}<str:act>/", act="reopen", prepare=_resolved,
        body={"reason": "came-back"}),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}hand-overs/", who="operator",
        prepare=_no_hand_over, body=_hand_over),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}hand-overs/<str:hand_over>/", who="vendor",
        body={"state": "accepted"}),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}resolutions/", who="vendor",
        body={"reason": "fixed"}),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}resolutions/<str:resolution>/",
        body={"state": "resolved"}),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}actions/<str:action>/", who="operator",
        body={"state": "taken"}),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}feedback/",
        body={"judgement": "right", "revision": "1"}),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}annotations/", body={"text": "a note"}),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}annotations/<str:annotation_id>/",
        body={"text": "other"}),
    Act(method="post", pattern=f"{PAGE}{INCIDENT}annotations/<str:annotation_id>/withdraw/"),
    Act(method="post", pattern=f"{NOTIFICATIONS}", body=WISHES | {"minimum": "any"}),
    Act(method="post", pattern=f"{NOTIFICATIONS}webhook/", who="operator",
        body=WEBHOOK_FORM | {"is_enabled": "1"}),
    *(
        Act(method="post", pattern=f"{NOTIFICATIONS}webhook/<str:act>/", act=act,
            who="operator", before=(HOOK,))
        for act in ("rotate", "resume", "remove")
    ),
    Act(method="post", pattern=f"{NOTIFICATIONS}test/", who="operator", before=(HOOK,),
        prepare=_failed, body={"channel": "webhook"}),
    Act(method="post", pattern=f"{NOTIFICATIONS}again/", who="operator", prepare=_failed),
    Act(method="post", pattern=f"{NOTIFICATIONS}deliveries/<str:public_id>/again/",
        who="operator", prepare=_failed),
    Act(method="post", pattern=f"{PAGE}settings/clusters/<slug:cluster>/proposals/",
        who="operator", body=_offer_form),
    Act(method="post", pattern=f"{PAGE}settings/proposals/<str:public_id>/<str:act>/",
        act="accept", who="other_tenant"),
    Act(method="post", pattern=f"{PAGE}settings/proposals/<str:public_id>/<str:act>/",
        act="decline", who="other_tenant"),
    Act(method="post", pattern=f"{PAGE}settings/proposals/<str:public_id>/<str:act>/",
        act="take-back", who="operator"),
    Act(method="post", pattern=f"{PAGE}settings/clusters/<slug:cluster>/parts/<str:part>/leave/",
        who="operator", prepare=_other_operator),
    Act(method="post", pattern=f"{PAGE}settings/clusters/<slug:cluster>/hosts-agreement/",
        who="operator", body=_agreement_form),
    Act(method="post", pattern=f"{PAGE}settings/clusters/<slug:cluster>/projects/",
        who="operator", body=_project),
    Act(method="post", pattern=f"{PAGE}clusters/<slug:cluster>/storage-path/ratings/",
        who="operator", body={"kind": "save", "value": "250"}),
    Act(method="post", pattern=f"{PAGE}nodes/<slug:cluster>/<str:host>/exclude/", who="operator",
        body={"reason": "GPU off the bus"}),
    Act(method="post", pattern=f"{PAGE}nodes/<slug:cluster>/<str:host>/put-back/", who="operator"),
    Act(method="post", pattern=f"{PAGE}settings/clusters/<slug:cluster>/hosts/", who="operator",
        body={"host": "gpu001", "names": "gpu001-mgmt"}),
    Act(method="post", pattern=f"{PAGE}settings/members/<str:username>/role/", who="operator",
        body={"role": "viewer"}),
    Act(method="post", pattern=f"{PAGE}settings/members/<str:username>/remove/", who="operator"),
    Act(method="post", pattern=f"{PAGE}settings/costs/", who="operator",
        body={"per_gpu_hour": "2.50", "currency": "EUR"}),
    Act(method="post", pattern=f"{PAGE}settings/second-factor/", who="operator",
        body={"required": "1"}, prepare=_with_factors),
    Act(method="post", pattern=f"{PAGE}settings/invitations/", who="operator",
        body={"role": "viewer"}),
    Act(method="post", pattern=f"{PAGE}settings/invitations/<str:public_id>/revoke/",
        who="operator"),
    Act(method="post", pattern=f"{PAGE}sources/add/", who="operator", body=_source_form),
    Act(method="post", pattern=f"{PAGE}sources/<str:public_id>/", who="operator",
        body={"name": "another name", "url": "https://metrics.example", "auth": "none"}),
    Act(method="post", pattern=f"{PAGE}sources/connect/", who="operator",
        body={"name": "agents", "scope": "ingest"}),
    Act(method="post", pattern=f"{PAGE}tokens/", who="operator",
        body={"name": "a new one", "scope": "read"}),
    Act(method="post", pattern=f"{PAGE}settings/tokens/", who="operator",
        body={"name": "a new one", "scope": "read"}),
    Act(method="post", pattern=f"{PAGE}tokens/<str:prefix>/revoke/", who="operator"),
    Act(method="post", pattern=f"{PAGE}settings/tokens/<str:prefix>/revoke/", who="operator"),
    Act(method="post", pattern=f"{PAGE}settings/account/", body={"name": "Another Name"}),
    Act(method="post", pattern=f"{PAGE}settings/account/password/", body={
        "current": make.PASSWORD, "password": "a Quite different 1", "again": "a Quite different 1",
    }),
    Act(method="post", pattern=f"{PAGE}settings/account/address/"),
    Act(method="post", pattern=f"{PAGE}upload/", body=_file),
    Act(method="post", pattern=f"{PAGE}sample/", body={"act": "begin"}),
    Act(method="post", pattern=f"{PAGE}sessions/<str:public_id>/traces/", body=_trace),
)  # fmt: skip
