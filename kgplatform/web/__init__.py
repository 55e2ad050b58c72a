"""The web application of kgplatform: pages, SPARQL endpoint and JSON API."""

from .app import create_app

__all__ = ["create_app"]
