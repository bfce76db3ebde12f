"""Graphs of operations and of layers: what they mean, how deep they are nested, where their boxes lie. No files."""
