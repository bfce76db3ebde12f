"""What the user has chosen: runs, filters, axes, smoothing, colours; saved and restored."""
