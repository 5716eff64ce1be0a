"""The header of an incident as it is sent: only what `incidents.projection` gave its reader."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.v1.serializers.fields import StatementField
from apps.api.v1.serializers.incident.coordination import (
    CoordinationSerializer,
    VerdictStandingSerializer,
)
from apps.api.v1.serializers.listing import SentParts
from apps.incidents.coordination.action_ids import action_id
from apps.incidents.projection.header_values import HitAttempt, IncidentHeader, PartyView
from apps.incidents.states import ActionState
from apps.incidents.words import is_restart_needed, restart, title_of


class GpuSerializer(serializers.Serializer[dict[str, Any]]):
    """What names a GPU."""

    index = serializers.IntegerField(allow_null=True, default=None)
    uuid = serializers.CharField(allow_null=True, default=None)
    pci = serializers.CharField(allow_null=True, default=None)


class CulpritSerializer(serializers.Serializer[dict[str, Any]]):
    """Who is blamed."""

    kind = serializers.CharField()
    host = serializers.CharField(allow_null=True, default=None)
    rank = serializers.IntegerField(allow_null=True, default=None)
    gpu = GpuSerializer(allow_null=True, default=None)
    name = serializers.CharField(allow_null=True, default=None)


class RestartSerializer(serializers.Serializer[dict[str, Any]]):
    """Whether to start again, and which hosts to leave out; null: hidden by policy."""

    advice = serializers.CharField()
    exclude_hosts = serializers.ListField(
        child=serializers.CharField(), allow_null=True, default=None
    )
    needed = serializers.BooleanField(
        allow_null=True,
        help_text="Whether it has to be started again at all: false where the session finished or "
        "still runs; null while that can't be said.",
    )
    text = serializers.CharField(help_text="The same as a sentence, in English.")


class ActionSerializer(serializers.Serializer[dict[str, Any]]):
    """Who does what next."""

    id = serializers.CharField()
    text = StatementField(source="statement")
    owner = serializers.CharField()
    state = serializers.ChoiceField(choices=ActionState.choices)
    by = serializers.CharField(
        allow_null=True, help_text="Slug of the party that said so; null while it is open."
    )
    reason = serializers.CharField(help_text="Why it was refused.")
    hosts = serializers.ListField(child=serializers.CharField(), allow_null=True, default=None)


class CoverageSerializer(serializers.Serializer[dict[str, Any]]):
    """Whether a source was there. `hosts_expected` null: not known."""

    source = serializers.CharField()  # type: ignore[assignment]  # published name
    state = serializers.CharField()
    hosts_present = serializers.IntegerField(allow_null=True, default=None)
    hosts_expected = serializers.IntegerField(allow_null=True, default=None)
    missing_hosts = serializers.ListField(
        child=serializers.CharField(), allow_null=True, default=None
    )
    held_by = serializers.CharField(allow_null=True, default=None)


class PartySerializer(serializers.Serializer[PartyView]):
    """An organization of the incident."""

    slug = serializers.CharField(source="organization.slug")
    name = serializers.CharField(source="organization.name")
    parts = serializers.ListField(child=serializers.CharField())
    acts = serializers.BooleanField(
        help_text="it has the incident in hand: by a hand-over, else the next action is its own"
    )
    is_reader = serializers.BooleanField()


class HitSerializer(serializers.Serializer[HitAttempt]):
    """An attempt that the incident hit."""

    id = serializers.CharField(source="session.public_id")
    name = serializers.CharField(source="session.name")
    attempt = serializers.IntegerField(source="number")
    state = serializers.CharField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    world_size = serializers.IntegerField(allow_null=True)


class IncidentSerializer(serializers.Serializer[IncidentHeader]):
    """The header of an incident as one organization reads it; `hidden` names what it may not."""

    id = serializers.CharField(source="incident.public_id")
    title = serializers.SerializerMethodField()
    status = serializers.CharField(source="incident.status")
    kind = serializers.CharField(source="incident.kind")
    simulated = serializers.BooleanField(source="incident.is_simulated")
    started_at = serializers.DateTimeField(source="incident.started_at", allow_null=True)
    detected_at = serializers.DateTimeField(source="incident.detected_at")
    newest_evidence_at = serializers.DateTimeField(
        source="incident.newest_evidence_at", allow_null=True
    )
    resolved_at = serializers.DateTimeField(source="incident.resolved_at", allow_null=True)
    collecting = serializers.BooleanField(source="is_collecting")
    revision = serializers.IntegerField(source="incident.revision")
    owner = serializers.SerializerMethodField()
    session = serializers.SerializerMethodField()
    attempt = serializers.SerializerMethodField()
    sessions = serializers.SerializerMethodField()
    cluster = serializers.CharField(source="incident.cluster.slug", default=None, allow_null=True)
    layer = serializers.CharField(source="incident.layer")
    cause = serializers.SerializerMethodField()
    phase = serializers.CharField(source="incident.phase")
    end_state = serializers.CharField(source="incident.end_state")
    verdict_status = serializers.CharField(source="incident.verdict_status")
    probability = serializers.FloatField(source="incident.probability")
    cause_probability = serializers.FloatField(source="incident.cause_probability")
    culprits = CulpritSerializer(many=True, allow_null=True)
    first_stopper = serializers.SerializerMethodField()
    parties = PartySerializer(many=True)
    restart = serializers.SerializerMethodField()
    actions = serializers.SerializerMethodField()
    work = serializers.SerializerMethodField()
    verdict = serializers.SerializerMethodField()
    coverage = CoverageSerializer(many=True)
    hidden = serializers.SerializerMethodField()
    acknowledged_at = serializers.SerializerMethodField()
    left_at = serializers.DateTimeField(
        allow_null=True,
        help_text="when the reader left the cluster: the incident is shown as it stood then",
    )
    url = serializers.SerializerMethodField()

    @cached_property
    def _parts(self) -> SentParts:
        return SentParts(self.context)

    def get_title(self, header: IncidentHeader) -> str:
        """Return its line in lists."""
        return title_of(header)

    @extend_schema_field(RestartSerializer)
    def get_restart(self, header: IncidentHeader) -> dict[str, Any]:
        """Return whether to start again, as far as the reader may know."""
        told = {"needed": is_restart_needed(header), "text": restart(header)}
        return self._parts.sent(RestartSerializer, {**header.restart, **told})

    @extend_schema_field(ActionSerializer(many=True))
    def get_actions(self, header: IncidentHeader) -> list[dict[str, Any]]:
        """Return what is to be done, in order, and how far it is."""
        told = (_action(each, header) for each in header.actions)
        return [self._parts.sent(ActionSerializer, each) for each in told]

    @extend_schema_field(CoordinationSerializer)
    def get_work(self, header: IncidentHeader) -> dict[str, Any]:
        """Return in whose hands it is, and was."""
        return self._parts.sent(CoordinationSerializer, header.coordination)

    @extend_schema_field(VerdictStandingSerializer)
    def get_verdict(self, header: IncidentHeader) -> dict[str, Any]:
        """Return where the verdict stands with the parties."""
        return self._parts.sent(VerdictStandingSerializer, header.coordination.verdict)

    def get_owner(self, header: IncidentHeader) -> str | None:
        """Return whose it is, if the reader may know that party."""
        owner = header.incident.owner_id
        slugs = {party.organization.id: party.organization.slug for party in header.parties}
        return slugs.get(owner)

    def get_session(self, header: IncidentHeader) -> str | None:
        """Return the name of the session that was hit, if the reader may know it."""
        shown = _shown(header)
        return shown[0].session.name if shown else None

    def get_attempt(self, header: IncidentHeader) -> int | None:
        """Return which start of the session it was."""
        shown = _shown(header)
        return shown[0].number if shown else None

    def get_sessions(self, header: IncidentHeader) -> list[dict[str, Any]]:
        """Return all attempts that were hit, as far as the reader may know them."""
        return [self._parts.sent(HitSerializer, each) for each in _shown(header)]

    def get_cause(self, header: IncidentHeader) -> str | None:
        """Return the slug of the cause, null while it is unknown."""
        return header.incident.cause or None

    def get_first_stopper(self, header: IncidentHeader) -> dict[str, Any] | None:
        """Return which ranks stopped first and how that is known."""
        return dict(header.first_stopper) if header.first_stopper else None

    def get_hidden(self, header: IncidentHeader) -> list[str]:
        """Return the fields that stay null by policy, not for want of knowledge."""
        culprit = ["culprits", "restart.exclude_hosts", "actions.hosts"]
        session = ["session", "first_stopper", "coverage.missing_hosts"]
        return [
            *([] if header.rights.sees_culprit else culprit),
            *([] if header.rights.sees_session else session),
        ]

    def get_acknowledged_at(self, header: IncidentHeader) -> str | None:
        """Return when the reader's organization acknowledged it."""
        own = next((party for party in header.parties if party.is_reader), None)
        at = own.acknowledged_at if own else None
        return at.isoformat().replace("+00:00", "Z") if at else None

    def get_url(self, header: IncidentHeader) -> str:
        """Return the page for people."""
        path = f"/o/{header.reader.slug}/incidents/{header.incident.public_id}/"
        return f"{self.context['origin']}{path}"


def _action(action: Mapping[str, Any], header: IncidentHeader) -> dict[str, Any]:
    name = action_id(action)
    progress = header.coordination.actions.get(name)
    by = progress.organization.slug if progress and progress.organization else None
    is_open = progress is None or progress.state == ActionState.OPEN
    return {
        **action,
        "id": name,
        "state": progress.state if progress else ActionState.OPEN,
        "by": None if is_open else by,
        "reason": progress.reason if progress else "",
    }


def _shown(header: IncidentHeader) -> list[HitAttempt]:
    return list(header.attempts) if header.rights.sees_session else []
