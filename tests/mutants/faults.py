"""The faults that can be put into a module: conditions turned round, bounds moved by one."""

import ast
from collections.abc import Iterator
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
    index: int = field(repr=False, compare=False)  # of the changed node, by its place in the walk
    changed: ast.expr = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """Return what is changed into what."""
        return f"{self.was} -> {self.now}"


def faults_of(*, source: str) -> Iterator[Fault]:
    """Yield every fault that can be put into a module, in the order of its lines."""
    for index, node in enumerate(ast.walk(ast.parse(source))):
        for changed in _changed(node):
            yield Fault(
                line=getattr(node, "lineno", 0),
                was=ast.unparse(node),
                now=ast.unparse(changed),
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
