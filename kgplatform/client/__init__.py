"""The graph object over the API of a running server."""
