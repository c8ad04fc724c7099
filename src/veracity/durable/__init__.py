"""Work that outlives a process: one database, one DBOS application, workers that look after several desks."""
