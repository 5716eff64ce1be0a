"""Modules that hold all their faults at once, and the switch that turns on one of them.

Each faulty condition becomes `faulty if switch(number) else as it was`, so that nothing is loaded
twice, and the switch knows which faults a test comes by at all.
"""

import ast
import builtins
import sys
from collections.abc import Mapping, Sequence
from copy import deepcopy
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import cast

from tests.mutants.faults import Fault

NAME = "__fault__"  # among the builtins, so that a module imports nothing for it


class Switch:
    """Says of a condition whether it is the faulty one now, and notes that it was asked."""

    def __init__(self, on: int | None = None) -> None:
        """No fault is on, or one from the start."""
        self.on = on
        self.asked: set[int] = set()

    def __call__(self, number: int) -> bool:
        """Return whether this fault is on."""
        self.asked.add(number)
        return number == self.on

    def install(self) -> None:
        """Let modules with faults find it."""
        setattr(builtins, NAME, self)


class FaultyImport(MetaPathFinder):
    """Imports modules with their faults in them, all turned off but one."""

    def __init__(self, faults: Mapping[Path, Mapping[int, Fault]]) -> None:
        """Take the numbered faults of each module, below the root."""
        self._faults = {module_name(module): numbered for module, numbered in faults.items()}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find these modules where they are, and nothing else."""
        if fullname not in self._faults:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.origin:
            loader = FaultyLoader(fullname, spec.origin)
            loader.faults = self._faults[fullname]
            spec.loader = loader
        return spec

    def install(self) -> None:
        """Have it asked before all others."""
        sys.meta_path.insert(0, self)


class FaultyLoader(SourceFileLoader):
    """Compiles a module with its faults in it, past what is compiled already."""

    faults: Mapping[int, Fault]

    def get_code(self, fullname: str) -> CodeType:
        """Return the module's code."""
        source = Path(self.path).read_text("utf-8")
        return compile(with_faults(source, self.faults), self.path, "exec", dont_inherit=True)


def with_faults(source: str, numbered: Mapping[int, Fault]) -> ast.Module:
    """Return a module in which each condition that may be faulty asks the switch."""
    tree = ast.parse(source)
    nodes = [*ast.walk(tree)]
    found: dict[ast.AST, list[int]] = {}
    for number, fault in numbered.items():
        found.setdefault(nodes[fault.index], []).append(number)

    class Asking(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            now: ast.AST = self.generic_visit(node)
            for number in found.get(node, ()):
                asked = ast.Call(ast.Name(NAME, ast.Load()), [ast.Constant(number)], [])
                put = deepcopy(numbered[number].changed)
                now = ast.copy_location(
                    ast.IfExp(test=asked, body=put, orelse=cast("ast.expr", now)), node
                )
            return now

    Asking().visit(tree)  # in place: the module itself is no condition
    return ast.fix_missing_locations(tree)


def module_name(module: Path) -> str:
    """Return the name a module below the root is imported by."""
    parts = module.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
