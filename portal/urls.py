"""Where requests go: the portal's own health first, then machines, then people."""

from importlib.util import find_spec

from django.urls import include, path

from apps.api import reference
from apps.operations.http import bad_requests
from apps.operations.monitoring import health, metrics

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("api/v1/openapi.yaml", reference.openapi_yaml, name="openapi"),
    path("reference/", reference.page, name="reference"),
]
handler400 = bad_requests.refused
handler404 = bad_requests.not_found
handler429 = bad_requests.too_many  # as allauth looks for it
handler500 = health.server_error
urlpatterns += [
    path("", include(routes))
    for routes in ("apps.api.urls", "apps.web.urls", "apps.web.sign_in.urls")
    if find_spec(routes)
]
