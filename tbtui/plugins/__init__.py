"""One folder a dashboard, named as its plugin is on disk."""
