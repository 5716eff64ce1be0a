"""`manage.py backtest`: a past range as blocks of frames, the judgement as text or page."""

from apps.offline.backtest_report.page import as_html
from apps.offline.backtest_report.text import as_text

__all__ = ["as_html", "as_text"]
