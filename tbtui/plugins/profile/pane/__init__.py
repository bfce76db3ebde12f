"""The pane of the Profile tab: the only modules of this dashboard that import Textual."""
