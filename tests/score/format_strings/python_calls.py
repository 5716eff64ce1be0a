"""Python sources → the texts of what they raise and log as errors."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.score.format_strings.sample_texts import WORDS

LOGGED = frozenset({"error", "exception", "critical", "fatal"})


@dataclass(frozen=True, kw_only=True)
class FoundText:
    """What is raised (with the exception's name) or logged, with made-up values."""

    exception: str  # empty where it is logged
    texts: Sequence[str]
    function: str


def texts(source: str) -> Iterator[FoundText]:
    """Yield what a source raises or logs, where it says something."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from _of_call(node.exc, exception=ast.unparse(node.exc.func))
        elif isinstance(node, ast.Call) and _logs(node.func):
            yield from _of_call(node, exception="")


def _logs(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr in LOGGED
        and isinstance(function.value, ast.Name)
        and "log" in function.value.id.lower()
    )


def _of_call(call: ast.Call, *, exception: str) -> Iterator[FoundText]:
    if not call.args:
        return
    said = [_text(call.args[0], word) for word in (*WORDS, "17")]
    if any(any(letter.isalpha() for letter in one) for one in said):
        yield FoundText(exception=exception, texts=said, function="")


def _text(node: ast.expr, word: str) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(one, word) for one in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left, word) + (
            _text(node.right, word) if isinstance(node.op, ast.Add) else ""
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _text(node.func.value, word)
    return word
