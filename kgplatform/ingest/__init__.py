"""Bytes to readings: files, their collections and formats, and the structured claims that stand in them."""

from .files import read_paths

__all__ = ["read_paths"]
