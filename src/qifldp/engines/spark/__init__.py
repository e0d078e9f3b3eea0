"""Counting reports with Spark: the same counts as on one machine, bit for bit."""

from __future__ import annotations

from qifldp.engines.spark.entrance import count_reports as count_reports
