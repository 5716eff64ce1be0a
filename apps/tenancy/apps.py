"""Organizations, people, tokens and isolation."""

from django.apps import AppConfig


class TenancyConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.tenancy"
    label = "tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to what becomes of second factors; models are there only now."""
        from apps.tenancy.sign_in import factor_audit  # noqa: PLC0415

        factor_audit.connect()
