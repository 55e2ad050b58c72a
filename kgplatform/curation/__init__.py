"""What stewards look at and decide."""
