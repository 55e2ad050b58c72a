"""Answers: what was found, said in a sentence along its path, with every source behind it."""
