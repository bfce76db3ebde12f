"""The Scalars dashboard: one line chart a tag."""
