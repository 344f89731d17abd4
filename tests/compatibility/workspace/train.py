"""A training that tells of its epochs."""

import sys

for epoch in range(1, 4):
    sys.stdout.write(
        f"tta epoch={epoch} top1={60 + epoch} top5={90.5 + epoch} seconds={3.6 * epoch}\n"
    )
