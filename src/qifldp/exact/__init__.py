"""Numbers: budgets as they were given, exact rationals, balls, and doubles that are rounded balls."""
