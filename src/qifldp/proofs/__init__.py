"""The paper's statements as claims: each with a check that earns its outcome, and an altered form that must fail."""
