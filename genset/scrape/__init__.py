"""From keywords to candidates: search, download, check, store; and what comes after.

- `queries`, `yields`: what a workspace searches with, and what each query brings.
- `plan`, `search`, `state`, `estimate`: what is wanted, which page is next, how far a class is.
- `scraper`, `work`, `results`, `locks`, `side_by_side`: search and download, and store what came.
- `add`, `imagenetv2`, `opt_out`: other ways in, and who is kept out.
- `refresh`, `removal`, `pull`, `near_duplicates`, `looks`: ask after photos, take them out, rebuild
  a set, find photos that look alike.
"""
