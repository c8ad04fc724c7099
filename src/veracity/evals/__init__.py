"""Evaluation: gold questions through the modes of the runtime, scored honestly, resumable, reported for people."""
