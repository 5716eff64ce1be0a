"""`manage.py backtest`: a range of the past as blocks of frames, and the judgement as text and as a page."""

from apps.offline.backtest_report.page import as_html
from apps.offline.backtest_report.text import as_text

__all__ = ["as_html", "as_text"]
