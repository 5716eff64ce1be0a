"""The words for where an incident stands, what kind it is, and what a party says of its verdict."""

from django.db import models


class IncidentStatus(models.TextChoices):
    """Where an incident stands."""

    OPEN = "open"
    RESOLVED = "resolved"
    WITHDRAWN = "withdrawn"
    MERGED = "merged"


class IncidentKind(models.TextChoices):
    """A stop ends an attempt; a slow or shared disturbance is an episode of an entity."""

    STOP = "stop"
    SLOW = "slow"
    SHARED = "shared"


class Judgement(models.TextChoices):
    """What a party says of a verdict."""

    RIGHT = "right"
    WRONG = "wrong"
    TAKEN_BACK = "taken-back"
