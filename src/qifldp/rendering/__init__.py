"""Results for people and for programs: tables in the terminal, JSON."""
