"""The Custom pane: the only modules of this dashboard that import Textual."""
