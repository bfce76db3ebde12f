"""The tab of the toy dashboard."""
