"""View models shared by panes: the snapshot seen through the settings, run names and trees, cards, axes."""
