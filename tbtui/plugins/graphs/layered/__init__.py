"""Layered layout: boxes in ranks along the flow, lines in channels between them. Knows no screen, only cells."""
