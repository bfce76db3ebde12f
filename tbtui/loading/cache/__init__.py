"""Cache of run contents on disk, so that a log directory opens without reading it anew."""
