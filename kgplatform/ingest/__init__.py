"""Bytes to readings: files, their collections and formats, and the structured claims that stand in them."""
