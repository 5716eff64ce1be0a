"""Format strings of a program's sources, and what the signatures make of each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from apps.diagnosis.model import Mark, Origin
from apps.diagnosis.reasoning.findings.process_findings.subjects import subjects_of
from apps.diagnosis.signatures.marks import first_words_of_failure, marked
from apps.diagnosis.signatures.match import SignatureMatcher
from apps.diagnosis.signatures.read import read_source
from apps.diagnosis.signatures.records.traceback import OPENER
from tests.score.format_strings import c_calls, python_calls, sample_texts
from tests.score.format_strings.programs import CallForm, SourceProgram

# What says only that something failed, or that some exception was raised, knows no text.
GENERAL = marked(Mark.UNKNOWN_FAILURE, Mark.EXCEPTION)
# What knows not the words, but the part of a program that prints them.
OF_PARTS = marked(Mark.OF_PART)
NOTES = marked(Mark.BY_WORDS)
RANK = re.compile(r"\[rank\d+\]: ")


@dataclass(frozen=True, kw_only=True)
class FormatString:
    """A text that tells of an error: where it stands, and the lines that may come of it."""

    file: str
    function: str
    lines: Sequence[str]
    frame: str = ""  # the Python file in which it is raised


@dataclass(frozen=True, kw_only=True)
class Looked:
    """A format string and the signature that matches it, empty where none does."""

    of: FormatString
    signature: str
    has_subject: bool  # its own words are not known, but what they speak of
    library: str = ""  # that raised it, by its traceback
    is_note: bool = False  # of a part that prints notes, too, and without words of failure

    @property
    def is_known(self) -> bool:
        """Return whether a signature knows its words, and not only that something failed."""
        return bool(self.signature) and self.signature not in GENERAL

    @property
    def is_placed(self) -> bool:
        """Return whether its words are known, or at least the part that prints them."""
        return self.is_known or self.signature in OF_PARTS or bool(self.library)


def format_strings(*, program: SourceProgram, folder: Path) -> Iterator[FormatString]:
    """Yield those of a program below `folder`, each text of a file once."""
    for path in program.paths(folder=folder):
        source = path.read_text("utf-8", errors="replace")
        seen: set[str] = set()
        for one in _of_file(program, path, source):
            if one.lines[0] not in seen:
                seen.add(one.lines[0])
                yield one


def looked(*, strings: Sequence[FormatString], matcher: SignatureMatcher) -> list[Looked]:
    """Return what the signatures say of each: of its lines the one that they know best."""
    return [_looked(one, matcher) for one in strings]


def _looked(one: FormatString, matcher: SignatureMatcher) -> Looked:
    hits = [matcher.match(line=line, text=partial(_behind, line)) for line in one.lines]
    found = [hit.signature.key for hit in hits if hit is not None]
    best = min(found, key=_rank, default="")
    return Looked(
        of=one,
        signature=best,
        has_subject=best in GENERAL and bool(subjects_of(one.lines[0])),
        library=_library(one) if one.frame else "",
        is_note=best in NOTES and first_words_of_failure(text=one.lines[0]) is None,
    )


def _library(one: FormatString) -> str:
    """Return which library a traceback says to have raised it, read as a log is."""
    prefix = RANK.match(one.lines[0])
    rank = prefix[0] if prefix else ""
    above = (OPENER, f'  File "/usr/lib/python3/dist-packages/{one.frame}", line 632, in look')
    text = "\n".join([*(f"{rank}{line}" for line in above), one.lines[0]])
    read = read_source(origin=Origin(source="worker.log"), text=text)
    said = [event.fields.get("library", "") for event in read.events]
    return next(filter(None, said), "")


def _rank(key: str) -> int:
    return 0 if key not in GENERAL else 1 if key in OF_PARTS else 2


def _behind(line: str) -> str:
    """Return a line without what stands before its text."""
    return line.split(": ", 1)[-1]


def _of_file(program: SourceProgram, path: Path, source: str) -> Iterator[FormatString]:
    if path.suffix == ".py":
        yield from _of_python(program, path, source)
        return
    plain = c_calls.without_comments(source)
    for form in program.calls:
        found = (
            c_calls.streams(source=plain, name=form.name)
            if form.style == "stream"
            else c_calls.calls(source=plain, name=form.name)
        )
        for call in found:
            texts = list(_texts(form, call))
            if texts:
                yield _string(form, path, call.function, texts)


def _of_python(program: SourceProgram, path: Path, source: str) -> Iterator[FormatString]:
    forms = {form.name: form for form in program.calls}
    for one in python_calls.texts(source):
        form = forms["raise" if one.exception else "logger.error"]
        lines = [
            form.line.format(file=path.name, exception=one.exception, text=text.split("\n")[0])
            for text in one.texts
        ]
        frame = form.frame.format(path=_below(path, "torch"))
        yield FormatString(file=path.name, function=one.exception, lines=lines, frame=frame)


def _texts(form: CallForm, call: c_calls.FoundCall) -> Iterator[str]:
    if form.only and not _is_among(form.only, call.arguments[: form.text + 1]):
        return
    if form.style in ("parts", "stream"):
        yield from sample_texts.parts_texts(call.arguments[form.text :])
        return
    if len(call.arguments) > form.text and (
        text := sample_texts.literal(call.arguments[form.text])
    ):
        if form.style == "braces":
            yield from sample_texts.braces_texts(text)
        else:
            yield from sample_texts.printf_texts(text, word=form.word)


def _is_among(only: str, arguments: Sequence[str]) -> bool:
    words = {word for argument in arguments for word in argument.replace('"', " ").split()}
    return not words.isdisjoint(only.split("|"))


def _string(form: CallForm, path: Path, function: str, texts: Sequence[str]) -> FormatString:
    lines = [
        form.line.format(file=path.name, function=function, text=text.strip().split("\n")[0])
        for text in texts
    ]
    return FormatString(file=path.name, function=function, lines=lines, frame=form.frame)


def _below(path: Path, folder: str) -> str:
    """Return a path from the last folder of a name on."""
    parts = path.parts
    start = len(parts) - 1 - parts[::-1].index(folder) if folder in parts else 0
    return "/".join(parts[start:])
