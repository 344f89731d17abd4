"""The photos that a sandbox has, and what its records say of them; no source's words yet."""
