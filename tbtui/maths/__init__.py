"""Maths on arrays: smoothing, decimation, quantiles, domains. Knows numpy and nothing else."""
