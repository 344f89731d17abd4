"""What can be changed in a module: one operator, constant or condition at a time."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_OPPOSITES = {"min": "max", "max": "min", "any": "all", "all": "any"}
_OPPOSITES |= {"minimum": "maximum", "maximum": "minimum", "floor": "ceil", "ceil": "floor"}


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a module.

    Attributes:
        module: its path from the root.
        line: where, from 1.
        place: the function or class that it is in, as in "Draws.order"; "" outside of all.
        before, after: the part of the line that differs, and what it becomes.
        tree: the changed module.
    """

    module: str
    line: int
    place: str
    before: str
    after: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """What it is called as long as the part that it changes stays as it is."""
        return f"{self.module} | {self.place} | {self.before} -> {self.after}"


def changes(module: str, source: str) -> Iterator[Change]:
    """Every change of a module, line by line.

    Types and docstrings stay as they are; so does the `strict` of a `zip`, which is there for
    programs that are wrong already.
    """
    tree = ast.parse(source)
    for number, (node, place, shown) in enumerate(_places(tree)):
        for variant in range(len(_variants(node))):
            changed = copy.deepcopy(tree)
            same, _, within = list(_places(changed))[number]
            _variants(same)[variant].apply()
            before, after = _text(shown), _text(within)
            if before != after:
                line: int = getattr(node, "lineno", 0)
                yield Change(module, line, place, before, after, changed)


_Place = tuple[ast.AST, str, ast.AST]


def _places(tree: ast.Module) -> Iterator[_Place]:
    """Every node that is run, where it is, and the statement or expression to show with it."""

    def below(node: ast.AST, place: str, shown: ast.AST) -> Iterator[_Place]:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_params", "decorator_list"):
                continue
            for each in value if isinstance(value, list) else [value]:
                if not isinstance(each, ast.AST) or _is_docstring(each) or _is_strict(node, each):
                    continue
                inner = place
                if isinstance(each, ast.FunctionDef | ast.ClassDef):
                    inner = f"{place}.{each.name}".lstrip(".")
                part = isinstance(each, ast.expr | ast.arguments) and hasattr(node, "body")
                new = each if part or isinstance(each, ast.stmt) else shown
                yield each, inner, new
                yield from below(each, inner, new)

    yield from below(tree, "", tree)


def _text(shown: ast.AST) -> str:
    """Of a statement with a body, the condition alone."""
    return ast.unparse(getattr(shown, "test", shown))


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_strict(node: ast.AST, part: ast.AST) -> bool:
    is_zip = isinstance(node, ast.Call) and ast.unparse(node.func) == "zip"
    return is_zip and isinstance(part, ast.keyword) and part.arg == "strict"


@dataclass(frozen=True, slots=True)
class _Variant:
    """Set an attribute of a node, or one of a list's items."""

    node: ast.AST
    name: str
    value: object
    item: int | None = None

    def apply(self) -> None:
        if self.item is None:
            setattr(self.node, self.name, self.value)
        else:
            getattr(self.node, self.name)[self.item] = self.value


def _variants(node: ast.AST) -> list[_Variant]:
    match node:
        case ast.Compare(ops=ops):
            return [
                _Variant(node, "ops", other(), place)
                for place, each in enumerate(ops)
                for other in _COMPARISONS[type(each)]
            ]
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            return [_Variant(node, "op", _OPERATORS[type(op)]())]
        case ast.BoolOp(op=op):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            return [_Variant(node, "op", other)]
        case ast.UnaryOp(op=ast.USub()):
            return [_Variant(node, "op", ast.UAdd())]
        case ast.UnaryOp(op=ast.Not() | ast.Invert() as op, operand=operand):  # twice is never
            return [_Variant(node, "operand", ast.UnaryOp(op, operand))]
        case ast.Constant(value=bool() as value):
            return [_Variant(node, "value", not value)]
        case ast.Constant(value=int() | float() as value):
            return [_Variant(node, "value", value + 1)]
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            if isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                return []
            return [_Variant(node, "test", ast.UnaryOp(ast.Not(), test))]
        case ast.Name(id=word) if word in _OPPOSITES:
            return [_Variant(node, "id", _OPPOSITES[word])]
        case ast.Attribute(attr=word) if word in _OPPOSITES:
            return [_Variant(node, "attr", _OPPOSITES[word])]
        case ast.Continue() | ast.Break():
            other = ast.Break if isinstance(node, ast.Continue) else ast.Continue
            return [_Variant(node, "__class__", other)]
        case ast.Expr(value=ast.Call()):
            return [_Variant(node, "value", ast.Constant(None))]
    return []
