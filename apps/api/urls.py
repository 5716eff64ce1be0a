"""What machines call: the versioned interface, and the receivers of pushes."""

from django.urls import include, path

urlpatterns = [
    path("", include("apps.api.v1.urls")),
]
