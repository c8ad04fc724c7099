"""Veracity for other agents, over the Model Context Protocol.

toolbox.py   the seven tools over one source: what each call gives back
offers.py    what a client is told about them: names, descriptions, schemas
tables.py    the tables with fields, groups and rules, for agents and for reading
prompts.py   the ontology's canonical patterns, filled by a person
server.py    all of it as a server of the official SDK; over stdio
http.py      the same over HTTP, with keys
"""
