"""Scripts that make a shell complete the words of tbtui; each asks tbtui what fits."""
