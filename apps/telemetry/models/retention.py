"""What was kept of what went, what was deleted, what may be kept, and how much there is."""

from typing import ClassVar

from django.contrib.postgres.functions import TransactionNow
from django.db import models

from apps.telemetry.models.streams import LogStream
from apps.tenancy.models import OwnedModel


class KeptLines(OwnedModel):
    """Lines around what an incident cites, kept when the rest of their chunk went.

    The same shape as a chunk, so that both are read alike.
    """

    stream = models.ForeignKey(LogStream, on_delete=models.CASCADE, related_name="+")
    first_number = models.PositiveBigIntegerField()
    line_count = models.PositiveIntegerField()
    body = models.BinaryField()
    kept_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "stream", "first_number"], name="kept_lines_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.line_count} kept lines of stream {self.stream_id}"


class Deletion(OwnedModel):
    """What one run took away of one class, and by which rule: no text, counts alone."""

    at = models.DateTimeField()
    kind = models.CharField(max_length=12)  # retention.classes.Kind
    days = models.PositiveIntegerField()  # the rule in force: kept so many days
    before = models.DateTimeField()  # what came in before it went
    oldest_at = models.DateTimeField(null=True)  # of what went
    row_count = models.PositiveBigIntegerField()
    byte_count = models.PositiveBigIntegerField()
    cited_count = models.PositiveBigIntegerField(default=0)  # rows and lines that stayed: cited

    class Meta:
        indexes: ClassVar = [models.Index(fields=["organization", "-at"], name="deletion_by_time")]

    def __str__(self) -> str:
        return f"{self.row_count} of {self.kind} at {self.at:%Y-%m-%d}"


class ReleasedDay(OwnedModel):
    """An organization's chunks of a day were looked through, and what is cited of them is kept.

    Lives only inside the transaction that drops the day: the database compares it with what is
    there (`telemetry_drop_chunk_day`).
    """

    day = models.DateField()
    days = models.PositiveIntegerField()  # the rule in force: kept so many days
    row_count = models.PositiveBigIntegerField()
    newest_id = models.BigIntegerField()
    released_at = models.DateTimeField(db_default=TransactionNow())

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "day"], name="released_day_once")
        ]

    def __str__(self) -> str:
        return f"{self.row_count} chunks of {self.day}"


class Quota(OwnedModel):
    """How much an organization may keep, where that is not what everybody may."""

    max_bytes = models.PositiveBigIntegerField()  # 0: no limit
    set_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization"], name="quota_once")
        ]

    def __str__(self) -> str:
        return f"{self.max_bytes} bytes"


class Usage(OwnedModel):
    """How much an organization keeps in one table, measured now and then and whole after a run."""

    kind = models.CharField(max_length=12)  # retention.classes.Kind
    table = models.CharField(max_length=63)
    until_id = models.BigIntegerField(default=0)  # counted so far: the next look counts what is new
    row_count = models.PositiveBigIntegerField(default=0)
    byte_count = models.PositiveBigIntegerField(default=0)
    oldest_at = models.DateTimeField(null=True)
    measured_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "table"], name="usage_once")
        ]

    def __str__(self) -> str:
        return f"{self.byte_count} bytes in {self.table}"
