"""Vector figures: a drawing of shapes, written as SVG or PNG."""
