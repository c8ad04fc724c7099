"""The same truth over HTTP and in a browser: state that processes share, jobs, access, routes and pages."""
