"""Everything that can be measured on a channel: vulnerability, capacity, information, trade-off curves."""
