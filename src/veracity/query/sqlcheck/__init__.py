"""Raw SQL from a model: only what is allow-listed, only what the ontology lets be said, and only as we write it."""

from veracity.query.sqlcheck.check import CheckedCondition, CheckedSql, OutputColumn, SqlReading, check_sql

__all__ = ["CheckedCondition", "CheckedSql", "OutputColumn", "SqlReading", "check_sql"]
