"""Arrays in, character cells out: canvas, axes, ticks, lines. Knows no widget, no run, no file."""
