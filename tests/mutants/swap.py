"""Puts a fault into code that runs: into the functions that are loaded, or at the next import."""

import ast
import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from tests.mutants.faults import Fault

# What a code object is called and where it stands, unlike its bytes, stays as it runs.
CodeKey = tuple[str, bytes, int]


class LoadedFunctions:
    """The functions of modules that are loaded, found once: the search goes over everything."""

    def __init__(self, files: frozenset[str]) -> None:
        """Look for the functions of these files."""
        self._functions: dict[str, list[FunctionType]] = {}
        for each in gc.get_objects():
            if type(each) is FunctionType and each.__code__.co_filename in files:
                self._functions.setdefault(each.__code__.co_filename, []).append(each)

    def put_in(self, fault: Fault, file: str) -> int:
        """Let functions run with a fault from now on; return how many."""
        codes = replacements(fault, file)
        found = [each for each in self._functions.get(file, ()) if _key(each.__code__) in codes]
        for each in found:
            each.__code__ = codes[_key(each.__code__)]
        return len(found)


def replacements(fault: Fault, file: str) -> Mapping[CodeKey, CodeType]:
    """Return the code with the fault for each function that holds it, itself or within."""
    before, after = (_codes(_compiled(tree, file)) for tree in (fault.tree, fault.mutated))
    return {_key(old): new for old, new in zip(before, after, strict=True) if old != new}


def _compiled(tree: ast.Module, file: str) -> CodeType:
    return compile(tree, file, "exec", dont_inherit=True)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _key(code: CodeType) -> CodeKey:
    return code.co_qualname, code.co_linetable, code.co_firstlineno


class FaultyImport(MetaPathFinder):
    """Imports one module with a fault in it."""

    def __init__(self, fault: Fault, module: Path) -> None:
        """Take the fault and its module, below the root."""
        self._fault = fault
        self._name = module_name(module)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find that module where it is, and nothing else."""
        if fullname != self._name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.origin:
            spec.loader = FaultyLoader(fullname, spec.origin, self._fault)
        return spec

    def install(self) -> None:
        """Have it asked before all others."""
        sys.meta_path.insert(0, self)


class FaultyLoader(SourceFileLoader):
    """Compiles a module with a fault in it, past what is compiled already."""

    def __init__(self, fullname: str, path: str, fault: Fault) -> None:
        """Take what is loaded from where, and the fault."""
        super().__init__(fullname, path)
        self._fault = fault

    def get_code(self, fullname: str) -> CodeType:
        """Return the module's code."""
        return _compiled(self._fault.mutated, self.path)


def module_name(module: Path) -> str:
    """Return the name a module below the root is imported by."""
    parts = module.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
