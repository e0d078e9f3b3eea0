"""Measuring a mechanism as a black box: what its reports leak at least, with statistics that hold."""
