"""The refresh sweep: a small transformer under TRL, its exact twin, and what the paper's lag predicts for both."""
