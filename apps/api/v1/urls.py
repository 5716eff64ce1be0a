"""Everything below `/api/v1/o/<organization>/`."""

from django.urls import URLPattern, URLResolver, include, path

from apps.api.v1.views import (
    acting,
    annotations,
    episodes,
    evidence,
    exports,
    feedback,
    fleet,
    incidents,
    parts,
    sources,
    tokens,
)

incident: list[URLPattern] = [
    path("", incidents.IncidentDetail.as_view(), name="incident"),
    path("hypotheses/", incidents.Hypotheses.as_view(), name="hypotheses"),
    path("missing/", incidents.MissingEvidence.as_view(), name="missing"),
    path("evidence/", evidence.Evidence.as_view(), name="evidence"),
    path("timeline/", incidents.Timeline.as_view(), name="timeline"),
    path("annotations/", annotations.Annotations.as_view(), name="annotations"),
    path("annotations/<str:note>/", annotations.AnnotationDetail.as_view(), name="annotation"),
    path("feedback/", feedback.Feedback.as_view(), name="feedback"),
    path("acknowledge/", acting.Acknowledge.as_view(), name="acknowledge"),
    path("resolve/", acting.Resolve.as_view(), name="resolve"),
    path("reopen/", acting.Reopen.as_view(), name="reopen"),
    path("export", exports.IncidentExport.as_view(), name="incident_export"),
]
inside: list[URLPattern | URLResolver] = [
    path("clusters/", fleet.Clusters.as_view(), name="clusters"),
    path("clusters/<str:public_id>/", fleet.ClusterDetail.as_view(), name="cluster"),
    path("clusters/<str:public_id>/parties/", parts.Parties.as_view(), name="parties"),
    path("clusters/<str:public_id>/parts/<str:part>/", parts.OwnPart.as_view(), name="part"),
    path("proposals/", parts.Proposals.as_view(), name="proposals"),
    path("proposals/<str:public_id>/", parts.ProposalDetail.as_view(), name="proposal"),
    path("proposals/<str:public_id>/accept/", parts.Accept.as_view(), name="accept_proposal"),
    path("proposals/<str:public_id>/decline/", parts.Decline.as_view(), name="decline_proposal"),
    path("nodes/", fleet.Nodes.as_view(), name="nodes"),
    path("nodes/<str:public_id>/", fleet.NodeDetail.as_view(), name="node"),
    path("sessions/", fleet.Sessions.as_view(), name="sessions"),
    path("sessions/<str:public_id>/", fleet.SessionDetail.as_view(), name="session"),
    path("incidents/", incidents.Incidents.as_view(), name="incidents"),
    path("incidents/export", exports.IncidentsExport.as_view(), name="incidents_export"),
    path("incidents/<str:public_id>/", include(incident)),
    path("accuracy/", feedback.Accuracy.as_view(), name="accuracy"),
    path("episodes/", episodes.Episodes.as_view(), name="episodes"),
    path("episodes/<str:public_id>/", episodes.EpisodeDetail.as_view(), name="episode"),
    path("sources/", sources.Sources.as_view(), name="sources"),
    path("sources/<str:public_id>/", sources.SourceDetail.as_view(), name="source"),
    path("tokens/", tokens.Tokens.as_view(), name="tokens"),
    path("tokens/<str:prefix>/", tokens.TokenDetail.as_view(), name="token"),
]
urlpatterns = [path("api/v1/o/<str:organization>/", include((inside, "v1")))]
