"""Small Markdown: what it makes of what people write, and of what nobody should."""

import re
import time

import pytest

from apps.web.annotations.markdown import rendered, words_in

LINKS = {"INC-7K3F2A": "/o/x/incidents/INC-7K3F2A/", "gpu071": "/o/x/sessions/S-1/"}


def _html(text: str) -> str:
    return rendered(text, links=LINKS, mentioned=["aurora"]).strip()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("**b** *i* `c*`", "<p><strong>b</strong> <em>i</em> <code>c*</code></p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("```\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>"),
        ("# no heading", "<p># no heading</p>"),
        ("see INC-7K3F2A.", '<p>see <a href="/o/x/incidents/INC-7K3F2A/">INC-7K3F2A</a>.</p>'),
        ("on gpu071, gpu072", '<p>on <a href="/o/x/sessions/S-1/">gpu071</a>, gpu072</p>'),
        ("`gpu071`", "<p><code>gpu071</code></p>"),
        ("@aurora @other", '<p><strong class="mention">@aurora</strong> @other</p>'),
        ("a_b_c", "<p>a_b_c</p>"),
    ],
)
def test_what_people_write(text: str, html: str) -> None:
    assert _html(text) == html


@pytest.mark.parametrize(
    "text", ["[a](https://a.example/x?y=1)", "https://a.example/x?y=1", "<https://a.example/x?y=1>"]
)
def test_links_elsewhere_say_that_nobody_vouches_for_them(text: str) -> None:
    html = _html(text)
    assert 'href="https://a.example/x?y=1"' in html
    assert 'rel="noopener nofollow noreferrer"' in html


def test_a_full_stop_behind_a_link_ends_the_sentence() -> None:
    assert 'href="https://a.example/x"' in _html("(see https://a.example/x).")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '"><svg onload=alert(1)>',
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](\x01javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:x)",
        "[x](//elsewhere.example)",
        "<javascript:alert(1)>",
        "![x](https://a.example/pixel.png)",
        '[x](https://a.example/"onmouseover="alert(1))',
        "[x](https://a.example 't\" onclick=\"alert(1)')",
        'https://a.example/"onmouseover="alert(1)',
        '```html" onclick="x\n<b>\n```',
        "[a]: javascript:alert(1)\n\n[a]",
    ],
)
def test_hostile_text_makes_no_element_and_no_attribute_of_its_own(text: str) -> None:
    html = _html(text)
    tags = re.findall(r"<[^>]*>", html)
    assert not re.search(r"<(?!/?(?:p|br|strong|em|code|pre|ul|ol|li|blockquote|a)\b)", html)
    for tag in tags:
        names = re.findall(r'\s([\w-]+)="[^"]*"', tag)
        assert set(names) <= {"href", "rel", "title", "class", "start"}, tag
        assert not re.search(r'href="(?!https?://|/o/)', tag), tag


@pytest.mark.parametrize(
    "piece", ["[", "*", "_a*b", "`", "> ", "- ", "![](", "<a", "@a", "a.1-", "https://", "(\\"]
)
def test_no_text_takes_long(piece: str) -> None:
    began = time.process_time()
    _html((piece * 10_000)[:10_000])
    words_in((piece * 10_000)[:10_000])
    assert time.process_time() - began < 2


def test_words_that_may_name_something_have_a_digit_or_are_ids() -> None:
    text = "run-17 on gpu071.rack3 of Aurora, INC-7K3F2A, INC-BGAGQD! a@b7.example /tmp/x9"
    assert words_in(text) == {"run-17", "gpu071.rack3", "INC-7K3F2A", "INC-BGAGQD"}
