"""The source files of the package: what they import, whether modules need each other in a circle, and the texts in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple


class Import(NamedTuple):
    path: Path
    line: int
    module: str

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line} imports {self.module}"


def sources(root: Path) -> Iterator[tuple[str, Path]]:
    """(layer, file) of every module: kgplatform/x.py and kgplatform/x/... are layer x."""
    for path in sorted((root / "kgplatform").rglob("*.py")):
        first = path.relative_to(root / "kgplatform").parts[0]
        if first not in ("__init__.py", "__main__.py", "_packs"):
            yield first.removesuffix(".py"), path


@cache
def nodes(text: str) -> tuple[ast.Import | ast.ImportFrom | ast.Attribute, ...]:
    """The imports and attribute accesses of a source text."""
    return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom | ast.Attribute))


def imports(root: Path, path: Path) -> Iterator[Import]:
    """Every import in a file, also those inside functions, with relative ones made absolute."""
    package = path.relative_to(root).parent.parts
    for node in nodes(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path, node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*above, *(node.module or "").split("."))).strip(".")
            if module in ("kgplatform", "kgplatform.web"):
                yield from (Import(path, node.lineno, f"{module}.{alias.name}") for alias in node.names)
            else:
                yield Import(path, node.lineno, module)


def layer_of(module: str) -> str | None:
    """The layer of a module of ours; None for a library's."""
    first, *rest = module.split(".")
    if first == "kgplatform.web":
        return "web"
    return rest[0] if first == "kgplatform" and rest and rest[0] != "__version__" else None


def circle(root: Path) -> list[str]:
    """Modules that need each other in a circle, the first of them at both ends; [] where there is none."""
    modules = {_module(root, path): path for _layer, path in sources(root)}
    needs = {name: set(_needed(root, path, modules)) - {name} for name, path in modules.items()}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _module(root: Path, path: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _needed(root: Path, path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """The modules of ours that a file imports, also inside functions: the one it takes a name of, or the one that it names."""
    package = _module(root, path).split(".")[: None if path.name == "__init__.py" else -1]
    for node in nodes(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join((*above, *filter(None, (node.module,))))
            named = [f"{module}.{alias.name}" for alias in node.names]
            yield from (name for name in named if name in modules)
            if module in modules and not all(name in modules for name in named):
                yield module


def written(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of every text in a file that is no docstring; an f-string as one, without what it puts in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loose:
            yield node.lineno, node.value
