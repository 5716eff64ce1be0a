"""The base of every view inside an organization: who asks, in which scope, and how it is told."""

import base64
import binascii
from collections.abc import Iterator
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any, ClassVar

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.api import idempotency
from apps.api.exporting import stream
from apps.api.v1.errors import answer_to
from apps.api.v1.parsing import MAX_BYTES, BoundedJSONParser
from apps.api.v1.queries import check_body, check_query
from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.exports.formats.csv import CSV
from apps.tenancy import idempotency_keys
from apps.tenancy.access import (
    Actor,
    NotFound,
    actor_for_token,
    actor_for_user,
    require_still,
)
from apps.tenancy.audit.audit_log import record_act, remote_address_of
from apps.tenancy.audit.refusals import refuse_actor, refuse_person
from apps.tenancy.credentials import (
    UNREADABLE,
    CredentialRefused,
    TokenUnreadable,
    authenticate,
)
from apps.tenancy.idempotency_keys import Claim
from apps.tenancy.middleware import Undone, undo_if_failed
from apps.tenancy.models import Token, User
from apps.tenancy.outbound.refusal_audit import watched
from apps.tenancy.scope import organization_scope


class TokenAuthentication(BaseAuthentication):
    """A token as Bearer, or as the password of Basic. One that is no good is told so."""

    def authenticate(self, request: Request) -> tuple[Any, Token] | None:
        """Return the token that was presented, None without one."""
        presented = presented_token(request.headers.get("Authorization", ""))
        if presented is None:
            return None
        try:
            token = authenticate(presented=presented, now=timezone.now())  # noqa: TID251  a door
        except TokenUnreadable as error:
            raise AuthenticationFailed(UNREADABLE) from error
        except CredentialRefused as error:
            raise AuthenticationFailed("the token is unknown, expired or revoked") from error
        return request._request.user, token  # noqa: SLF001  who sent no cookie is nobody

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge."""
        return 'Bearer realm="faultline"'


class JSONAlone(BaseContentNegotiation):
    """`format` in a query names an export, and Accept is not looked at."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """Return the one parser if the body says it is JSON."""
        media_type = (request.content_type or "").partition(";")[0].strip().lower()
        return next((each for each in parsers if each.media_type == media_type), None)

    def select_renderer(
        self,
        request: Request,
        renderers: Any,
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """Return the one renderer."""
        return renderers[0], renderers[0].media_type


class OrganizationView(APIView):
    """A view inside `/api/v1/o/<organization>/`: handlers run in the scope of `self.actor`."""

    authentication_classes = (TokenAuthentication, SessionAuthentication)
    permission_classes = ()
    parser_classes = (BoundedJSONParser,)
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = JSONAlone
    creates: ClassVar[bool] = False  # a POST makes something: Idempotency-Key counts
    holds_scope: ClassVar[bool] = True  # False: it waits for a server, and opens scopes itself
    actor: Actor
    _claim: Claim | None = None
    _refusal: NotFound | None = None
    _scope: ExitStack

    def act_context(self) -> ActContext:
        """Return who acts, when and from where: for the records of all whom an act concerns."""
        now = timezone.now()  # noqa: TID251  a door
        address = remote_address_of(request=self.request)
        return ActContext(actor=self.actor, now=now, remote_address=address)

    def require_still(self) -> None:
        """Raise NotFound where who began a long answer would not be let in any more."""
        now = timezone.now()  # noqa: TID251  a door
        require_still(actor=self.actor, now=now)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer in the scope; what a failed request wrote is undone."""
        try:
            with ExitStack() as self._scope:
                answer = super().dispatch(request, *args, **kwargs)
                if self._claim and isinstance(answer, Response):
                    idempotency.keep(claim=self._claim, answer=answer)
                return undo_if_failed(answer)
        except Undone as undone:
            self._after_failure(request, undone.response)
            return undone.response

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Let a body in chunks be read: of no length, the framework takes it for none."""
        if "HTTP_TRANSFER_ENCODING" in request.META:
            request.META["CONTENT_LENGTH"] = str(MAX_BYTES)
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Find out who asks, and open the scope."""
        super().initial(request, *args, **kwargs)
        self.actor = _actor(request, slug=kwargs["organization"])
        self._check_taken(request)
        if self.creates and request.method == "POST":
            now = timezone.now()  # noqa: TID251  a door
            self._claim = idempotency.claim_of(request=request, actor=self.actor, now=now)
        now = timezone.now()  # noqa: TID251  a door
        self._scope.enter_context(watched(actor=self.actor, request=request, now=now))
        if self.holds_scope:
            self._scope.enter_context(organization_scope(self.actor.organization.pk))

    def _check_taken(self, request: Request) -> None:
        """Refuse parameters and keys of a body that the handler would ignore."""
        method = {"HEAD": "get"}.get(request.method or "", (request.method or "").lower())
        handler = getattr(self, method, None)
        if method in self.http_method_names and handler is not None:
            check_query(handler=handler, request=request)
            check_body(handler=handler, request=request)

    def handle_exception(self, exc: Exception) -> Response:
        """Return a kept answer as it was, or the problem document."""
        if isinstance(exc, idempotency.ReplayedAnswer):
            return idempotency.again(claim=exc.claim)
        self._refusal = exc if isinstance(exc, NotFound) else None
        return super().handle_exception(exc)

    def get_exception_handler(self) -> Any:
        """Return what words refusals."""
        return answer_to

    def finalize_response(
        self,
        request: Request,
        response: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Let no cache keep what was meant for one organization."""
        response.headers.setdefault("Cache-Control", "private, no-store")
        response.headers.setdefault("Vary", "Authorization, Cookie")
        return super().finalize_response(request, response, *args, **kwargs)

    def send_csv(self, chunks: Iterator[bytes], *, name: str) -> StreamingHttpResponse:
        """Return the answer that sends a table as a file."""
        request = self.request._request  # noqa: SLF001  how it is served
        return stream(request=request, chunks=chunks, form=CSV, name=name)

    def note(self, action: str, subject: str) -> None:
        """Append what the actor did to the organization's record."""
        now = timezone.now()  # noqa: TID251  a door
        record_act(actor=self.actor, action=action, subject=subject, request=self.request, now=now)

    def _after_failure(self, request: HttpRequest, answer: HttpResponseBase) -> None:
        if self._claim:
            idempotency_keys.release(claim=self._claim)
        if answer.status_code == HTTPStatus.NOT_FOUND:
            _record_refusal(self.request, getattr(self, "actor", None), self._refusal)


def presented_token(header: str) -> str | None:
    """Return the token of an Authorization header, None without one."""
    kind, _, value = header.strip().partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    if kind.lower() != "basic":
        return None
    try:
        return base64.b64decode(value.strip(), validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _actor(request: Request, *, slug: str) -> Actor:
    if isinstance(request.auth, Token):
        return actor_for_token(token=request.auth, slug=slug)
    if isinstance(request.user, User):
        return actor_for_user(user=request.user, slug=slug)
    raise NotFound


def _record_refusal(request: Request, actor: Actor | None, error: NotFound | None) -> None:
    if actor is None and isinstance(request.auth, Token):
        actor = actor_for_token(token=request.auth)
    asked: dict[str, Any] = {
        "subject": request.path,
        "remote_address": remote_address_of(request=request),
        "now": timezone.now(),  # noqa: TID251  a door
    }
    if actor is not None:
        refuse_actor(actor=actor, error=error, **asked)
    elif isinstance(request.user, User):
        refuse_person(user=request.user, **asked)
