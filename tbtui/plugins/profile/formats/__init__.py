"""Readers of the files of profilers; each returns a `Trace`."""
