"""Processes that read whole runs beside the loader's own thread."""
