"""Reports as they are sent, and what is asked of one."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import DayField, WordField
from apps.reliability.models.reports import ReportRhythm, ReportStance
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.counting.changes import Change
from apps.reliability.reports.report_values import (
    PartySignature,
    ReportHead,
    ReportView,
    ScheduleView,
    SignatureCount,
)
from apps.reliability.reports.signatures import MOST_REASON

AUDIENCES = (
    "own: of one's own sessions; cluster: all one may read of it; joint: what all parties may"
)


class SignatureCountSerializer(serializers.Serializer[SignatureCount]):
    """How many of its parties signed this revision."""

    parties = serializers.IntegerField()
    settled = serializers.IntegerField()
    dissenting = serializers.IntegerField()


class PartySignatureSerializer(serializers.Serializer[PartySignature]):
    """What a party says of a revision: the last that it said."""

    party = serializers.CharField(
        source="party.slug",
        default=None,
        allow_null=True,
        help_text="Its slug; null: a tenant whom one is not told of.",
    )
    stance = serializers.CharField(help_text="settled dissent")
    reason = serializers.CharField(help_text="Of a dissent; empty of a tenant that is not named.")
    digest = serializers.CharField(help_text="Of the document that was signed.")
    signed_at = serializers.DateTimeField()


class ReportHeadSerializer(serializers.Serializer[ReportHead]):
    """A report without its figures: its newest revision."""

    id = serializers.CharField(source="public_id")
    revision = serializers.IntegerField()
    audience = serializers.CharField(help_text=AUDIENCES)
    cluster = serializers.CharField(source="cluster.slug", default=None, allow_null=True)
    first_day = serializers.DateField()
    last_day = serializers.DateField()
    digest = serializers.CharField(
        help_text="SHA-256 of `document`, its keys sorted, without blanks: the same for all parties"
    )
    issuer = serializers.CharField(
        source="issuer.slug",
        default=None,
        allow_null=True,
        help_text="Its slug; null: a tenant whom one is not told of.",
    )
    issued_at = serializers.DateTimeField()
    simulated = serializers.BooleanField(source="is_simulated")
    signatures = SignatureCountSerializer()


class ReportChangeSerializer(serializers.Serializer[Change]):
    """One thing that is otherwise: a figure, or a field of an incident."""

    kind = serializers.CharField(source="kind.value", help_text="came went moved")
    figure = serializers.CharField(help_text="Empty: of an incident.")
    incident = serializers.CharField(help_text="Empty: of a figure.")
    field = serializers.CharField()
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)


class ReportSerializer(serializers.Serializer[ReportView]):
    """A revision of a report as it was issued. `document` never changes."""

    report = ReportHeadSerializer(source="head")
    newest_revision = serializers.IntegerField()
    changes = ReportChangeSerializer(many=True, help_text="Against the revision before.")
    document = serializers.JSONField(
        help_text="`figures` with unit, value, n, 95 % interval and the ids that they count; "
        "`tables`; what is `withheld` and why (docs/reports.md)."
    )
    signatures = PartySignatureSerializer(many=True)
    unsigned = serializers.SerializerMethodField(
        help_text="Who has this revision and said nothing of it yet, of those one is told of."
    )

    def get_unsigned(self, report: ReportView) -> list[str]:
        """Return their slugs."""
        return [each.slug for each in report.unsigned]


class ReportChangesSerializer(serializers.Serializer[Any]):
    """What is otherwise now than in the newest revision."""

    changes = ReportChangeSerializer(many=True)


class ReportWishSerializer(serializers.Serializer[Any]):
    """Of whom a report counts, and from which day to which: both are in it, in UTC."""

    audience = WordField(choices=[each.value for each in Audience], default=Audience.OWN.value)
    cluster = serializers.CharField(
        max_length=64, required=False, help_text="Its slug; `cluster` and `joint` need one."
    )
    first_day = DayField()
    last_day = DayField()


class ReportQuerySerializer(serializers.Serializer[Any]):
    """Which revision; without one the newest."""

    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)


class ReportFileSerializer(ReportQuerySerializer):
    """Which revision, and in which language its words are."""

    language = WordField(choices=["en", "ko"], default="en")


class ReportSigningSerializer(serializers.Serializer[Any]):
    """What one's organization says of the newest revision, named as it was read."""

    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    digest = serializers.CharField(max_length=64)
    stance = WordField(choices=ReportStance.values)
    reason = serializers.CharField(
        max_length=MOST_REASON,
        default="",
        allow_blank=True,
        help_text="Why not: a dissent needs one. All who have the report read it.",
    )


class ReportTableSerializer(ReportQuerySerializer):
    """Which table of it."""

    table = serializers.CharField(
        max_length=40, default="figures", help_text="`figures`, or the key of one of its tables."
    )


class ScheduleSerializer(serializers.Serializer[ScheduleView]):
    """That a report is issued by itself, and who is told."""

    id = serializers.CharField(source="public_id")
    audience = serializers.CharField(help_text=AUDIENCES)
    cluster = serializers.CharField(source="cluster.slug", default=None, allow_null=True)
    rhythm = serializers.CharField(help_text="weekly: Monday to Sunday; monthly")
    recipients = serializers.ListField(child=serializers.CharField(), help_text="Names of members.")
    to_webhook = serializers.BooleanField()
    next_at = serializers.DateTimeField()


class ScheduleWishSerializer(serializers.Serializer[Any]):
    """What is to be issued by itself, and who is to be told."""

    audience = WordField(choices=[each.value for each in Audience], default=Audience.OWN.value)
    cluster = serializers.CharField(max_length=64, required=False)
    rhythm = WordField(choices=ReportRhythm.values, default=ReportRhythm.WEEKLY.value)
    recipients = serializers.ListField(
        child=serializers.CharField(max_length=150),
        max_length=100,
        default=list,
        help_text="User names of members.",
    )
    to_webhook = serializers.BooleanField(default=False)
