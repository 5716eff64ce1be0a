"""Facts computed from metrics, and the warnings they make up."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Coalesce

from apps.fleet.models import Cluster
from apps.telemetry.models.sources import Source
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class Anomaly(OwnedModel):
    """A typed fact computed from metrics.

    Owned by the owner of the source, also when its peers came from another party.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    fingerprint = models.BinaryField(
        max_length=16
    )  # kind, signal, entity, start: finding twice writes once
    kind = models.CharField(max_length=30)
    signal = models.CharField(max_length=80)
    family = models.CharField(max_length=40)
    layer = models.CharField(max_length=12)
    role = models.CharField(max_length=12)
    host = models.CharField(max_length=253, blank=True)
    entity = models.JSONField()  # diagnosis.model.Device
    starts_at = ReportedTimeField()
    ends_at = ReportedTimeField(null=True)
    score = models.FloatField(default=0.0)
    value = models.FloatField(null=True)
    baseline = models.FloatField(null=True)
    unit = models.CharField(max_length=24, blank=True)
    causes = ArrayField(models.CharField(max_length=40), default=list)
    body = models.JSONField(default=dict)  # the rest of diagnosis.model.Anomaly
    # When the portal knew, whose parts of then judge it. None: of a time before anybody wrote it.
    received_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "fingerprint"], name="anomaly_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "cluster", "host", "starts_at"], name="anomaly_by_host"
            ),
            models.Index(
                models.F("organization"), Coalesce("ends_at", "starts_at"), name="anomaly_by_age"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.signal} {self.host}"


class EarlyWarning(OwnedModel):
    """Findings of metrics that belong together: a warning with two families, else a signal.

    Owned by the owner of the sources it was found in. What was raised is not deleted for being
    wrong: a warning that later findings do not bear out is withdrawn.
    """

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    entity = models.JSONField()  # diagnosis.model.Device
    entity_key = models.CharField(max_length=300)
    host = models.CharField(max_length=253, blank=True)  # empty: a shared part
    layer = models.CharField(max_length=12)
    score = models.FloatField()
    is_page = models.BooleanField()
    is_fatal = models.BooleanField(default=False)
    starts_at = ReportedTimeField()
    raised_at = models.DateTimeField()  # when the findings said so, by the source's clock
    told_at = models.DateTimeField()  # when the portal knew
    ends_at = ReportedTimeField(null=True)  # None: goes on
    withdrawn_at = models.DateTimeField(null=True)
    families = ArrayField(models.CharField(max_length=40), default=list)
    hosts = ArrayField(models.CharField(max_length=253), default=list)
    causes = ArrayField(models.CharField(max_length=40), default=list)
    statement = models.JSONField(null=True, default=None)  # what it tells, a fact
    contributions = models.JSONField(default=list)  # diagnosis.model.Contribution
    is_simulated = models.BooleanField(default=False)

    class Meta:
        db_table = "telemetry_episode"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="episode_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "cluster", "entity_key", "is_page", "raised_at"],
                name="episode_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "cluster", "-raised_at"], name="episode_by_cluster"
            )
        ]

    def __str__(self) -> str:
        return self.public_id
