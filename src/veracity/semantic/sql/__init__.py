"""A checked query -> one SELECT in which no join multiplies rows."""
