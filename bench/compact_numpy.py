"""Times of NumPy's boolean indexing and its like on the data of `cumulo bench compact`.

usage: compact_numpy.py [POWER_OF_TWO...]    (16 20 24)
"""

import sys
import time

import numpy as np

RUNS = 11


def hashed(n):
    x = np.arange(n, dtype=np.uint32) * np.uint32(747796405) + np.uint32(2891336453)
    x = ((x >> ((x >> np.uint32(28)) + np.uint32(4))) ^ x) * np.uint32(277803737)
    return (x >> np.uint32(22)) ^ x


def median_ms(run):
    run()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)[RUNS // 2]


for power in map(int, sys.argv[1:] or (16, 20, 24)):
    x = hashed(1 << power)
    for share in (0.01, 0.5, 0.99):
        limit = np.uint32(share * 0xFFFFFFFF)
        flags = x < limit
        runs = np.cumsum(flags, dtype=np.uint32)
        cases = {
            "compact by flags, x[flags]": lambda: x[flags],
            "compact by predicate, x[x < limit]": lambda: x[x < limit],
            "partition, concatenate": lambda: np.concatenate([x[flags], x[~flags]]),
            "unique, r[r[1:] != r[:-1]]": lambda: runs[1:][runs[1:] != runs[:-1]],
        }
        for name, run in cases.items():
            print(f"{1 << power:>12} {share:>6}  {name:<40}{median_ms(run):>12.4f} ms")
