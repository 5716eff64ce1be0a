"""Addresses of the search and of kept views."""

from django.urls import URLPattern, path

from apps.api.v1.views.search import search

urlpatterns: list[URLPattern] = [
    path("search/", search.Search.as_view(), name="search"),
]
