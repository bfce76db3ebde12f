"""`tbtui --demo`: simulated training runs, written as real event files while the dashboard shows them."""
