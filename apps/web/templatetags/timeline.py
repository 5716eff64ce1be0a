"""The parts of a timeline of which there are hundreds, drawn without a template for each."""

from django import template

from apps.web.incident.timeline.order_markup import order_markup
from apps.web.incident.timeline.story_markup import story_markup
from apps.web.lanes.markup import bars_markup, items_markup
from apps.web.nodes.history_markup import marks_markup

register = template.Library()
register.filter("as_items", items_markup)
register.filter("as_bars", bars_markup)
register.filter("as_marks", marks_markup)
register.filter("as_story", story_markup)
register.filter("as_order", order_markup)
