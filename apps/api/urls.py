"""What machines call: the versioned interface, and the receivers of pushes."""

from django.urls import include, path

from apps.api.receivers import logs, loki

urlpatterns = [
    path("loki/api/v1/push", loki.push, name="push_loki"),
    path("api/v1/logs", logs.push, name="push_logs"),
    path("", include("apps.api.v1.urls")),
]
