"""The note as terminal text, Markdown and one HTML page without scripts."""

import re
import textwrap
from collections.abc import Iterator
from html import escape

from apps.diagnosis.model import Diagnosis, VerdictStatus
from apps.diagnosis.spelling import OBEYED
from apps.offline.report.columns import columns, wrapped
from apps.offline.report.items import NoteItem, Section
from apps.offline.report.note import sections
from apps.wording import ENGLISH, Speaker
from apps.wording.translatable import gettext_noop

TITLE = gettext_noop("Faultline diagnosis")
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
RED, YELLOW, GREEN, BLUE = "\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[34m"
TONES = {
    VerdictStatus.LIKELY: RED,
    VerdictStatus.POSSIBLE: YELLOW,
    VerdictStatus.UNKNOWN: BLUE,
    VerdictStatus.NO_FAILURE: GREEN,
}
LEAST_WIDTH, MOST_WIDTH = 60, 110
# What a terminal would obey: a quoted line, a name in it or a file's must not steer it.
CONTROLS = dict.fromkeys(OBEYED)
# What Markdown would obey in a name that a line told; an underline inside a word is none.
MARKUP = re.compile(r"[\\`*\[\]<>&~|]|(?<![^\W_])_|_(?![^\W_])")
STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}"
    "h2{font-size:1rem;margin:1.4rem 0 .3rem}ul{padding-left:1.1rem;margin:.2rem 0}"
    ".answer{font-size:1.15rem;font-weight:600}code{font-size:.85em;color:#555;display:block}"
    ".weight{display:inline-block;min-width:3rem;font-variant-numeric:tabular-nums}"
    ".place{color:#666;font-size:.85em}"
    "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}code,.place{color:#999}}"
)


def as_text(
    *,
    diagnosis: Diagnosis,
    is_colored: bool = False,
    width: int = MOST_WIDTH,
    speaker: Speaker = ENGLISH,
) -> str:
    """Return the note for a terminal of so many columns."""
    wide = max(LEAST_WIDTH, min(width, MOST_WIDTH))
    tone = TONES[diagnosis.verdict.status]
    lines: list[str] = []
    for section in sections(diagnosis=diagnosis, speaker=speaker):
        lines.append(f"{BOLD}{section.title}{PLAIN}" if is_colored else section.title)
        for item in section.items:
            lines.extend(_lines(item, wide, tone if is_colored else ""))
        lines.append("")
    return "\n".join(lines)


def _lines(item: NoteItem, width: int, tone: str) -> Iterator[str]:
    lead = f"{item.weight:+5.1f}  " if item.weight is not None else ""
    indent = " " * (2 + len(lead))
    text = item.text.translate(CONTROLS)
    place = item.place.translate(CONTROLS)
    quote = item.quote.translate(CONTROLS)
    # A quote that is cut beside its place may stand whole below it.
    is_free = not quote or len(indent) + len(place) + len(quote) + 2 > width
    if place and is_free and len(indent) + columns(text) + len(place) + 2 <= width:
        text, place = f"{text}  {place}", ""
    for number, line in enumerate(wrapped(text, width - len(indent))):
        shown = (f"  {lead}" if number == 0 else indent) + line
        yield f"{BOLD}{tone}{shown}{PLAIN}" if tone and item.is_answer else shown
    about = "  ".join(each for each in (place, quote) if each)
    if about:
        about = textwrap.shorten(about, width - len(indent), placeholder=" …")
        yield f"{indent}{DIM}{about}{PLAIN}" if tone else f"{indent}{about}"


def as_markdown(*, diagnosis: Diagnosis, speaker: Speaker = ENGLISH) -> str:
    """Return the note as Markdown; log lines stand in code spans, and no name in them is markup."""
    lines: list[str] = []
    for section in sections(diagnosis=diagnosis, speaker=speaker):
        lines += [f"## {section.title}", "", *(_bullet(one) for one in section.items), ""]
    return "\n".join(lines)


def _bullet(item: NoteItem) -> str:
    lead = f"{item.weight:+.1f} · " if item.weight is not None else ""
    said = MARKUP.sub(r"\\\g<0>", item.text.translate(CONTROLS))
    text = f"**{said}**" if item.is_answer else said
    code = "".join(f" `{_span(each)}`" for each in (item.place, item.quote) if each)
    return f"- {lead}{text}{code}"


def _span(text: str) -> str:
    return text.translate(CONTROLS).replace("`", "'")


def as_html(*, diagnosis: Diagnosis, speaker: Speaker = ENGLISH) -> str:
    """Return the note as one page without scripts, with nothing fetched from elsewhere."""
    title = f"<title>{escape(speaker.translate(TITLE))}</title>"
    parts = [
        f"<!doctype html><html lang={speaker.language}><meta charset=utf-8>{title}",
        "<meta name=viewport content='width=device-width'>",
        f"<style>{STYLE}</style>",
        *(_block(section) for section in sections(diagnosis=diagnosis, speaker=speaker)),
        "</html>",
    ]
    return "\n".join(parts)


def _block(section: Section) -> str:
    if all(item.is_answer for item in section.items):
        body = "".join(f"<p class=answer>{_shown(item.text)}</p>" for item in section.items)
    else:
        body = "<ul>" + "".join(_entry(item) for item in section.items) + "</ul>"
    return f"<h2>{escape(section.title)}</h2>{body}"


def _entry(item: NoteItem) -> str:
    lead = f"<span class=weight>{item.weight:+.1f}</span>" if item.weight is not None else ""
    kind = " class=answer" if item.is_answer else ""
    place = f" <span class=place>{_shown(item.place)}</span>" if item.place else ""
    quote = f"<code>{_shown(item.quote)}</code>" if item.quote else ""
    return f"<li{kind}>{lead}{_shown(item.text)}{place}{quote}</li>"


def _shown(text: str) -> str:
    return escape(text.translate(CONTROLS))
