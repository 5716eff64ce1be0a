"""Where the channels differ in what they tell one party of one incident."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from apps.incidents.exports.formats.markdown import plain
from apps.incidents.models import Incident
from tests.contracts.equal_channels.channels import PageFacts, Party, RestFacts, bare, marks_in

SAME_IN_MESSAGES = (
    *("id", "title", "kind", "status", "verdict_status", "layer", "cause", "probability"),
    *("cause_probability", "end_state", "culprits", "cluster", "restart"),
)
# Lists of REST by the section that an NDJSON line is of.
IN_LINES = {
    "hypotheses": "hypothesis",
    "timeline": "timeline",
    "annotations": "annotation",
    "shared_sessions": "session",
}
HELD_IN_MARKDOWN = re.compile(r"^- \S+: \d+ held by .*, not shown$", re.MULTILINE)


def differences(*, incident: Incident, reader: Party) -> list[str]:
    """Return what differs, in words; nothing where all channels tell the same."""
    rest = reader.rest(incident)
    return [
        *_of_page(rest, reader.page(incident)),
        *_of_stream(rest, reader.after_event(incident)),
        *_of_document(rest, reader.document(incident)),
        *_of_table(rest, reader.rows(incident)),
        *_of_lines(rest, reader.objects(incident)),
        *_of_markdown(rest, reader.markdown(incident)),
        *_of_messages(rest, reader.mail(incident)),
    ]


def _of_page(rest: RestFacts, page: PageFacts | None) -> Iterator[str]:
    if rest.header is None or page is None:
        if rest.header is not None or page is not None:
            yield "page: found, and REST does not find it, or the other way round"
        return
    yield from _words("page", rest, page, "ev", "mo", "no", "li")
    names = {each["slug"]: each["name"] for each in rest.header["parties"]}
    held = {(names[slug], *more) for slug, *more in rest.held}
    if page.held != held:
        yield f"page: holds {sorted(page.held)}, REST {sorted(held)}"
    yield from _of_sessions(rest, page)
    for words in (rest.header["title"], rest.header["restart"]["text"], *names.values()):
        if words not in page.text:
            yield f"page: lacks {words!r}"
    if rest.header["culprits"] is None and "gpu00" in rest.header["title"]:
        yield "REST: a title that blames whom the culprits hide"


def _of_sessions(rest: RestFacts, page: PageFacts) -> Iterator[str]:
    for session in rest.shared_sessions:
        told = [session["name"], *session["hosts"], f"{session['host_count']} host"]
        if not all(each in page.text for each in told):
            yield f"page: lacks the session {told}"


def _of_stream(rest: RestFacts, page: PageFacts | None) -> Iterator[str]:
    if rest.header is not None and page is not None:
        yield from _words("after an event", rest, page, "mo", "no")
    elif rest.header is not None or page is not None:
        yield "after an event: found, and REST does not find it, or the other way round"


def _words(channel: str, rest: RestFacts, page: PageFacts, *kinds: str) -> Iterator[str]:
    shown, told = marks_in(page.text, *kinds), rest.words(*kinds)
    if shown != told:
        yield f"{channel}: more {sorted(shown - told)}, lacks {sorted(told - shown)}"
    for word in sorted(shown & told):
        if (text := " ".join(rest.texts[word].split())) not in page.text:
            yield f"{channel}: says {word} in other words than {text!r}"


def _of_document(rest: RestFacts, document: Mapping[str, Any] | None) -> Iterator[str]:
    if document is None or rest.header is None:
        if document is not None or rest.header is not None:
            yield "file: found, and REST does not find it, or the other way round"
        return
    written, header = bare(document["incident"]), bare(rest.header)
    if written != header:
        names = {name for name in header if written.get(name) != header[name]}
        yield f"file: the header differs in {sorted(names)}"
    for name in ("hypotheses", "timeline", "annotations", "shared_sessions"):
        if bare(document[name]) != bare(getattr(rest, name)):
            yield f"file: {name} differ"


def _of_table(rest: RestFacts, rows: list[dict[str, str]]) -> Iterator[str]:
    told = rest.words("ev", "mo", "no")
    written = {word: row["text"] for row in rows for word in marks_in(row["text"])}
    if set(written) != told:
        yield f"table: more {sorted(set(written) - told)}, lacks {sorted(told - set(written))}"
    sessions = [row["name"] for row in rows if row["section"] == "session"]
    if sessions != [each["name"] for each in rest.shared_sessions]:
        yield f"table: tells of the sessions {sessions}"
    yield from (
        f"table: says {word} in other words than {rest.texts[word]!r}: {text!r}"
        for word, text in written.items()
        if word in told and text != rest.texts[word]
    )


def _of_lines(rest: RestFacts, objects: list[dict[str, Any]]) -> Iterator[str]:
    """Compare what a line each says, without the section and the incident that it is of."""
    told = defaultdict(list)
    for each in objects:
        section = each.pop("section")
        told[section].append(bare(each))
    if rest.header is None:
        if objects:
            yield "NDJSON: found, and REST does not find it"
        return
    if told["incident"] != [bare(rest.header)]:
        yield "NDJSON: the header differs"
    for name, section in IN_LINES.items():
        wanted = [bare(each) | {"incident": rest.header["id"]} for each in getattr(rest, name)]
        if told[section] != wanted:
            yield f"NDJSON: {section} lines differ"


def _of_markdown(rest: RestFacts, text: str) -> Iterator[str]:
    if rest.header is None:
        if text:
            yield "Markdown: found, and REST does not find it"
        return
    shown, told = marks_in(text), rest.words("ev", "mo", "no")
    if shown != told:
        yield f"Markdown: more {sorted(shown - told)}, lacks {sorted(told - shown)}"
    for word in sorted(shown & told):
        if plain(rest.texts[word]) not in text:
            yield f"Markdown: says {word} in other words than {rest.texts[word]!r}"
    names_of = {each["slug"]: each["name"] for each in rest.header["parties"]}
    held = [
        f"- {each['side']}: {each['count']} held by "
        f"{plain(names_of.get(each['organization'], each['organization']))}, not shown"
        for hypothesis in rest.hypotheses
        for each in hypothesis["held"]
    ]
    if sorted(HELD_IN_MARKDOWN.findall(text)) != sorted(held):
        yield f"Markdown: holds other than {held}"
    names = [rest.header["title"], *(each["name"] for each in rest.shared_sessions)]
    yield from (f"Markdown: lacks {name!r}" for name in names if plain(name) not in text)


def _of_messages(
    rest: RestFacts, told: tuple[dict[str, Any], Mapping[str, str]] | None
) -> Iterator[str]:
    if told is None or rest.header is None:
        if told is not None:
            yield "message: told of what REST does not find"
        return
    body, letter = told
    yield from _of_webhook(rest.header, body)
    yield from _of_letter(rest.header, letter)
    if marks_in(str(told)):
        yield f"message: holds facts {sorted(marks_in(str(told)))}"


def _of_webhook(header: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[str]:
    for name in SAME_IN_MESSAGES:
        if _named(body[name]) != _named(header[name]):
            yield f"webhook: {name} is {body[name]!r}, in REST {header[name]!r}"


def _named(value: Any) -> Any:
    """Return parts without what they leave open, which REST sends as null."""
    if not isinstance(value, list):
        return value
    return [{name: told for name, told in each.items() if told is not None} for each in value]


def _of_letter(header: Mapping[str, Any], letter: Mapping[str, str]) -> Iterator[str]:
    told = {"title": header["title"], "advice": header["restart"]["text"]}
    for name, text in told.items():
        if letter[name] != text:
            yield f"letter: {name} is {letter[name]!r}, in REST {text!r}"
    hosts = [each["host"] for each in header["culprits"] or ()]
    if not all(host in letter["Blamed"] for host in hosts):
        yield f"letter: blames {letter['Blamed']!r}, REST {hosts}"
    if not hosts and "gpu00" in str(letter):
        yield f"letter: names a host that REST hides: {letter}"
