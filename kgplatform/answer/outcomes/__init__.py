"""What an answer says, by its outcome."""
