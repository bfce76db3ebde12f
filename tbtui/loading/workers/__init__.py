"""Worker processes that read whole runs in parallel with the loader."""
