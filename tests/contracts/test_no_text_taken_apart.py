"""Nothing that is said to people is taken apart again: facts are passed, words are made at the
edge.

Read in the code of every app that shows or stores what is said: whoever asks a pattern, or looks
in a text for English words, stands below with what it reads instead of our own sentences.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

APPS = Path(__file__).parents[2] / "apps"
FOLDERS = ("api", "incidents", "notifications", "offline", "web", "wording")
MATCHING = frozenset({"findall", "finditer", "fullmatch", "match", "search", "sub"})
LOOKING = frozenset(
    {
        *("startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "replace"),
        *("partition", "rpartition", "split", "rsplit"),
    }
)
# A space beside a small letter: `"; "` and `"T"` are no words.
WORDS = re.compile(r" [a-z]|[a-z] ")
# Where a pattern is asked, and what it reads.
READS: Mapping[str, str] = {
    "incidents/exports/formats/markdown.py": "signs of Markdown in names, which are escaped",
    "incidents/projection/shared/hosts_in_words.py": "what people wrote: the hosts that it names",
    "incidents/threads/mentions.py": "what people wrote: whom it names",
    "incidents/words/titles.py": "the names of sessions: a digest of an upload",
    "notifications/delivery/outbound_freeze.py": "a mark that the portal left in the database",
    "offline/bundle_logs.py": "names of streams and hosts in somebody's file",
    "offline/cases.py": "files of recorded cases",
    "offline/condensed_reading.py": "lines of logs",
    "offline/management/commands/backtest.py": "what was typed",
    "offline/management/commands/collect.py": "what was typed",
    "offline/report/forms.py": "signs of Markdown in names, which are escaped",
    "offline/reading/job_files.py": "names of files: ids of jobs",
    "offline/series/series_columns.py": "columns of tables",
    "offline/series/series_tables.py": "names of files and columns",
    "web/annotations/markdown.py": "what people wrote: words that may name something",
    "web/annotations/references.py": "what people wrote: ids of incidents",
    "web/lanes/lettering.py": "letters, to measure how wide they are",
    "web/lists/fields.py": "what an address asks for: names of hosts",
    "web/shell/address_filters.py": "what an address asks for: ids",
    "web/shell/template_files.py": "the portal's own templates: how far their lines are indented",
    "wording/kinds/knowledge.py": "texts of the tables, whose places are filled",
    "wording/speaker.py": "the places of our texts, before anything stands in them",
}


def _trees() -> Iterator[tuple[str, ast.Module]]:
    for folder in FOLDERS:
        for path in sorted((APPS / folder).rglob("*.py")):
            # A migration reads what former versions wrote; nothing else may.
            if "migrations" not in path.parts:
                yield path.relative_to(APPS).as_posix(), ast.parse(path.read_text("utf-8"))


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr, node


def _asks_pattern(tree: ast.Module) -> bool:
    imported = {
        name.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    }
    return "re" in imported or any(name in MATCHING for name, _call in _calls(tree))


def _looked_for(tree: ast.Module) -> Iterator[str]:
    """Yield the English words that a module looks for in texts."""
    for name, call in _calls(tree):
        for given in call.args if name in LOOKING else ():
            for each in ast.walk(given):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield from [each.value] if WORDS.search(each.value) else []


def test_no_pattern_is_asked_but_of_what_others_wrote() -> None:
    assert {where for where, tree in _trees() if _asks_pattern(tree)} == set(READS)


def test_nobody_looks_for_english_words_in_a_text() -> None:
    found = {where: sorted(_looked_for(tree)) for where, tree in _trees()}
    assert {where: words for where, words in found.items() if words} == {}


def test_what_takes_a_sentence_apart_is_seen() -> None:
    parsed = ast.parse('def f(t):\n    return t.removesuffix(" explains it better")')
    assert list(_looked_for(parsed)) == [" explains it better"]
    assert _asks_pattern(ast.parse("def f(t):\n    return SAID.fullmatch(t)"))
    assert not _asks_pattern(ast.parse("def f(t):\n    return t.strip()"))
