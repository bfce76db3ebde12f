"""Figures of charts as SVG and PNG."""
