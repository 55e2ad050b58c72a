"""From the text of a question to a plan: by rules, or by a language model."""
