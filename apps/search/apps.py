"""Search over what an organization may read, and saved views of lists."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.search"
    label = "search"
    default_auto_field = "django.db.models.BigAutoField"
