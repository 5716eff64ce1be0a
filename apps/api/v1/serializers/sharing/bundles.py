"""Evidence bundles as they are sent, and as somebody makes them."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.sharing.bundles.bundle_contents import (
    DAYS,
    LEVELS,
    MOST_DAYS,
    NEIGHBOURS,
    OUTSIDE_LIMIT,
    PURPOSE_LIMIT,
    BundleChoice,
    BundleSection,
)
from apps.sharing.bundles.bundle_states import BundleState
from apps.sharing.facade.bundles import BundleStep, BundleView
from apps.sharing.redaction.profiles.load import load_profiles
from apps.sharing.terms import Level

MOST_RECIPIENTS = 50
MOST_PIECES = 1000


class BundleStepSerializer(serializers.Serializer[BundleStep]):
    """What somebody did with a bundle, the first time of each person."""

    kind = serializers.CharField(help_text="sent, opened, downloaded, revoked, expired")
    organization = serializers.CharField(source="organization.slug")
    by = serializers.CharField(help_text="Who of one's own organization; else empty.")
    reason = serializers.CharField(help_text="May be empty.")
    at = serializers.DateTimeField()


class BundleSerializer(serializers.Serializer[BundleView]):
    """A bundle that one's organization made, or was sent."""

    id = serializers.CharField(source="public_id")
    state = serializers.CharField(help_text=", ".join(BundleState))
    holder = serializers.CharField(source="holder.slug", help_text="Who made it.")
    recipients = serializers.SerializerMethodField(help_text="Slugs of parties.")
    outside = serializers.CharField(help_text="Somebody who gets the file by other ways.")
    incident = serializers.CharField()
    cluster = serializers.CharField(source="cluster.slug")
    purpose = serializers.CharField()
    size = serializers.IntegerField(help_text="Of the file, in bytes.")
    sha256 = serializers.CharField(source="digest", help_text="Of the file.")
    made_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField()
    simulated = serializers.BooleanField(source="is_simulated")
    manifest = serializers.JSONField(help_text="What its manifest.json tells beside the files.")
    steps = BundleStepSerializer(many=True)

    def get_recipients(self, view: BundleView) -> list[str]:
        """Return who gets it."""
        return [each.slug for each in view.recipients]


class BundleChoiceSerializer(serializers.Serializer[Any]):
    """What of an incident goes, to whom, how, and until when."""

    incident = serializers.CharField(max_length=32)
    recipients = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=list,
        max_length=MOST_RECIPIENTS,
        help_text="Slugs of parties of the incident.",
    )
    outside = serializers.CharField(
        max_length=OUTSIDE_LIMIT,
        default="",
        allow_blank=True,
        help_text="Somebody who gets the file by other ways.",
    )
    sections = serializers.ListField(
        child=WordField(choices=list(BundleSection)),
        default=lambda: list(BundleSection),
        max_length=4,
    )
    left_out = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        default=list,
        max_length=MOST_PIECES,
        help_text="Pieces of evidence that stay: their place among one's own, from 1.",
    )
    neighbours = serializers.IntegerField(
        min_value=0,
        max_value=max(NEIGHBOURS),
        default=NEIGHBOURS[1],
        help_text=f"Lines around a cited one: {', '.join(map(str, NEIGHBOURS))}.",
    )
    level = WordField(choices=list(LEVELS), default=Level.REDACTED.value)
    profile = WordField(choices=list(load_profiles()), default="operations")
    keeps_hosts = serializers.BooleanField(
        default=False, help_text="Names and addresses of nodes stay readable."
    )
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=DAYS)
    purpose = serializers.CharField(max_length=PURPOSE_LIMIT, default="", allow_blank=True)


class BundleReasonSerializer(serializers.Serializer[Any]):
    """Why a bundle is taken back; its recipients read it."""

    reason = serializers.CharField(max_length=500, default="", allow_blank=True)


class PreviewRowSerializer(serializers.Serializer[Any]):
    """One thing as its holder has it, and as it is received."""

    original = serializers.CharField()
    sent = serializers.CharField(required=False, help_text="Missing where nothing of it goes.")
    why = serializers.CharField(required=False, help_text="Why nothing of it goes.")
    spans = serializers.ListField(
        child=serializers.ListField(),
        required=False,
        help_text="Where in `sent` something stands for what was hidden: start, end, its kind.",
    )


class BundlePreviewSerializer(serializers.Serializer[Any]):
    """What is in a bundle beside what stood there, for its holder alone."""

    evidence = PreviewRowSerializer(many=True)
    lines = PreviewRowSerializer(many=True)
    series = PreviewRowSerializer(many=True)
    sessions = PreviewRowSerializer(many=True)


def choice_of(said: dict[str, Any]) -> BundleChoice:
    """Return what was sent as a choice."""
    return BundleChoice(
        recipients=tuple(said["recipients"]),
        outside=said["outside"],
        sections=frozenset(BundleSection(each) for each in said["sections"]),
        left_out=frozenset(said["left_out"]),
        neighbours=said["neighbours"],
        level=Level(said["level"]),
        profile=said["profile"],
        keeps_hosts=said["keeps_hosts"],
        days=said["days"],
        purpose=said["purpose"],
    )
