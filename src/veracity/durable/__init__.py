"""Work that outlives a process: one database, desks where work is submitted, workers that do it; and SQLite files."""
