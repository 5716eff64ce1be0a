"""A diagnosis as a note for people."""

from apps.offline.report.forms import MOST_WIDTH, as_html, as_markdown, as_text

__all__ = ["MOST_WIDTH", "as_html", "as_markdown", "as_text"]
