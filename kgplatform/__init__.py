"""kgplatform: documents and records into a knowledge graph that can be trusted, and answers from it."""

__version__ = "0.1.0"
