"""Collecting at scale: report files, and engines that count them on one machine or on a cluster."""
