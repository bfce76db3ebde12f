"""The tab of the projector."""
