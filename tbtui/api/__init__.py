"""What `tbtui.open` gives a program: runs, tags and values as numpy arrays, read when they are asked for."""
