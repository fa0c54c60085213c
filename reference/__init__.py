"""Independent implementations of the dynamics: numpy, scipy and mpmath, nothing of `spec`."""
