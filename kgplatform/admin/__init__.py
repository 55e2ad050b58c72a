"""Keeping a data directory: made, backed up, restored, checked, mended, exported."""
