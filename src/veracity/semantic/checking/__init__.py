"""A query checked against a model: names resolved, ways filled in, the ontology's rules kept."""
