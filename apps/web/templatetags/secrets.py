"""What a page says back of its own address is no secret."""

from django import template

from apps.secret_shapes import hide_shapes

register = template.Library()


@register.filter
def without_secrets(text: str) -> str:
    """Return a text with a mark in the place of each credential that its shape gives away."""
    return hide_shapes(text)
