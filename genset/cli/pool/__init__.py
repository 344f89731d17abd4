"""Commands that fill the pool and keep it: photos searched, added, removed, pulled."""
