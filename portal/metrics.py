"""What the portal says about itself, in the Prometheus text format. Never the clusters' metrics."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from portal import health


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return each readiness check and the work that waits, as gauges."""
    lines = ["# TYPE portal_check_ok gauge"]
    for name, check in health.CHECKS.items():
        lines.append(f'portal_check_ok{{check="{name}"}} {int(check() == "ok")}')
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; version=0.0.4")
