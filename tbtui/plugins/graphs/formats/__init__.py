"""File formats of graphs: GraphDef, Keras JSON and run metadata to read; DOT, Mermaid, JSON and pbtxt to write."""
