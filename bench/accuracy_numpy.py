"""Errors of numpy.cumsum in float32, on the data of `cumulo bench accuracy` and against the same exact
prefixes (here a running sum in long double).

usage: accuracy_numpy.py [POWER_OF_TWO...]    (24; 28 needs 8 GB)
"""

import sys

import numpy as np


def hashed(n):
    x = np.arange(n, dtype=np.uint32) * np.uint32(747796405) + np.uint32(2891336453)
    x = ((x >> ((x >> np.uint32(28)) + np.uint32(4))) ^ x) * np.uint32(277803737)
    return (x >> np.uint32(22)) ^ x


def values(n, alternating):
    sizes = (hashed(n) >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
    if alternating:
        sizes[1::2] *= -1
    return sizes


def errors(x, found, part=1 << 22):
    """Largest relative, RMS relative and largest absolute error, part by part."""
    base = np.longdouble(0)
    relative = squares = absolute = 0.0
    counted = 0
    for begin in range(0, len(x), part):
        exact = base + np.cumsum(x[begin : begin + part], dtype=np.longdouble)
        base = exact[-1]
        error = np.abs(found[begin : begin + part] - exact)
        absolute = max(absolute, float(error.max()))
        there = exact != 0
        shares = error[there] / np.abs(exact[there])
        relative = max(relative, float(shares.max()))
        squares += float((shares * shares).sum())
        counted += int(there.sum())
    return relative, (squares / counted) ** 0.5, absolute


def main():
    print(f"numpy {np.__version__}, cumsum of float32")
    for power in map(int, sys.argv[1:] or ["24"]):
        for alternating in (False, True):
            x = values(1 << power, alternating)
            found = np.cumsum(x, dtype=np.float32)
            data = "alternating" if alternating else "positive"
            print(f"2^{power} {data:<12}" + "".join(f"{e:>14.3g}" for e in errors(x, found)))


if __name__ == "__main__":
    main()
