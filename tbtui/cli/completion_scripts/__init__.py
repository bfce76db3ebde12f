"""Scripts with which a shell completes arguments of tbtui; each asks tbtui for the candidates."""
