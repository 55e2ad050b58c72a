"""Reading: what one principal sees at one time, and what of it is unread."""
