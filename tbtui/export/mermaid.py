"""A graph as a Mermaid flowchart: boxes, and subgraphs for the scopes that are open.

Mermaid draws no more than a few hundred boxes (`maxEdges` is 500, `maxTextSize` 50,000 characters), so that large
graphs are written with scopes closed. Source: mermaid.js.org `syntax/flowchart`: in quotes `#35;` is the character of
that number; icons, Markdown, HTML, formulas and directives are all begun by signs that are written so here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tbtui.export.dot import box_lines
from tbtui.export.names import printable
from tbtui.export.outline import Holds, Opens, Outline

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tbtui.graphs.hierarchy import Hierarchy

INDENT = "    "

_MEANING = re.compile(r"[^\w ()\[\]+,\-./=?×→·…]|(?<![^\W_])_|_(?![^\W_])")
"""What may mean something to Mermaid in quotes: signs that are not listed, and `_` but between letters."""

_LIST = re.compile(r"^(\d*)([-+.)])(?=\s|$)")
"""What begins a list of Markdown."""

_SHAPES = {"scope": ("[[", "]]"), "series": ("[[", "]]"), "function": ("[[", "]]"), "input": ("([", "])")}
_SHAPES["output"] = _SHAPES["input"]


def quoted(*lines: str) -> str:
    """Lines of any text in quotes, meaning nothing but themselves."""
    return '"' + "<br/>".join(map(_escaped, lines)) + '"'


def _escaped(line: str) -> str:
    written = _MEANING.sub(lambda found: f"#{ord(found[0])};", printable(line))
    return _LIST.sub(lambda found: f"{found[1]}#{ord(found[2])};", written)


def mermaid(hierarchy: Hierarchy, title: str, opened: AbstractSet[int]) -> Iterator[str]:
    """The graph with some scopes open, line by line.

    Args:
        hierarchy: Of the graph.
        title: Any text that says which graph it is.
        opened: Scopes, series and functions whose inside is written.
    """
    outline = Outline(hierarchy, opened)
    yield f"flowchart TB\n{INDENT}accTitle: {_escaped(title)}\n"
    depth = 1
    for part in outline.parts():
        if isinstance(part, Opens):
            yield f"{INDENT * depth}subgraph s{part.item}[{quoted(hierarchy.leaf(part.item))}]\n"
            depth += 1
        elif isinstance(part, Holds):
            left, right = _SHAPES.get(hierarchy.kind(part.item), ("[", "]"))
            yield f"{INDENT * depth}n{part.item}{left}{quoted(*box_lines(hierarchy, part.item))}{right}\n"
        else:
            depth -= 1
            yield f"{INDENT * depth}end\n"
    for link in outline.links():
        arrow = "-.->" if link.control else "-->"
        label = f"|{quoted(link.label)}|" if link.label else ""
        yield f"{INDENT}n{link.source} {arrow}{label} n{link.target}\n"
