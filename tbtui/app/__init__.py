"""The Textual app: main screen, sidebar, overlays, key bindings and the follower of the loader thread."""
