"""Encoders beside the one that is built in."""
