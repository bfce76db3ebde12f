"""Readers of the files of a projector: configurations, tensors, metadata, sprites, checkpoints, bookmarks."""
