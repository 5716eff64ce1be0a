"""The faults that can be put into a module: conditions turned round, bounds moved by one."""

import ast
from collections.abc import Iterator
from copy import copy as shallow_copy
from copy import deepcopy
from dataclasses import dataclass, field

TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One change of a module, named so that moving lines around keeps its name."""

    line: int
    was: str
    now: str
    tree: ast.Module = field(repr=False, compare=False)  # of the module without it
    index: int = field(repr=False, compare=False)  # of the changed node, by its place in the walk
    changed: ast.expr = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """Return what is changed into what."""
        return f"{self.was} -> {self.now}"

    @property
    def mutated(self) -> ast.Module:
        """Return the whole module with the fault in it; of most nobody asks."""
        return _with(self.tree, self.index, self.changed)


def faults_of(*, source: str) -> Iterator[Fault]:
    """Yield every fault that can be put into a module, in the order of its lines."""
    tree = ast.parse(source)
    for index, node in enumerate(ast.walk(tree)):
        for changed in _changed(node):
            yield Fault(
                line=getattr(node, "lineno", 0),
                was=ast.unparse(node),
                now=ast.unparse(changed),
                tree=tree,
                index=index,
                changed=changed,
            )


def _changed(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.BoolOp):
        turned = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.BoolOp(op=turned, values=node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            operators = [*node.ops[:at], TURNED[type(operator)](), *node.ops[at + 1 :]]
            yield ast.Compare(left=node.left, ops=operators, comparators=node.comparators)
        yield from _moved(node)


def _moved(node: ast.Compare) -> Iterator[ast.Compare]:
    """Yield a comparison with each of its whole numbers one higher."""
    for at, bound in enumerate(node.comparators):
        if isinstance(bound, ast.Constant) and type(bound.value) is int:
            other = [*node.comparators]
            other[at] = ast.Constant(bound.value + 1)
            yield ast.Compare(left=node.left, ops=node.ops, comparators=other)


def _with(tree: ast.Module, index: int, changed: ast.expr) -> ast.Module:
    """Return a copy of a module in which one node, by its place in the walk, is another."""
    copy = deepcopy(tree)
    wanted = next(node for at, node in enumerate(ast.walk(copy)) if at == index)

    put = ast.copy_location(shallow_copy(changed), wanted)

    class Replacer(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return put if node is wanted else self.generic_visit(node)

    Replacer().visit(copy)  # in place: the module itself is no condition
    return ast.fix_missing_locations(copy)
