"""Find runs in log directories, follow their growing files, and fill the store."""
