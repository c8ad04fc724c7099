"""Search results become evidence: filtered, scored against what is known, fused, diverse, explained, decided by a person."""
