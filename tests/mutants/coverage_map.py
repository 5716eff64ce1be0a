"""Which test files touch a module: its own, those that import it, those of its folder, then others.

Others are called alike, import what imports it, or lie where a folder above its own is mirrored.
"""

import ast
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

MOST_FILES = 30
APART = ("bench", "census", "chaos", "e2e", "image", "live", "score", "walk")  # or slow
MOST_STEPS = 4
THROUGH_HTTP = ("api", "web")
TOPS = ("apps", "tests")
COMMANDS = "management.commands."


def files_for(*, root: Path, module: Path) -> tuple[Path, ...]:
    """Return the files of tests for a module, both relative to `root`, the closest first."""
    own = [one for one in _files(root) if one.stem == f"test_{module.stem}"]
    near = [one for one in own if module.parent.name in one.parts]
    importing, mirroring = [*_importing(root, module)], [*_mirroring(root, module)]
    alike = [one for one in _files(root) if _is_alike(one, module)]
    rings = [*importing[:1], alike, *mirroring[:1], *importing[1:], *mirroring[1:]]
    closest_first = (sorted(ring, key=lambda one: -_likeness(one, module)) for ring in rings)
    return tuple(dict.fromkeys(chain(near, *closest_first)))[:MOST_FILES]


@lru_cache
def _files(root: Path) -> tuple[Path, ...]:
    found = sorted(one.relative_to(root) for one in (root / "tests").rglob("test_*.py"))
    return tuple(one for one in found if one.parts[1] not in APART)


@cache
def _imports(path: Path) -> frozenset[str]:
    """Return what a file imports, also as members of their package, and the commands it runs."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("call_command"):
            named = [one.value for one in node.args[:1] if isinstance(one, ast.Constant)]
            found |= {COMMANDS + one for one in named if isinstance(one, str)}
    return frozenset(found)


def _importing(root: Path, module: Path) -> Iterable[list[Path]]:
    """Yield the tests that import a module, then those that import what imports it, and so on."""
    ring = _names(module)
    for _ in range(MOST_STEPS):
        yield [one for one in _files(root) if ring & _imports(root / one)]
        beyond = [_names(one) for one in _modules(root) if ring & _imports(root / one)]
        ring = frozenset(chain(*beyond))


@lru_cache
def _modules(root: Path) -> tuple[Path, ...]:
    """Return what may stand between: the code, and what tests share."""
    found = sorted(one.relative_to(root) for top in TOPS for one in (root / top).rglob("*.py"))
    return tuple(one for one in found if not one.stem.startswith("test_"))


def _names(module: Path) -> frozenset[str]:
    """Return what a module is imported as, or run as."""
    dotted = ".".join(module.with_suffix("").parts)
    return frozenset({dotted, dotted[dotted.rfind(COMMANDS) :] if COMMANDS in dotted else dotted})


def _mirroring(root: Path, module: Path) -> Iterable[list[Path]]:
    """Yield the tests that lie where a module's folder is mirrored, then the folder above it."""
    folder = module.parent.parts[1:]  # without `apps`
    for depth in range(len(folder), 0, -1):
        above = folder[:depth]
        yield [one for one in _files(root) if one.parent.parts[-depth:] == above]


def _is_alike(test: Path, module: Path) -> bool:
    """Say whether a test of the same app or through HTTP is called like a module."""
    is_near = bool({module.parts[1], *THROUGH_HTTP} & set(test.parts))
    return is_near and bool(_words(Path(test.stem)) & _words(Path(module.stem)))


def _likeness(test: Path, module: Path) -> int:
    """Return how many words the names of a test and of a module share."""
    return len(_words(test) & _words(module))


def _words(path: Path) -> set[str]:
    found = {word for part in path.with_suffix("").parts for word in part.split("_")}
    return {word.removesuffix("s") for word in found} - {"test", "app"}
