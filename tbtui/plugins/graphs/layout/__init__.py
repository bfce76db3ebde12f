"""Layered layout of diagrams: ranks, order within ranks, coordinates and routes."""
