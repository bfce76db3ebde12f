"""Python API: runs, tags and values of log directories as numpy arrays, read on first use."""
