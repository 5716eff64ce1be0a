"""What is told, in the words of the wire, and how sure a verdict has to be to be told."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class NotificationKind(models.TextChoices):
    """Something to be told. The values are the types that a webhook carries."""

    OPENED = "incident.opened", _("An incident is opened")
    CHANGED = "incident.verdict_changed", _("The verdict changes")
    ASSIGNED = "incident.assigned", _("It points at us")
    REQUESTED = "incident.requested", _("An answer is asked of us, or came")
    MENTIONED = "annotation.mentioned", _("Somebody mentions us or me in an annotation")
    PROPOSED = "agreement.proposed", _("An agreement waits for us or ends soon")
    ENDING = "agreement.ending", _("An agreement ends soon")
    BUNDLE = "bundle.sent", _("Evidence is sent to us")
    EVIDENCE_REQUESTED = "evidence.requested", _("Evidence is asked of us")
    EVIDENCE_ANSWERED = "evidence.answered", _("What we asked for is answered")
    CRASH_LOOP = "session.crash_loop", _("A job is started again and again without progress")
    SILENT = "source.silent", _("A source falls silent or is back")
    BACK = "source.back", _("A source is back")
    TEST = "test", _("A test")
    FAILING = "webhook.failing", _("The webhook is not reached")
    OFFERED = "part.offered", _("A part in a cluster waits for an answer")


class Minimum(models.TextChoices):
    """From which verdict on somebody wants to hear of an incident."""

    ANY = "any", _("Every incident, also while its cause is not known")
    POSSIBLE = "possible", _("Once a cause is at least possible")
    LIKELY = "likely", _("Only once a cause is likely")


class Rhythm(models.TextChoices):
    """How often somebody wants to be written to."""

    AT_ONCE = "at-once", _("At once")
    HOURLY = "hourly", _("Once an hour, together")
    DAILY = "daily", _("Once a day at 08:00, together")


class Channel(models.TextChoices):
    """The two ways out."""

    EMAIL = "email"
    WEBHOOK = "webhook"


class DeliveryState(models.TextChoices):
    """What became of a delivery."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"  # given up; it can be sent again by hand
    DROPPED = "dropped"  # nobody is to get it any more


# What one may choose; the others follow from them or concern admins.
CHOICES = (
    NotificationKind.OPENED,
    NotificationKind.CHANGED,
    NotificationKind.ASSIGNED,
    NotificationKind.MENTIONED,
    NotificationKind.PROPOSED,
    NotificationKind.BUNDLE,
    NotificationKind.SILENT,
)
AT_NIGHT_CHOICES = (NotificationKind.OPENED, NotificationKind.ASSIGNED)
RANKS = {"unknown": 0, "possible": 1, "likely": 2}
RANK_OF_MINIMUM = {Minimum.ANY: 0, Minimum.POSSIBLE: 1, Minimum.LIKELY: 2}
