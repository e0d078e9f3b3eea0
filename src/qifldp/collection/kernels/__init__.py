"""The hot loops, compiled by Numba. Only what draws or counts reports imports them, when it does so."""
