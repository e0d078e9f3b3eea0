"""Comparisons: several protocols on one domain, what each leaks and how well each estimates."""
