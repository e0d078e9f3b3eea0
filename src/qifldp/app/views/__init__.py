"""What the explorer shows, one module for each view."""
