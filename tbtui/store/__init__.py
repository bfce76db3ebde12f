"""Store runs, tags and series as growable columns; readers get frozen snapshots."""
