"""`tbtui --demo`: a training that is simulated, written as real event files while one looks at it."""
