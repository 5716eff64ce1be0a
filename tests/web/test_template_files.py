"""Templates are read without their indentation, where it is no text."""

from pathlib import Path

import pytest
from django.template import Context, Engine

from tests.web.markup import one_line

LOADERS = ["apps.web.shell.template_files.Loader"]
PAGE = """<p>
    {% if shown %}
      <b
        class='a'
      >{{ words }}</b>
    {% endif %}
</p>
"""


def rendered(folder: Path, name: str, held: str, loaders: list[str] | None = None) -> str:
    (folder / name).write_text(held, encoding="utf-8")
    engine = Engine(dirs=[str(folder)], loaders=loaders or LOADERS)
    return engine.get_template(name).render(Context({"shown": True, "words": "a\n    b"}))


def test_a_page_says_the_same_in_less(tmp_path: Path) -> None:
    whole = ["django.template.loaders.filesystem.Loader"]
    short, long = (rendered(tmp_path, "page.html", PAGE, each) for each in (LOADERS, whole))
    assert len(short) < len(long)
    assert one_line(short) == one_line(long)
    assert "a\n    b" in short  # what is put into it stays


@pytest.mark.parametrize("name", ["text.txt", "code.html"])
def test_what_is_text_stays_as_it_is(tmp_path: Path, name: str) -> None:
    held = "<pre>\n    {{ words }}\n</pre>"
    assert rendered(tmp_path, name, held) == "<pre>\n    a\n    b\n</pre>"
