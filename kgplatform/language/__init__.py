"""What reading texts and reading questions share: the words of the ontology, and dates."""
