"""Who takes answers packed gets pages, their files and JSON so; streams and pieces stay plain."""

import gzip
from collections.abc import Callable
from pathlib import Path

import plotly
import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory

from apps.operations.http.compression import Compressed

TEXT = "GPU 5 of gpu071 fell off the bus. " * 40
SCRIPTS = Path(settings.BASE_DIR) / "static" / "plotly"


def sent(answer: HttpResponseBase, *, taking: str = "gzip") -> HttpResponseBase:
    asked = RequestFactory().get("/", headers={"Accept-Encoding": taking})
    give: Callable[[HttpRequest], HttpResponseBase] = lambda _request: answer  # noqa: E731
    packed = Compressed(give)(asked)
    assert isinstance(packed, HttpResponseBase)
    return packed


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json", "text/css"])
def test_pages_and_json_are_packed(kind: str) -> None:
    answer = sent(HttpResponse(TEXT, content_type=kind))
    assert answer["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer["Vary"]
    assert isinstance(answer, HttpResponse)
    assert len(answer.content) < len(TEXT) / 3
    assert gzip.decompress(answer.content).decode() == TEXT


def test_who_does_not_take_it_gets_it_plain() -> None:
    answer = sent(HttpResponse(TEXT), taking="identity")
    assert "Content-Encoding" not in answer
    assert isinstance(answer, HttpResponse)
    assert answer.content.decode() == TEXT


@pytest.mark.parametrize(
    "answer",
    [
        StreamingHttpResponse([TEXT.encode()], content_type="text/event-stream"),
        StreamingHttpResponse([TEXT.encode()], content_type="text/csv"),
        StreamingHttpResponse([TEXT.encode()], content_type="application/json"),
        HttpResponse(TEXT, content_type="application/octet-stream"),
        HttpResponse(TEXT, content_type="text/html", status=206),
    ],
    ids=["stream", "export", "answer that waits", "file", "piece"],
)
def test_what_comes_piece_by_piece_stays_plain(answer: HttpResponseBase) -> None:
    assert "Content-Encoding" not in sent(answer)


def test_the_script_of_charts_is_that_of_the_installed_package_and_may_be_kept_for_good() -> None:
    (folder,) = SCRIPTS.iterdir()
    whole = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    with whole.open(encoding="utf-8") as text:
        assert f"v{folder.name}" in text.read(200)
    with (folder / "plotly-basic.min.js").open(encoding="utf-8") as text:
        # Read only where nothing stands before it; without, the page waits for a long compilation.
        assert text.readline() == "//# allFunctionsCalledOnLoad\n"
        assert f"v{folder.name}" in text.read(200)
    address = f"/static/plotly/{folder.name}/plotly-basic.min.js"
    answer = Client().get(address, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert "immutable" in answer["Cache-Control"]
    assert answer["Content-Encoding"] == "gzip"
    packed = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    assert len(packed) < 500_000
    assert gzip.decompress(packed) == (folder / "plotly-basic.min.js").read_bytes()
