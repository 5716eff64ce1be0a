"""Small Markdown of annotations → HTML: bold, italics, code, lists, quotes and links, else text."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from apps.incidents.threads.mentions import MENTION

RULES: Final = (
    *("newline", "escape", "backticks", "emphasis", "link", "autolink"),
    *("list", "fence", "blockquote"),
)
REACHABLE: Final = re.compile(r"https?://", re.IGNORECASE)
INCIDENT: Final = r"INC-[0-9A-Z]{4,8}"
URL: Final = re.compile(r"https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}]")
# What may name an incident, a session or a host: its id, or a word with a digit in it.
WORD: Final = re.compile(
    rf"(?<![\w./@-])(?:{INCIDENT}(?![\w-])|(?=[\w.-]*\d)[A-Za-z][\w-]*(?:\.[\w-]+)*)"
)
PIECE: Final = re.compile(f"(?:{URL.pattern})|(?:{MENTION.pattern})|(?:{WORD.pattern})")
WORDS_LIMIT: Final = 200  # of one annotation: who lists more gets the rest as text


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text that may name an incident, a session or a host."""
    found = dict.fromkeys(match.group() for match in WORD.finditer(text))
    return frozenset(list(found)[:WORDS_LIMIT])


def rendered(text: str, *, links: Mapping[str, str], mentioned: Collection[str] = ()) -> SafeString:
    """Return a text as HTML.

    `links` are the words that become links, with their addresses, and `mentioned` the names behind
    an @ that stand out: the reader may know of them. All other words stay text.
    """
    html = PARSER.render(text, {"links": links, "mentioned": frozenset(mentioned)})
    return SafeString(html)  # the parser escapes text and takes no HTML


def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"html": False, "breaks": True}).enable(list(RULES))
    parser.validateLink = _is_reachable  # type: ignore[method-assign]  # how it is configured
    parser.core.ruler.push("references", _refer)
    parser.add_render_rule("link_open", _link_open)
    return parser


def _is_reachable(url: str) -> bool:
    return bool(REACHABLE.match(url))


def _refer(state: StateCore) -> None:
    """Put links and mentions in the place of the words that are some."""
    for block in state.tokens:
        if block.type == "inline":
            block.children = _with_references(block.children or [], state.env)


def _with_references(children: Sequence[Token], env: Mapping[str, Any]) -> list[Token]:
    found: list[Token] = []
    depth = 0
    for token in children:
        depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "text" and not depth:
            found += _pieces(token.content, env)
        else:
            found.append(token)
    return found


def _pieces(text: str, env: Mapping[str, Any]) -> list[Token]:
    found: list[Token] = []
    end = 0
    for match in PIECE.finditer(text):
        made = _piece(match.group(), env)
        if made:
            found += [_text(text[end : match.start()]), *made]
            end = match.end()
    return [*found, _text(text[end:])]


def _piece(word: str, env: Mapping[str, Any]) -> list[Token]:
    """Return what stands for a word; nothing where it stays text."""
    if REACHABLE.match(word):
        return _linked(word, word)
    if word.startswith("@"):
        is_known = word[1:] in env["mentioned"]
        return _within("strong", "strong", word, {"class": "mention"}) if is_known else []
    address = env["links"].get(word)
    return _linked(word, address) if address else []


def _linked(word: str, address: str) -> list[Token]:
    return _within("link", "a", word, {"href": address})


def _within(kind: str, tag: str, word: str, attrs: Mapping[str, str]) -> list[Token]:
    opening = Token(f"{kind}_open", tag, 1, attrs=dict(attrs))
    return [opening, _text(word), Token(f"{kind}_close", tag, -1)]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _link_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    token = tokens[index]
    if REACHABLE.match(str(token.attrs.get("href", ""))):  # elsewhere
        token.attrSet("rel", "noopener nofollow noreferrer")
    return renderer.renderToken(tokens, index, options, env)


PARSER: Final = _parser()
