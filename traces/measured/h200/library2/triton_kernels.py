# SPDX-License-Identifier: Apache-2.0
"""Triton kernels of the kinds its tutorials teach, in our own words, captured and counted."""
import sys

import torch
import triton
import triton.language as tl

torch.manual_seed(3)


def real(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype).cuda()


def empty(*shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="cuda")


@triton.jit
def product(a, b, c, m, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, k, DEPTH):
        steps = start + tl.arange(0, DEPTH)
        left = tl.load(a + rows[:, None] * k + steps[None, :],
                       mask=(rows[:, None] < m) & (steps[None, :] < k), other=0.0)
        right = tl.load(b + steps[:, None] * n + columns[None, :],
                        mask=(steps[:, None] < k) & (columns[None, :] < n), other=0.0)
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * n + columns[None, :], total,
             mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def row_softmax(x, y, n, WIDTH: tl.constexpr):
    places = tl.arange(0, WIDTH)
    row = tl.load(x + tl.program_id(0) * n + places, mask=places < n, other=-float("inf"))
    weights = tl.exp(row - tl.max(row, 0))
    tl.store(y + tl.program_id(0) * n + places, weights / tl.sum(weights, 0), mask=places < n)


@triton.jit
def normalise(x, y, w, b, n, WIDTH: tl.constexpr):
    places = tl.arange(0, WIDTH)
    inside = places < n
    row = tl.load(x + tl.program_id(0) * n + places, mask=inside, other=0.0)
    mean = tl.sum(row, 0) / n
    centred = tl.where(inside, row - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + 1e-5)
    result = centred * scale * tl.load(w + places, mask=inside) + tl.load(b + places, mask=inside)
    tl.store(y + tl.program_id(0) * n + places, result, mask=inside)


@triton.jit
def attend(q, k, v, o, length, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    places = tl.arange(0, WIDTH)
    query = tl.load(q + rows[:, None] * WIDTH + places[None, :])
    most = tl.full((ROWS,), -float("inf"), tl.float32)
    weight = tl.zeros((ROWS,), tl.float32)
    total = tl.zeros((ROWS, WIDTH), tl.float32)
    for start in range(0, length, KEYS):
        keys = start + tl.arange(0, KEYS)
        key = tl.load(k + keys[:, None] * WIDTH + places[None, :])
        value = tl.load(v + keys[:, None] * WIDTH + places[None, :])
        scores = tl.dot(query, tl.trans(key)) * scale
        highest = tl.maximum(most, tl.max(scores, 1))
        part = tl.exp(scores - highest[:, None])
        shrink = tl.exp(most - highest)
        weight = weight * shrink + tl.sum(part, 1)
        total = total * shrink[:, None] + tl.dot(part.to(value.dtype), value)
        most = highest
    tl.store(o + rows[:, None] * WIDTH + places[None, :], (total / weight[:, None]).to(query.dtype))


@triton.jit
def transpose(x, y, n, SIDE: tl.constexpr):
    rows = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    columns = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    tile = tl.load(x + rows[:, None] * n + columns[None, :])
    tl.store(y + columns[:, None] * n + rows[None, :], tl.trans(tile))


@triton.jit
def column_sums(x, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    across = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((COLUMNS,), tl.float32)
    for start in range(0, rows, ROWS):
        down = start + tl.arange(0, ROWS)
        total += tl.sum(tl.load(x + down[:, None] * columns + across[None, :]), 0)
    tl.store(y + across, total)


@triton.jit
def running_sums(x, y, n, WIDTH: tl.constexpr):
    places = tl.arange(0, WIDTH)
    tl.store(y + tl.program_id(0) * n + places, tl.cumsum(tl.load(x + tl.program_id(0) * n + places), 0))


@triton.jit
def sort_rows(x, y, n, WIDTH: tl.constexpr):
    places = tl.arange(0, WIDTH)
    tl.store(y + tl.program_id(0) * n + places, tl.sort(tl.load(x + tl.program_id(0) * n + places)))


@triton.jit
def histogram(x, y, n, WIDTH: tl.constexpr, BINS: tl.constexpr):
    values = tl.load(x + tl.program_id(0) * WIDTH + tl.arange(0, WIDTH))
    tl.atomic_add(y + tl.arange(0, BINS), tl.histogram(values, BINS))


@triton.jit
def thin_out(x, y, n, seed, WIDTH: tl.constexpr):
    places = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    keep = tl.rand(seed, places) > 0.3
    row = tl.load(x + places, mask=places < n, other=0.0)
    row = tl.where(keep, row / 0.7, 0.0)
    tl.store(y + places, row, mask=places < n)
    tl.store(y + n + tl.program_id(0), tl.sum(row, 0))


@triton.jit
def gather_rows(x, index, y, n, WIDTH: tl.constexpr):
    places = tl.arange(0, WIDTH)
    row = tl.load(x + tl.program_id(0) * n + places)
    tl.store(y + tl.program_id(0) * n + places, tl.gather(row, tl.load(index + places), 0))


def multiply(m, n, k, dtype, rows, columns, depth, **options):
    product[(triton.cdiv(m, rows), triton.cdiv(n, columns))](
        real(m, k, dtype=dtype), real(k, n, dtype=dtype), empty(m, n), m, n, k, rows, columns,
        depth, **options)


def attention(dtype, width, rows, keys, **options):
    q, k, v = (real(128, width, dtype=dtype) for _ in range(3))
    attend[(128 // rows,)](q, k, v, torch.empty_like(q), 128, width**-0.5, rows, keys, width,
                           **options)


def rows_of(kernel, n, width, rows=4, **options):
    kernel[(rows,)](real(rows, n), empty(rows, n), n, width, **options)


HALF = torch.float16
OPERATIONS = {
    "product_half": lambda: multiply(128, 128, 64, HALF, 64, 64, 32),
    "product_half_8_warps": lambda: multiply(128, 128, 128, HALF, 128, 128, 32, num_warps=8),
    "product_half_stages": lambda: multiply(64, 64, 256, HALF, 32, 64, 64, num_stages=4),
    "product_half_1_warp": lambda: multiply(64, 48, 64, HALF, 16, 16, 16, num_warps=1),
    "product_bf16": lambda: multiply(100, 90, 80, torch.bfloat16, 64, 32, 32),
    "product_f32": lambda: multiply(64, 64, 64, torch.float32, 32, 32, 32),
    "product_f32_wide": lambda: multiply(64, 128, 32, torch.float32, 64, 128, 16, num_warps=8),
    "softmax_1000": lambda: rows_of(row_softmax, 1000, 1024),
    "softmax_300_8_warps": lambda: rows_of(row_softmax, 300, 512, num_warps=8),
    "softmax_5000": lambda: rows_of(row_softmax, 5000, 8192, num_warps=16),
    "layer_norm_1000": lambda: normalise[(4,)](
        real(4, 1000), empty(4, 1000), real(1000), real(1000), 1000, 1024),
    "layer_norm_400": lambda: normalise[(4,)](
        real(4, 400), empty(4, 400), real(400), real(400), 400, 512, num_warps=2),
    "attention_half": lambda: attention(HALF, 64, 64, 32),
    "attention_small": lambda: attention(HALF, 32, 32, 32, num_warps=2),
    "attention_bf16": lambda: attention(torch.bfloat16, 128, 64, 64, num_warps=8),
    "attention_f32": lambda: attention(torch.float32, 32, 32, 32),
    "transpose_32": lambda: transpose[(4, 4)](real(128, 128), empty(128, 128), 128, 32),
    "transpose_64": lambda: transpose[(2, 2)](real(128, 128), empty(128, 128), 128, 64),
    "transpose_half": lambda: transpose[(2, 2)](
        real(128, 128, dtype=HALF), empty(128, 128, dtype=HALF), 128, 64),
    "transpose_byte": lambda: transpose[(2, 2)](
        real(128, 128).to(torch.int8), empty(128, 128, dtype=torch.int8), 128, 64),
    "transpose_double": lambda: transpose[(4, 4)](
        real(128, 128, dtype=torch.float64), empty(128, 128, dtype=torch.float64), 128, 32),
    "column_sums": lambda: column_sums[(4,)](real(256, 128), empty(128), 256, 128, 64, 32),
    "running_sums": lambda: rows_of(running_sums, 1024, 1024),
    "running_sums_8": lambda: rows_of(running_sums, 2048, 2048, num_warps=8),
    "sort_rows": lambda: rows_of(sort_rows, 512, 512, rows=2),
    "histogram": lambda: histogram[(4,)](
        torch.randint(0, 64, (2048,), dtype=torch.int32).cuda(),
        torch.zeros(64, dtype=torch.int32).cuda(), 2048, 512, 64),
    "dropout": lambda: thin_out[(4,)](real(2000), empty(2010), 2000, 7, 512),
    "gather_rows": lambda: gather_rows[(4,)](
        real(4, 512), torch.randint(0, 512, (512,), dtype=torch.int32).cuda(), empty(4, 512), 512, 512),
}

for name, operation in OPERATIONS.items():
    print(f"OPERATION {name}", file=sys.stderr, flush=True)
    try:
        operation()
        torch.cuda.synchronize()
    except Exception as error:  # a compiler's errors have many types
        print(f"FAILED {name}: {str(error)[:200]}", file=sys.stderr, flush=True)
