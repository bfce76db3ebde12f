"""The pane of the Text tab: its session, its list, its page and the controller."""
