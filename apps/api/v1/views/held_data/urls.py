"""Addresses of what an organization holds itself."""

from django.urls import URLPattern, path

from apps.api.v1.views.held_data import logs, metrics

urlpatterns: list[URLPattern] = [
    path("logs/", logs.Logs.as_view(), name="logs"),
    path("logs/<str:key>/", logs.LogDetail.as_view(), name="log"),
    path("logs/<str:key>/lines/", logs.HeldLogLines.as_view(), name="log_lines"),
    path("logs/<str:key>/search/", logs.LogSearch.as_view(), name="log_search"),
    path("metrics/query/", metrics.MetricQuery.as_view(), name="metric_query"),
]
