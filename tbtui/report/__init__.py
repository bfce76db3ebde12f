"""Reports as text, ANSI or Markdown: blocks, the tables and charts in them, and the renderers.

A command or a plugin yields `blocks`; `renderer` renders them for an output target of `terminal`. The package does not
import Textual.
"""
