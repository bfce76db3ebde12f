"""Cache of run contents on disk, so that an unchanged log directory opens without reading it again."""
