"""What was read of runs, kept on disk: a second look at a log directory reads only what has been added since."""
