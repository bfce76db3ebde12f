"""Reports as text, ANSI or Markdown: blocks, the tables and charts in them, and the renderers.

A command or a plugin yields `blocks`; `layout` renders them for an output target of `terminal`. Nothing here imports
Textual.
"""
