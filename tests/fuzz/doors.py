"""What people and machines may ask for: every route, parameter, field and body, spoiled."""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import quote, urlencode

import yaml

from apps.tenancy.credentials import seal
from tests.contracts.route_matrix import PARAMETER, Route, inside
from tests.fuzz import values

ROOT: Final = Path(__file__).parents[2]
READS: Final = re.compile(r"""(?:GET|POST|given|filled|data)\.get(?:list)?\(\s*["'](\w+)["']""")
# What takes away what the others need: asked for as well, and undone.
ENDS: Final = re.compile(r"leave|remove|revoke|role|password|decline|accept|sign-out|resume")
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A request of a person or a machine."""

    method: str
    path: str
    body: bytes = b""
    content_type: str = "application/json"

    @property
    def is_kept(self) -> bool:
        """Whether what it writes may stay for the readers that come after."""
        return self.method != "DELETE" and ENDS.search(self.path) is None


def reads(*, route: Route, slug: str, ids: Mapping[str, str], random: Random) -> Ask:
    """Return a GET with odd parameters, or with odd ids in its path."""
    path = route.path(slug, dict(ids))
    if random.random() < 0.25:
        path = route.path(slug, {kind: _id(random, usual) for kind, usual in ids.items()})
    names = sorted({*parameters(), *_described(route)})
    chosen = random.sample(names, min(len(names), random.choice((1, 1, 2))))
    own = sorted(_described(route))
    if own and random.random() < 0.8:
        chosen = [random.choice(own)]
    return Ask(method="GET", path=f"{path}?{_query(chosen, random)}")


def calls(*, path: str, slug: str, ids: Mapping[str, str], random: Random) -> Iterator[Ask]:
    """Yield a spoiled request for each operation that the description has at a path."""
    for method, operation in described()["paths"][path].items():
        if method == "get":
            continue
        where = _filled(path, slug, ids)
        content = operation.get("requestBody", {}).get("content", {})
        schema = next((each["schema"] for each in content.values()), {"type": "object"})
        body = values.poisoned(sample(schema), random)
        yield Ask(method=method.upper(), path=where, body=body)


def forms(*, page: bytes) -> dict[str, dict[str, list[str]]]:
    """Return address → field → values, of the forms of a page."""
    found = _Forms()
    found.feed(page.decode(errors="replace"))
    return found.forms


def filled(*, path: str, fields: Mapping[str, Sequence[str]], random: Random) -> Ask:
    """Return a form sent with one field spoiled, or two."""
    said = {name: list(each) for name, each in fields.items()}
    for name in random.sample(sorted(said), min(len(said), random.choice((1, 1, 2)))):
        bad = random.choice((*values.TEXTS, values.TEXTS[0]))
        said[name] = random.choice(([bad], [bad, *said[name]], [], [bad] * 3))
    return Ask(
        method="POST",
        path=path,
        body=urlencode(said, doseq=True, errors="surrogatepass").encode(),
        content_type="application/x-www-form-urlencoded",
    )


@cache
def parameters() -> frozenset[str]:
    """Return every name that the code of pages and interface reads from a query or a form."""
    files = [*(ROOT / "apps" / "web").rglob("*.py"), *(ROOT / "apps" / "api").rglob("*.py")]
    return frozenset(
        name for file in files for name in READS.findall(file.read_text(encoding="utf-8"))
    )


@cache
def described() -> dict[str, Any]:
    """Return the description of the interface."""
    text = (ROOT / "docs" / "openapi.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return found


def sample(schema: Mapping[str, Any], depth: int = 0) -> Any:  # noqa: PLR0911  a case each
    """Return a value that a schema allows, or something near it."""
    if "$ref" in schema:
        return sample(
            described()["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth
        )
    for joined in ("allOf", "oneOf", "anyOf"):
        if joined in schema:
            return sample(schema[joined][0], depth)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        own = schema.get("properties", {})
        return {name: sample(each, depth + 1) for name, each in own.items()} if depth < 6 else {}
    if kind == "array":
        return [sample(schema["items"], depth + 1)]
    plain = {"integer": 1, "number": 1.5, "boolean": True, "null": None}
    return plain.get(kind, _text(schema))


def _text(schema: Mapping[str, Any]) -> str:
    usual = {
        "date-time": "2026-11-21T02:00:00Z",
        "email": "a@example.org",
        "uri": "https://a.example",
    }
    return usual.get(schema.get("format", ""), "a text")


def _described(route: Route) -> set[str]:
    path = "/" + PARAMETER.sub(r"{\2}", route.pattern)
    found = described()["paths"].get(path, {}).get("get", {}).get("parameters", [])
    return {each["name"] for each in found if each["in"] == "query"}


def _filled(path: str, slug: str, ids: Mapping[str, str]) -> str:
    pattern = path.lstrip("/").replace("{", "<str:").replace("}", ">")
    return Route(pattern=pattern).path(slug, dict(ids))


def _id(random: Random, usual: str) -> str:
    bad = random.choice((usual, usual, random.choice(values.TEXTS)[:600]))
    return quote(bad, safe="", errors="surrogatepass")


def _query(names: Sequence[str], random: Random) -> str:
    said = [(name, _cursor(random) if name == "cursor" else _value(random)) for name in names]
    if random.random() < 0.1:
        said += said
    text = urlencode(said, errors="surrogatepass")
    return text + random.choice(("", "", "", "&%ff=%fe", "&%", "&=&&;", "&a%00=1"))


def _value(random: Random) -> str:
    return random.choice(values.TEXTS)[:3000]


def _cursor(random: Random) -> str:
    said = values.as_json([values.anything(random), random.choice((1, values.anything(random)))])
    plain = [random.choice(values.TIMES), random.choice((7, 2**63, -1))]
    body = random.choice((said, values.as_json(plain), values.as_json([values.anything(random)])))
    sealed = seal(secret=body[:300].decode(errors="replace"))
    return random.choice((sealed, sealed, base64.urlsafe_b64encode(body[:300]))).decode()


class _Forms(HTMLParser):
    """Gathers the fields of forms."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, list[str]]] = {}
        self._address = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "form":
            self._address = (said.get("action") or said.get("hx-post") or "").partition("?")[0]
            if self._address:
                self.forms.setdefault(self._address, {})
        name = said.get("name")
        if self._address and name and tag in {"input", "select", "textarea", "button"}:
            self.forms[self._address].setdefault(name, []).append(said.get("value") or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._address = ""


def pages() -> list[Route]:
    """Return the routes that people look at, inside organizations."""
    return [route for route in inside() if route.is_page]


def interface() -> list[Route]:
    """Return the routes for machines, inside organizations."""
    return [route for route in inside() if not route.is_page]
