"""Addresses of incidents and warnings."""

from django.urls import URLPattern, URLResolver, include, path

from apps.api.v1.views.incident import (
    actions,
    annotations,
    evidence,
    exports,
    feedback,
    hand_overs,
    incidents,
    lifecycle,
    resolutions,
    warnings,
)
from apps.incidents.exports.known_formats import all_formats

incident: list[URLPattern] = [
    path("", incidents.IncidentDetail.as_view(), name="incident"),
    path("hypotheses/", incidents.Hypotheses.as_view(), name="hypotheses"),
    path("missing/", incidents.MissingEvidence.as_view(), name="missing"),
    path("evidence/", evidence.IncidentEvidence.as_view(), name="evidence"),
    path("log-lines/", incidents.LogLines.as_view(), name="log_lines"),
    path("shared-log-lines/", incidents.SharedLogLines.as_view(), name="shared_log_lines"),
    path("shared-sessions/", incidents.SharedSessions.as_view(), name="shared_sessions"),
    path("timeline/", incidents.Timeline.as_view(), name="timeline"),
    path("annotations/", annotations.Annotations.as_view(), name="annotations"),
    path("annotations/read/", annotations.AnnotationsRead.as_view(), name="annotations_read"),
    path("annotations/<str:note>/", annotations.AnnotationDetail.as_view(), name="annotation"),
    path("feedback/", feedback.IncidentFeedback.as_view(), name="feedback"),
    path("hand-overs/", hand_overs.HandOvers.as_view(), name="hand_overs"),
    path("hand-overs/<str:hand_over>/", hand_overs.HandOverDetail.as_view(), name="hand_over"),
    path("resolutions/", resolutions.Resolutions.as_view(), name="resolutions"),
    path(
        "resolutions/<str:resolution>/",
        resolutions.ResolutionDetail.as_view(),
        name="resolution",
    ),
    path("actions/", actions.Actions.as_view(), name="actions"),
    path("actions/<str:action>/", actions.ActionDetail.as_view(), name="action"),
    path("acknowledge/", lifecycle.Acknowledge.as_view(), name="acknowledge"),
    path("resolve/", lifecycle.Resolve.as_view(), name="resolve"),
    path("reopen/", lifecycle.Reopen.as_view(), name="reopen"),
    path("export", exports.IncidentExport.as_view(), name="incident_export"),
    *(
        path(
            f"export.{form.name}",
            exports.incident_as(form).as_view(),
            name=f"incident_export_{form.name}",
        )
        for form in all_formats().values()
    ),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("incidents/", incidents.Incidents.as_view(), name="incidents"),
    path("incidents/export", exports.IncidentsExport.as_view(), name="incidents_export"),
    *(
        path(
            f"incidents/export.{form.name}",
            exports.incidents_as(form).as_view(),
            name=f"incidents_export_{form.name}",
        )
        for form in all_formats().values()
    ),
    path("incidents/<str:public_id>/", include(incident)),
    path("accuracy/", feedback.Accuracy.as_view(), name="accuracy"),
    path("warnings/", warnings.Warnings.as_view(), name="warnings"),
    path("warnings/<str:public_id>/", warnings.WarningDetail.as_view(), name="warning"),
    path("shared-warnings/", warnings.SharedWarnings.as_view(), name="shared_warnings"),
]
