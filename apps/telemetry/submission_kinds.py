"""What is taken at the door for workers to carry out."""

from django.db import models


class SubmissionKind(models.TextChoices):
    """What was sent."""

    INVENTORY = "inventory"
    SESSION_EVENTS = "session-events"
