"""The Textual app: screen, sidebar, tabs, help, status line, and the bridge from the loader thread."""
