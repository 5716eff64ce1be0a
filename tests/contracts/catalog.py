"""The Korean catalog: as written, as compiled, and the texts that the code asks it for."""

import ast
import gettext
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation.template import templatize

from portal.texts import texts

ROOT = Path(__file__).parents[2]
WRITTEN = ROOT / "portal/locale/ko/LC_MESSAGES/django.po"
COMPILED = WRITTEN.with_suffix(".mo")
LINE = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d\])?) (".*")')
TEXT = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
IN_TEMPLATES = re.compile(rf"\b(_|n?p?gettext)\(\s*{TEXT}(?:\s*,\s*{TEXT})?", re.DOTALL)
WITH_CONTEXT = {"pgettext", "npgettext", "pgettext_lazy", "npgettext_lazy"}
PLAIN = {"_", *(f"{n}gettext{lazy}" for n in ("", "n") for lazy in ("", "_lazy")), "gettext_noop"}
PLACEHOLDER = re.compile(r"%\(\w+\)[-0-9.]*[a-z]|\{\w*\}|%%")
Key = tuple[str, str]  # context, text


@dataclass(slots=True, kw_only=True)
class Translation:
    """One entry of the catalog."""

    context: str = ""
    text: str = ""
    plural: str = ""
    said: str = ""
    is_fuzzy: bool = False

    @property
    def key(self) -> Key:
        """Return what the code asks for."""
        return (self.context, self.text)


def written() -> list[Translation]:
    """Return the entries of the catalog without its header."""
    blocks = WRITTEN.read_text("utf-8").strip().split("\n\n")
    found = [_entry(block.split("\n")) for block in blocks]
    return [entry for entry in found if entry.text]


def _entry(lines: list[str]) -> Translation:
    parts: dict[str, str] = {}
    name = ""
    for line in lines:
        match = LINE.fullmatch(line)
        if match:
            name = match[1]
            parts[name] = ast.literal_eval(match[2])
        elif line.startswith('"'):
            parts[name] += ast.literal_eval(line)
    return Translation(
        context=parts.get("msgctxt", ""),
        text=parts.get("msgid", ""),
        plural=parts.get("msgid_plural", ""),
        said=parts.get("msgstr", parts.get("msgstr[0]", "")),
        is_fuzzy=any(line.startswith("#,") and "fuzzy" in line for line in lines),
    )


def compiled() -> dict[Key, str]:
    """Return what gettext reads from the compiled catalog."""
    with COMPILED.open("rb") as file:
        told = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    plain = {key[0] if isinstance(key, tuple) else key: said for key, said in told.items()}
    pairs = {(*key.rpartition("\x04")[::2],): said for key, said in plain.items() if key}
    return {(context, text): said for (context, text), said in pairs.items()}


def wanted() -> dict[Key, str]:
    """Return every text that templates and code ask for → the file that does."""
    found: dict[Key, str] = {("", text): "apps/diagnosis/causes" for text in texts()}
    for path in _files():
        name = str(path.relative_to(ROOT))
        text = path.read_text("utf-8")
        keys = _in_code(text) if path.suffix == ".py" else _in_template(text, name)
        found |= dict.fromkeys(keys, name)
    return found


def _files() -> list[Path]:
    folders = [ROOT / "apps", ROOT / "portal", ROOT / "templates"]
    return sorted(
        path for folder in folders for path in folder.rglob("*.*")
        if path.suffix in {".py", ".html", ".txt"}
    )  # fmt: skip


def _in_template(text: str, name: str) -> Iterator[Key]:
    for match in IN_TEMPLATES.finditer(templatize(text, origin=name)):
        first, second = (ast.literal_eval(each) if each else "" for each in match.groups()[1:])
        yield (first, second) if match[1] in WITH_CONTEXT else ("", first)


def _in_code(text: str) -> Iterator[Key]:
    if "gettext" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        words = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        told = [word for word in words if isinstance(word, str)]
        if node.func.id in WITH_CONTEXT and len(told) > 1:
            yield (told[0], told[1])
        elif node.func.id in PLAIN and told and told[0]:
            yield ("", told[0])
