"""Which test files touch a module: its own, those that import it, then those of its folder."""

import ast
from functools import cache, lru_cache
from pathlib import Path

MOST_FILES = 8
APART = ("bench", "chaos", "e2e", "image", "live", "score", "walk")  # of other targets, or slow


def files_for(*, root: Path, module: Path) -> tuple[Path, ...]:
    """Return the files of tests for a module, both relative to `root`, the closest first."""
    dotted = ".".join(module.with_suffix("").parts)
    every = _files(root)
    own = [one for one in every if one.stem == f"test_{module.stem}"]
    near = [one for one in own if module.parent.name in one.parts]
    direct = [one for one in every if dotted in _imports(root / one)]
    beside = [one for one in every if _is_beside(one, module)]
    return tuple(dict.fromkeys([*near, *direct, *beside]))[:MOST_FILES]


@lru_cache
def _files(root: Path) -> tuple[Path, ...]:
    found = sorted(one.relative_to(root) for one in (root / "tests").rglob("test_*.py"))
    return tuple(one for one in found if one.parts[1] not in APART)


@cache
def _imports(path: Path) -> frozenset[str]:
    """Return the modules that a file imports, also as members of their package."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return frozenset(found)


def _is_beside(test: Path, module: Path) -> bool:
    """Say whether a test lies where the module's folder is mirrored."""
    folder = module.parent.parts[1:]  # without `apps`
    return test.parent.parts[-len(folder) :] == folder if folder else False
