"""GRPO training: the published configuration, the refresh interval as a knob, and every step measured."""
