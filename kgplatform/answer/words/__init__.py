"""How an answer is worded: plans, solutions, times and names as English."""
