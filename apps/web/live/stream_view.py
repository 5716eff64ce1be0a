"""The stream of changes of an incident, and what stands after each of them."""

from importlib import import_module

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from apps.incidents.facade.live import keys_of
from apps.incidents.facade.reads import open_incident
from apps.tenancy.access import NotFound, actor_for_user
from apps.tenancy.database.connections import return_connection
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.models import User
from apps.tenancy.scope import organization_scope
from apps.web.live.change_stream import HUB, events


@require_GET
def stream(request: OrganizationRequest, org: str, public_id: str) -> HttpResponseBase:
    """Tell the browser whenever something changes of what its organization reads there."""
    found = open_incident(actor=request.actor, public_id=public_id)
    keys = keys_of(actor=request.actor, incident=found)
    if not isinstance(request, ASGIRequest) or not HUB.has_room(owner=keys.organization):
        return HttpResponse(status=204)  # the page asks now and then
    reader = PageListener(request.session.session_key or "", org, public_id)
    told = events(keys=keys, notes=keys.notes, may_read=reader.may_read)
    response = StreamingHttpResponse(told, content_type="text/event-stream")
    response["Cache-Control"] = "private, no-store"
    response["X-Accel-Buffering"] = "no"  # nginx would hold events back
    return response


class PageListener:
    """Who listens: asked again before each event, since much may have changed by then."""

    def __init__(self, session_key: str, org: str, public_id: str) -> None:
        self.session_key, self.org, self.public_id = session_key, org, public_id

    async def may_read(self) -> bool:
        """Say whether the session, the membership and the incident are still there for it."""
        return await sync_to_async(self._look)()

    def _look(self) -> bool:
        try:
            return self.is_reader()
        finally:
            return_connection()

    def is_reader(self) -> bool:
        """Say so at once."""
        probe = HttpRequest()
        probe.session = import_module(settings.SESSION_ENGINE).SessionStore(self.session_key)
        user = get_user(probe)
        if not isinstance(user, User):
            return False
        try:
            actor = actor_for_user(user=user, slug=self.org)
            with organization_scope(actor.organization.pk):
                open_incident(actor=actor, public_id=self.public_id)
        except NotFound:
            return False
        return True
