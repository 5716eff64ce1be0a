"""What machines call: the versioned interface, and the receivers of pushes."""

from django.urls import include, path

from apps.api.receivers import (
    alertmanager,
    changes,
    exclusions,
    inventory,
    logs,
    loki,
    recovery_events,
    remote_write,
    session_events,
    step_traces,
)
from apps.api.receivers.otlp import otlp_logs, otlp_metrics

urlpatterns = [
    path("loki/api/v1/push", loki.push, name="push_loki"),
    path("api/v1/logs", logs.push, name="push_logs"),
    path("api/v1/session-events", session_events.push, name="push_session_events"),
    path("api/v1/recovery-events", recovery_events.push, name="push_recovery_events"),
    path("api/v1/step-traces", step_traces.push, name="push_step_trace"),
    path("api/v1/inventory", inventory.push, name="push_inventory"),
    path("api/v1/exclusions", exclusions.push, name="push_exclusions"),
    path("api/v1/changes", changes.push, name="push_changes"),
    path("api/v1/alertmanager", alertmanager.push, name="push_alertmanager"),
    path("api/v1/write", remote_write.push, name="push_remote_write"),
    path("v1/logs", otlp_logs.push, name="push_otlp_logs"),
    path("v1/metrics", otlp_metrics.push, name="push_otlp_metrics"),
    path("", include("apps.api.v1.urls")),
]
