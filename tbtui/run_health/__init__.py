"""Health of runs: progress, restarts, silences, and anomalies of their values."""
