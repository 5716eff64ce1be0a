"""Incidents and what belongs to them as they are sent: only what `incidents.reading` projected."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.v1.serializers.fields import HeadlineField, StatementField
from apps.api.v1.serializers.incident.cited_facts import (
    CitedDeviceSerializer,
    CodesField,
    RanksField,
)
from apps.api.v1.serializers.listing import sent
from apps.incidents.projection.values import (
    EvidencePiece,
    HeldEvidence,
    HitAttempt,
    HypothesisView,
    IncidentHeader,
    PartyView,
    TimelineMoment,
)
from apps.incidents.words import restart, title_of
from apps.tenancy.values import OrganizationName

# Of a moment's detail: which row it is, and what stands beside it under names of its own.
NOT_WHERE = frozenset({"reference", "code", "device", "fields"})


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
    text = serializers.CharField(help_text="The same as a sentence, in English.")


class ActionSerializer(serializers.Serializer[dict[str, Any]]):
    """Who does what next."""

    text = StatementField(source="statement")
    owner = serializers.CharField()
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
    acts = serializers.BooleanField(help_text="the next action is its own")
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
    actions = ActionSerializer(many=True)
    coverage = CoverageSerializer(many=True)
    hidden = serializers.SerializerMethodField()
    acknowledged_at = serializers.SerializerMethodField()
    left_at = serializers.DateTimeField(
        allow_null=True,
        help_text="when the reader left the cluster: the incident is shown as it stood then",
    )
    url = serializers.SerializerMethodField()

    def get_title(self, header: IncidentHeader) -> str:
        """Return its line in lists."""
        return title_of(header)

    @extend_schema_field(RestartSerializer)
    def get_restart(self, header: IncidentHeader) -> dict[str, Any]:
        """Return whether to start again, as far as the reader may know."""
        return sent(RestartSerializer, [{**header.restart, "text": restart(header)}])[0]

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
        return sent(HitSerializer, _shown(header))

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
        """Return when the reader's organization took note."""
        own = next((party for party in header.parties if party.is_reader), None)
        at = own.acknowledged_at if own else None
        return at.isoformat().replace("+00:00", "Z") if at else None

    def get_url(self, header: IncidentHeader) -> str:
        """Return the page for people."""
        path = f"/o/{header.reader.slug}/incidents/{header.incident.public_id}/"
        return f"{self.context['origin']}{path}"


class BareEvidenceSerializer(serializers.Serializer[EvidencePiece]):
    """A weighed piece of evidence that the reader holds, without the line it was read from."""

    text = StatementField(source="statement")
    source = serializers.CharField()  # type: ignore[assignment]  # published name
    line = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField(allow_null=True)
    layer = serializers.CharField()
    weight = serializers.FloatField()
    claimed = serializers.BooleanField(
        source="is_claimed", help_text="Its holder does not run what it tells of."
    )
    signature = serializers.CharField(source="fact.signature", allow_null=True, default=None)
    code = CodesField(source="fact.code")
    device = CitedDeviceSerializer(source="fact.device", allow_null=True, default=None)
    host = serializers.CharField(source="fact.host", allow_null=True, default=None)
    ranks = RanksField(source="fact.ranks")


class HeldSerializer(serializers.Serializer[HeldEvidence]):
    """How much another party holds: layer and weight, no words."""

    organization = serializers.CharField(source="organization.slug")
    side = serializers.CharField()
    layer = serializers.CharField()
    count = serializers.IntegerField()
    weight = serializers.FloatField()
    claimed = serializers.BooleanField(
        source="is_claimed", help_text="Its holder does not run what it tells of."
    )


class MissingSerializer(serializers.Serializer[dict[str, Any]]):
    """A source that would settle the question, and which part holds it."""

    source = serializers.CharField()  # type: ignore[assignment]  # published name
    hosts = serializers.ListField(child=serializers.CharField(), allow_null=True, default=None)
    held_by = serializers.CharField()
    would = StatementField()


class BareHypothesisSerializer(serializers.Serializer[HypothesisView]):
    """One explanation as a file holds it: the reader's evidence without its log lines."""

    layer = serializers.CharField()
    cause = serializers.CharField()
    probability = serializers.FloatField()
    cause_probability = serializers.FloatField()
    culprits = CulpritSerializer(many=True, allow_null=True)
    supporting = BareEvidenceSerializer(source="supporting", many=True)
    opposing = BareEvidenceSerializer(source="opposing", many=True)
    held = HeldSerializer(many=True)
    missing = MissingSerializer(many=True)
    ruled_out_because = StatementField(source="ruled_out")

    def get_fields(self) -> dict[str, Any]:
        """Return the fields under their published names: `for` is a word of the language."""
        published = {"supporting": "for", "opposing": "against"}
        return {published.get(name, name): field for name, field in super().get_fields().items()}


class BareTimelineSerializer(serializers.Serializer[TimelineMoment]):
    """A moment of the story as a file holds it. Without `at` it stands between its neighbours."""

    lane = serializers.CharField()
    kind = serializers.CharField()
    role = serializers.CharField()
    at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    clock_error_seconds = serializers.FloatField(
        allow_null=True,
        help_text="How far `at` may be off; null where nobody knows. Lines of one `source` of "
        "one `host` (in `detail`) have one clock: their order is known however far it is off.",
    )
    title = HeadlineField(source="statement")
    detail = serializers.SerializerMethodField()
    organization = serializers.SerializerMethodField()
    for_all_parties = serializers.BooleanField()
    revision = serializers.IntegerField()
    signature = serializers.CharField(source="detail.signature", allow_null=True, default=None)
    code = CodesField(source="detail.code")
    device = CitedDeviceSerializer(source="detail.device", allow_null=True, default=None)
    host = serializers.CharField(source="detail.host", allow_null=True, default=None)
    ranks = RanksField(source="detail.ranks")

    def get_detail(self, entry: TimelineMoment) -> dict[str, Any]:
        """Return where it was said; not which row of the tables it is, which counts everybody's."""
        return {name: value for name, value in entry.detail.items() if name not in NOT_WHERE}

    def get_organization(self, entry: TimelineMoment) -> str | None:
        """Return whose moment it is."""
        return _slug(self.context, entry.organization_id)


def _shown(header: IncidentHeader) -> list[HitAttempt]:
    return list(header.attempts) if header.rights.sees_session else []


def _slug(context: Mapping[str, Any], organization_id: int) -> str | None:
    known: dict[int, OrganizationName] = context["parties"]
    return known[organization_id].slug if organization_id in known else None
