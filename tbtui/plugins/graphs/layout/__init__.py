"""Layered layout of graphs: ranks, order, coordinates and routing of edges."""
