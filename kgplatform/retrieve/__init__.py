"""Finding candidates for evidence, within a budget, from what the caller may see."""
