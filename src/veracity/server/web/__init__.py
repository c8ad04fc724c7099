"""Pages: what people see in a browser, rendered on the server; one file per page."""
