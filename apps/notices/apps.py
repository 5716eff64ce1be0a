"""Being told: e-mail and a signed webhook, derived from what incidents and sources show."""

from django.apps import AppConfig

from apps.incidents import wake


class NoticesConfig(AppConfig):
    """Keep the short label used by tables and migrations; ask to be told of new verdicts."""

    name = "apps.notices"
    label = "notices"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Look at what is new as soon as it is committed."""
        wake.CALLBACKS.append(_look)


def _look(*, organization_ids: list[int]) -> None:
    # Tasks need the models, which are not loaded when this module is.
    from apps.notices.tasks import look  # noqa: PLC0415

    for organization_id in organization_ids:
        look.delay(organization_id=organization_id)
