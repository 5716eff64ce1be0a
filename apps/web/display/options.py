"""Options of a form as HTML, for lists that are too long for a template."""

from collections.abc import Iterable

from django.utils.html import format_html
from django.utils.safestring import SafeString

Choice = tuple[str, str]  # value, text


def options_markup(choices: Iterable[Choice], *, chosen: str) -> SafeString:
    """Return an option for each choice, the one with the value `chosen` selected."""
    made = (
        format_html(
            '<option value="{}"{}>{}</option>\n',
            value,
            SafeString(" selected") if value == chosen else "",
            text,
        )
        for value, text in choices
    )
    return SafeString("".join(made))
