"""Put a change into modules that are loaded: nothing has to be imported again to try it."""

import sys
from types import FunctionType, ModuleType
from typing import Any

from tests.mutants.changes import Change


def put_in(change: Change) -> None:
    """Change the module in this process, for good: functions, methods, and what stands outside.

    Whoever imported a function or a class has the same one as before, whose code is another.
    """
    name = change.module.removesuffix(".py").replace("/", ".")
    there, new = sys.modules[name], ModuleType(name)
    new.__file__ = there.__file__
    exec(compile(change.tree, change.module, "exec"), new.__dict__)
    for word, value in vars(new).items():
        old = vars(there).get(word)
        if getattr(value, "__module__", None) == name:
            _become(old, value)
        elif not change.place and not word.startswith("__") and not _is_code(value):
            _replace(word, old, value)


def _is_code(value: object) -> bool:
    return isinstance(value, ModuleType | type) or callable(value)


def _replace(word: str, old: object, value: object) -> None:
    """A constant, wherever it was imported by its name."""
    for module in list(sys.modules.values()):
        ours = getattr(module, "__name__", "").startswith(("genset", "tests"))
        if ours and vars(module).get(word) is old and old is not None:
            setattr(module, word, value)


def _become(old: Any, new: Any) -> None:
    if isinstance(new, type) and isinstance(old, type):
        for word, value in vars(new).items():
            if _is_code(value) or isinstance(value, property | classmethod | staticmethod):
                _become(vars(old).get(word), value)
            elif isinstance(value, bool | int | float) and vars(old).get(word) != value:
                setattr(old, word, value)
    elif isinstance(new, property):
        _become(old.fget, new.fget)
    elif isinstance(new, classmethod | staticmethod):
        _become(old.__func__, new.__func__)
    elif isinstance(new, FunctionType) and isinstance(old, FunctionType):
        if hasattr(new, "__wrapped__"):
            _become(old.__wrapped__, new.__wrapped__)
        else:
            old.__code__, old.__defaults__ = new.__code__, new.__defaults__
            old.__kwdefaults__ = new.__kwdefaults__
    elif hasattr(new, "__wrapped__"):  # by functools.cache
        old.cache_clear()
        _become(old.__wrapped__, new.__wrapped__)
