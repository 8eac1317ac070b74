# SPDX-License-Identifier: Apache-2.0
"""CuPy operations whose kernels were captured and counted."""
import sys

import cupy
import numpy

source = numpy.random.default_rng(4)


def real(*shape, dtype=numpy.float32):
    return cupy.asarray(source.standard_normal(shape).astype(dtype))


def whole(high, *shape, dtype=numpy.int32):
    return cupy.asarray(source.integers(0, high, shape).astype(dtype))


OPERATIONS = {
    "sort": lambda: cupy.sort(real(3000)),
    "argsort": lambda: cupy.argsort(real(500, dtype=numpy.float64)),
    "sort_rows": lambda: cupy.sort(real(5, 100)),
    "lexsort": lambda: cupy.lexsort(real(2, 300)),
    "partition": lambda: cupy.partition(real(4000), 50),
    "sum": lambda: real(5000).sum(),
    "sum_axis": lambda: real(300, 40).sum(0),
    "mean": lambda: real(40, 300).mean(1),
    "argmax": lambda: real(3000).argmax(),
    "cumsum": lambda: cupy.cumsum(real(3000)),
    "cumprod": lambda: cupy.cumprod(real(3, 100), axis=1),
    "histogram": lambda: cupy.histogram(real(3000), 40),
    "bincount": lambda: cupy.bincount(whole(60, 3000)),
    "unique": lambda: cupy.unique(whole(60, 1500)),
    "nonzero": lambda: cupy.nonzero(real(2000) > 1),
    "matmul": lambda: real(50, 60) @ real(60, 40),
    "fft": lambda: cupy.fft.fft(real(3, 480)),
    "svd": lambda: cupy.linalg.svd(real(18, 12)),
    "eigh": lambda: cupy.linalg.eigh((lambda a: a + a.T)(real(20, 20))),
    "solve": lambda: cupy.linalg.solve(real(30, 30), real(30)),
    "cholesky": lambda: cupy.linalg.cholesky(cupy.eye(20, dtype=numpy.float32) * 3),
    "convolve": lambda: cupy.convolve(real(500), real(30)),
    "tensordot": lambda: cupy.tensordot(real(12, 14), real(14, 12), 1),
    "median": lambda: cupy.median(real(701)),
    "scatter_max": lambda: cupy.add.at(cupy.zeros(40, numpy.float32), whole(40, 900), real(900)),
}

for name, operation in OPERATIONS.items():
    print(f"OPERATION {name}", file=sys.stderr, flush=True)
    try:
        operation()
        cupy.cuda.Device().synchronize()
    except Exception as error:
        print(f"FAILED {name}: {str(error)[:200]}", file=sys.stderr, flush=True)
