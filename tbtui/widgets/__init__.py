"""Reusable Textual widgets; they draw what they are given and gather nothing."""
