"""The protocols: small frozen descriptions, each with its channel, its profile and its estimator's variance."""
