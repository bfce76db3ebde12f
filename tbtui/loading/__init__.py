"""Finds runs in log directories, follows their growing files and fills the store."""
