"""Answering requests for evidence by signed statements, and the keys that sign them."""

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_KEY, page_of_rows
from apps.api.v1.schema import answers, changing, lists, refusals, writes
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.sharing.answers import (
    AnswerEntrySerializer,
    AnswerPreviewSerializer,
    SigningKeySerializer,
)
from apps.api.v1.serializers.sharing.evidence_requests import EvidenceRequestSerializer
from apps.api.v1.views.sharing.evidence_requests import EvidenceRequestsView
from apps.incidents.evidence_requests.answers.answers import AnswerEntry
from apps.incidents.facade import evidence_requests as facade
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.signing.signing_keys import public_keys, replace_key
from apps.tenancy.access import Right

FILE = {(200, "application/json"): OpenApiTypes.OBJECT, **refusals()}


class EvidenceRequestChecks(EvidenceRequestsView):
    """What could be stated in answer to a request."""

    @extend_schema(
        responses=answers(AnswerPreviewSerializer), operation_id="evidence_request_checks"
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return what each rule finds now in one's own data. Signed-in admins of the holder only.

        Nothing leaves by this.
        """
        found = facade.preview_answer(
            actor=self.actor, public_id=public_id, entry=AnswerEntry(), now=timezone.now()
        )
        return Response(AnswerPreviewSerializer(found).data)


class EvidenceRequestAnswer(EvidenceRequestsView):
    """The signed statement."""

    @extend_schema(responses=FILE, operation_id="evidence_request_answer_file")
    def get(self, request: Request, organization: str, public_id: str) -> HttpResponse:
        """Send the answer as a file that `faultline verify_answer` checks without a portal."""
        body = facade.answer_file(
            actor=self.actor, public_id=public_id, channel=LedgerChannel.EXPORT, now=timezone.now()
        )
        answer = HttpResponse(body, content_type="application/json")
        answer["Content-Disposition"] = f'attachment; filename="{public_id}-answer.json"'
        answer["X-Content-Type-Options"] = "nosniff"
        return answer

    @writes(AnswerEntrySerializer, EvidenceRequestSerializer, operation="evidence_request_answer")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """State what was read at `checks/`, signed with one's key. Signed-in admins only.

        409 `findings_moved` where the data says something else meanwhile.
        """
        said = self.given(AnswerEntrySerializer, public_id, right=Right.MANAGE)
        entry = AnswerEntry(
            findings={each["rule"]: each["digest"] for each in said["findings"]},
            starts_at=said["starts_at"],
            ends_at=said["ends_at"],
        )
        facade.answer(
            actor=self.actor, public_id=public_id, entry=entry, context=self.act_context()
        )
        return self.shown(public_id)


class SigningKeys(EvidenceRequestsView):
    """Keys that sign answers."""

    creates = True

    @lists(SigningKeySerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List one's own, former ones too, and those by which others answered, the newest first."""
        page = page_of_rows(rows=public_keys(actor=self.actor), order=NEWEST_KEY, request=request)
        return Response(page.answer(sent(SigningKeySerializer, page.results)))

    @extend_schema(
        request=None,
        responses=changing(SigningKeySerializer, status=201),
        operation_id="signing_key_make",
    )
    def post(self, request: Request, organization: str) -> Response:
        """Sign with a new key from now on. What a former one signed stays as good as it was.

        Signed-in admins only.
        """
        made = replace_key(context=self.act_context())
        found = next(each for each in public_keys(actor=self.actor) if each.fingerprint == made)
        return Response(SigningKeySerializer(found).data, status=201)
