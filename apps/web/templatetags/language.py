"""Sentences of the diagnosis, marked as English on a page in another language."""

from django import template

from apps.web.display.spoken_language import as_said

register = template.Library()
register.filter("as_said", as_said)
