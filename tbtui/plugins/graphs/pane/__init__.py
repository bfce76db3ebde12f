"""The pane of the Graphs tab. Only `session` and `writing` import no Textual."""
