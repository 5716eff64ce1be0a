"""Addresses of the search and of kept views."""

from django.urls import URLPattern, path

from apps.api.v1.views.search import saved_views, search

urlpatterns: list[URLPattern] = [
    path("search/", search.Search.as_view(), name="search"),
    path("saved-views/", saved_views.SavedViews.as_view(), name="saved_views"),
    path("saved-views/<str:public_id>/", saved_views.SavedViewDetail.as_view(), name="saved_view"),
]
