"""The application's entry in Django's list of apps."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Running the portal: its commands are found here."""

    name = "apps.operations"
    verbose_name = "Operations"
