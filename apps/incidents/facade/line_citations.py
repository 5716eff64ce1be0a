"""What is asked of incidents from the side of a log. Needs the scope of the actor."""

from apps.incidents.projection.line_citations import incidents_citing

__all__ = ["incidents_citing"]
