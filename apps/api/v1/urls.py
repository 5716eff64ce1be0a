"""Everything below `/api/v1/o/<organization>/`: the addresses of all rooms of views."""

from django.urls import URLPattern, URLResolver, include, path

from apps.api.v1.views.fleet import urls as fleet
from apps.api.v1.views.held_data import urls as held_data
from apps.api.v1.views.incident import urls as incident
from apps.api.v1.views.intake import urls as intake
from apps.api.v1.views.people import urls as people
from apps.api.v1.views.reliability import urls as reliability
from apps.api.v1.views.search import urls as search
from apps.api.v1.views.sessions import urls as sessions
from apps.api.v1.views.sharing import urls as sharing

inside: list[URLPattern | URLResolver] = [
    *sharing.urlpatterns,
    *fleet.urlpatterns,
    *sessions.urlpatterns,
    *incident.urlpatterns,
    *reliability.urlpatterns,
    *search.urlpatterns,
    *people.urlpatterns,
    *intake.urlpatterns,
    *held_data.urlpatterns,
]
urlpatterns = [path("api/v1/o/<str:organization>/", include((inside, "v1")))]
