"""No two modules import each other when they are loaded."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]


def module_name(path: Path) -> str:
    """Return the dotted name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def loaded_imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that run when a module is loaded: not those of functions or of type checking."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
            continue
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        is_for_types = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        if not is_function and not is_for_types:
            yield from loaded_imports(child)


def import_graph(sources: dict[str, str]) -> dict[str, set[str]]:
    """Return the modules that each module imports when it is loaded."""
    graph: dict[str, set[str]] = {}
    for name, source in sources.items():
        needed = graph.setdefault(name, set())
        for statement in loaded_imports(ast.parse(source)):
            if isinstance(statement, ast.Import):
                found = [alias.name for alias in statement.names]
            else:
                module = statement.module or ""
                inner = [f"{module}.{alias.name}" for alias in statement.names]
                found = [each if each in sources else module for each in inner]
            needed.update(each for each in found if each in sources and each != name)
    return graph


def test_import_graph_of_tbtui_has_no_cycle() -> None:
    sources = {module_name(path): path.read_text("utf-8") for path in (ROOT / "tbtui").rglob("*.py")}
    graph = import_graph(sources)
    assert sum(map(len, graph.values())) > len(graph), "the graph holds the imports"
    TopologicalSorter(graph).prepare()


def test_import_graph_with_cycle_is_detected() -> None:
    sources = {
        "a": "from b import c",
        "b": "import d\n",
        "d": "if TYPE_CHECKING:\n    import x\ntry:\n    from a import e\nexcept ImportError:\n    pass\n",
    }
    with pytest.raises(CycleError):
        TopologicalSorter(import_graph(sources)).prepare()


def test_import_graph_lazy_imports_are_no_cycle() -> None:
    sources = {"a": "import b", "b": "def f():\n    import a\nif TYPE_CHECKING:\n    import a\n"}
    TopologicalSorter(import_graph(sources)).prepare()
