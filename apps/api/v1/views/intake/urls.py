"""Addresses of sources, and of what became of what they sent."""

from django.urls import URLPattern, path

from apps.api.v1.views.intake import batches, failed_work, sources, submissions

urlpatterns: list[URLPattern] = [
    path("failed-work/", failed_work.FailedWorks.as_view(), name="failed_work"),
    path("batches/set-aside/", batches.SetAside.as_view(), name="set_aside"),
    path("sources/", sources.Sources.as_view(), name="sources"),
    path("sources/<str:public_id>/", sources.SourceDetail.as_view(), name="source"),
    path("submissions/<str:public_id>/", submissions.SubmissionDetail.as_view(), name="submission"),
]
