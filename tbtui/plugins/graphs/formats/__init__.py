"""Formats of graphs: GraphDef, run metadata, Keras models, text format, DOT, Mermaid and JSON."""
