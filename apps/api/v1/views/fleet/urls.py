"""Addresses of clusters, parts in them, and nodes."""

from django.urls import URLPattern, path

from apps.api.v1.views.fleet import changes, clusters, metrics, nodes, participation

urlpatterns: list[URLPattern] = [
    path("clusters/", clusters.Clusters.as_view(), name="clusters"),
    path("clusters/<str:public_id>/", clusters.ClusterDetail.as_view(), name="cluster"),
    path(
        "clusters/<str:public_id>/changes/",
        changes.ClusterChanges.as_view(),
        name="cluster_changes",
    ),
    path("clusters/<str:public_id>/parties/", participation.Parties.as_view(), name="parties"),
    path(
        "clusters/<str:public_id>/hosts-agreement/",
        participation.HostsAgreement.as_view(),
        name="hosts_agreement",
    ),
    path(
        "clusters/<str:public_id>/parts/<str:part>/",
        participation.OwnParticipation.as_view(),
        name="part",
    ),
    path("proposals/", participation.Proposals.as_view(), name="proposals"),
    path("proposals/<str:public_id>/", participation.ProposalDetail.as_view(), name="proposal"),
    path(
        "proposals/<str:public_id>/accept/", participation.Accept.as_view(), name="accept_proposal"
    ),
    path(
        "proposals/<str:public_id>/decline/",
        participation.Decline.as_view(),
        name="decline_proposal",
    ),
    path("fleet/", metrics.Fleet.as_view(), name="fleet"),
    path("nodes/", nodes.Nodes.as_view(), name="nodes"),
    path("nodes/<str:public_id>/", nodes.NodeDetail.as_view(), name="node"),
]
