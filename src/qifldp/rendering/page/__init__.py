"""The comparison page: one self-contained HTML file for a decision meeting, and the charts in it."""
