"""Veracity over HTTP and in a browser: the API, the pages, the jobs, and what the processes of a server share."""
