"""Moments of an incident's story as they are sent."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.v1.serializers.fields import HeadlineField
from apps.api.v1.serializers.incident.cited_facts import (
    CitedDeviceSerializer,
    CodesField,
    NoticedCodeSerializer,
    RanksField,
)
from apps.api.v1.serializers.incident.shared import SharedAsSerializer
from apps.diagnosis.noticed_codes import noticed_code
from apps.incidents.projection.values import (
    TimelineMoment,
)
from apps.tenancy.values import OrganizationName

# Of a moment's detail: which row it is, and what stands beside it under names of its own.
NOT_WHERE = frozenset({"reference", "code", "device", "fields"})


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
    noticed_code = serializers.SerializerMethodField()
    host = serializers.CharField(source="detail.host", allow_null=True, default=None)
    ranks = RanksField(source="detail.ranks")
    shared = SharedAsSerializer(
        allow_null=True,
        help_text="By whom it is shown; null: your organization's own, or every party's.",
    )

    def get_detail(self, entry: TimelineMoment) -> dict[str, Any]:
        """Return where it was said; not which row of the tables it is, which counts everybody's."""
        return {name: value for name, value in entry.detail.items() if name not in NOT_WHERE}

    @extend_schema_field(NoticedCodeSerializer(allow_null=True))
    def get_noticed_code(self, entry: TimelineMoment) -> dict[str, Any] | None:
        """Return what the vendor's table says of the Xid or SXid that it tells; null of others."""
        code = noticed_code(fact=entry.detail or {})
        return None if code is None else dict(NoticedCodeSerializer(code).data)

    def get_organization(self, entry: TimelineMoment) -> str | None:
        """Return whose moment it is."""
        return _slug(self.context, entry.organization_id)


def _slug(context: Mapping[str, Any], organization_id: int) -> str | None:
    known: dict[int, OrganizationName] = context["parties"]
    return known[organization_id].slug if organization_id in known else None
