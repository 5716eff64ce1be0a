"""What jobs of sessions told of recovering in place."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.schema import answers
from apps.api.v1.serializers.sessions.recovery import SessionRecoverySerializer, recovery_json
from apps.fleet.facade.sessions import attempts_of, open_session
from apps.incidents.facade.reads import incidents_of_sessions
from apps.incidents.facade.recovery import recovery_of
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import NotFound

INCIDENTS_READ = 20


class RecoveryDetail(OrganizationView):
    """Losses, repairs and steps of one attempt, as far as the reader may read them."""

    @extend_schema(responses=answers(SessionRecoverySerializer), operation_id="session_recovery")
    def get(self, request: Request, organization: str, public_id: str, attempt: str) -> Response:
        """Return them; `lost_gpus` is null where nothing is told of recovery in place."""
        session = open_session(actor=self.actor, public_id=public_id)
        attempts = attempts_of(actor=self.actor, sessions=[session])[session.id]
        found = next((each for each in attempts if str(each.number) == attempt), None)
        if found is None:
            raise NotFound
        headers = incidents_of_sessions(actor=self.actor, session_ids=[session.id])
        view = recovery_of(
            actor=self.actor,
            session=session,
            attempt=found,
            headers=headers[:INCIDENTS_READ],
            now=timezone.now(),
            channel=LedgerChannel.REST,
        )
        told = recovery_json(attempt=found.number, view=view)
        return Response(SessionRecoverySerializer(told).data)
