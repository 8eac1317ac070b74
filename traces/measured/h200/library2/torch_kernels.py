# SPDX-License-Identifier: Apache-2.0
"""PyTorch operations whose kernels were captured and counted: `torch_kernels.py PART…` runs the
parts named (all without any) and prints each operation's name on standard error before it runs.
Inputs come from the host, so the launches are those of the operations."""
import sys

import torch
from torch.nn import functional

torch.manual_seed(2)
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
HALF, BFLOAT, DOUBLE = torch.float16, torch.bfloat16, torch.float64


def real(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype).cuda()


def whole(high, *shape, dtype=torch.int64):
    return torch.randint(0, high, shape).to(dtype).cuda()


def positive(size, *batch):
    matrix = torch.randn(*batch, size, size)
    return (matrix @ matrix.mT + size * torch.eye(size)).cuda()


def gradient(operation, *inputs):
    inputs = [tensor.requires_grad_() for tensor in inputs]
    operation(*inputs).sum().backward()


def on_device(shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="cuda")


def attention(dtype, backend, length, width, causal=False, backward=False):
    query = real(1, 2, length, width, dtype=dtype).requires_grad_(backward)
    with torch.nn.attention.sdpa_kernel(backend):
        result = functional.scaled_dot_product_attention(query, query, query, is_causal=causal)
        if backward:
            result.sum().backward()


BACKEND = torch.nn.attention.SDPBackend
PARTS = {
    "fft": {
        **{f"fft_{size}": (lambda size=size: torch.fft.fft(real(4, size).to(torch.complex64)))
           for size in (64, 100, 128, 243, 256, 343, 512, 1000, 1024, 2048, 4096)},
        "rfft_600": lambda: torch.fft.rfft(real(4, 600)),
        "irfft_512": lambda: torch.fft.irfft(torch.fft.rfft(real(2, 512))),
        "fft2_32": lambda: torch.fft.fft2(real(2, 32, 32).to(torch.complex64)),
        "fft_double_256": lambda: torch.fft.fft(real(4, 256, dtype=DOUBLE).to(torch.complex128)),
        "fft_prime_127": lambda: torch.fft.fft(real(4, 127).to(torch.complex64)),
    },
    "sort": {
        "sort_i32_5000": lambda: whole(10**6, 5000, dtype=torch.int32).sort(),
        "sort_i64_300": lambda: whole(10**9, 300).sort(),
        "sort_f16_2048": lambda: real(2048, dtype=HALF).sort(),
        "sort_f64_rows": lambda: real(3, 500, dtype=DOUBLE).sort(),
        "sort_u8": lambda: whole(255, 4000, dtype=torch.uint8).sort(),
        "sort_stable_rows": lambda: real(6, 33).sort(stable=True),
        "sort_wide_rows": lambda: real(2, 3000).sort(),
        "argsort_down": lambda: real(1500).argsort(descending=True),
        "sort_20000": lambda: real(20000).sort(),
        "topk_1": lambda: real(4, 900).topk(1),
        "topk_100": lambda: real(2, 5000).topk(100),
        "topk_i32": lambda: whole(999, 3, 700, dtype=torch.int32).topk(20),
        "topk_f16": lambda: real(2, 1200, dtype=HALF).topk(33),
        "kthvalue": lambda: real(3, 777).kthvalue(50),
        "median": lambda: real(5, 401).median(1),
        "msort": lambda: real(100, 7).msort(),
        "unique_inverse": lambda: whole(50, 1000).unique(return_inverse=True, return_counts=True),
        "unique_consecutive": lambda: whole(3, 3000).unique_consecutive(return_counts=True),
        "unique_rows": lambda: whole(3, 64, 2).unique(dim=0),
        "searchsorted": lambda: torch.searchsorted(real(256).sort().values, real(500)),
        "nonzero": lambda: (real(3000) > 0.5).nonzero(),
        "masked_select": lambda: (lambda x: x[x > 0])(real(2500)),
        "isin": lambda: torch.isin(whole(99, 400), whole(99, 60)),
        "randperm": lambda: torch.randperm(3000, device="cuda"),
    },
    "scan": {
        "cumsum_f64": lambda: real(3000, dtype=DOUBLE).cumsum(0),
        "cumsum_i32": lambda: whole(9, 10000, dtype=torch.int32).cumsum(0),
        "cumsum_f16_rows": lambda: real(5, 700, dtype=HALF).cumsum(1),
        "cumsum_outer": lambda: real(64, 40).cumsum(0),
        "cumprod": lambda: real(2000).cumprod(0),
        "cumprod_rows": lambda: real(4, 300).cumprod(1),
        "cummax": lambda: real(3, 600).cummax(1),
        "cummin_long": lambda: real(5000).cummin(0),
        "logcumsumexp": lambda: real(4, 400).logcumsumexp(1),
        "logcumsumexp_flat": lambda: real(2500).logcumsumexp(0),
        "trapezoid": lambda: torch.cumulative_trapezoid(real(2, 500)),
        "bincount_weights": lambda: whole(40, 2000).bincount(real(2000)),
        "histc_few": lambda: torch.histc(real(3000), bins=10, min=-2, max=2),
        "histc_many": lambda: torch.histc(real(3000), bins=3000, min=-3, max=3),
        "bincount_wide": lambda: whole(2000, 3000).bincount(),
        "index_add": lambda: on_device((50, 8)).zero_().index_add_(0, whole(50, 300), real(300, 8)),
        "scatter_add": lambda: on_device((100,)).zero_().scatter_add_(0, whole(100, 2000), real(2000)),
        "scatter_reduce": lambda: on_device((100,)).zero_().scatter_reduce_(
            0, whole(100, 900), real(900), "amax"),
        "index_put": lambda: on_device((64, 16)).zero_().index_put_(
            (whole(64, 500),), real(500, 16), accumulate=True),
        "put_accumulate": lambda: on_device((300,)).zero_().put_(
            whole(300, 800), real(800), accumulate=True),
        "segment_reduce": lambda: torch.segment_reduce(
            real(300), "sum", lengths=torch.tensor([100, 50, 150]).cuda()),
        "repeat_interleave": lambda: real(50).repeat_interleave(whole(9, 50)),
    },
    "reduce": {
        "sum_rows": lambda: real(37, 4000).sum(1),
        "sum_columns": lambda: real(3000, 45).sum(0),
        "sum_f64": lambda: real(20000, dtype=DOUBLE).sum(),
        "mean_f16": lambda: real(9, 5000, dtype=HALF).mean(1),
        "max_index": lambda: real(7, 3000).max(1),
        "argmax": lambda: real(30000).argmax(),
        "var": lambda: real(5, 2600).var(1),
        "var_columns": lambda: real(2600, 6).var(0),
        "norm_3": lambda: real(10, 2000).norm(3, dim=1),
        "prod": lambda: real(8000).prod(),
        "any_rows": lambda: (real(40, 900) > 2).any(1),
        "logsumexp": lambda: real(6, 3000).logsumexp(1),
        "aminmax": lambda: real(9000).aminmax(),
        "std_mean": lambda: torch.std_mean(real(4, 1000), 1),
        "count_nonzero": lambda: torch.count_nonzero(real(9000) > 0),
        "nansum": lambda: real(7000).nansum(),
        "sum_complex": lambda: real(3000, 2).view(3000, 2).sum(0),
        "cosine": lambda: functional.cosine_similarity(real(20, 700), real(20, 700)),
        "cdist": lambda: torch.cdist(real(20, 9), real(30, 9), p=1.0),
        "cdist_2": lambda: torch.cdist(real(40, 16), real(50, 16)),
        "pdist": lambda: functional.pdist(real(24, 10)),
        "cross_entropy": lambda: gradient(
            lambda x: functional.cross_entropy(x, whole(500, 20)), real(20, 500)),
        "nll_2d": lambda: functional.nll_loss(real(2, 5, 12, 12), whole(5, 2, 12, 12)),
        "ctc": lambda: functional.ctc_loss(
            real(30, 2, 20).log_softmax(2), whole(19, 2, 10) + 1, torch.full((2,), 30),
            torch.full((2,), 10)),
        "renorm": lambda: real(10, 300).renorm(2, 0, 1.0),
    },
    "norm": {
        "softmax_half": lambda: real(6, 5000, dtype=HALF).softmax(1),
        "softmax_backward": lambda: gradient(lambda x: x.softmax(1) * 2, real(4, 3000)),
        "softmax_spatial": lambda: real(2, 40, 9, 9).softmax(1),
        "log_softmax": lambda: real(3, 9000).log_softmax(1),
        "log_softmax_bf16": lambda: real(3, 2048, dtype=BFLOAT).log_softmax(1),
        "layer_norm_half": lambda: functional.layer_norm(real(6, 1024, dtype=HALF), (1024,)),
        "layer_norm_backward": lambda: gradient(
            lambda x, w, b: functional.layer_norm(x, (300,), w, b), real(64, 300), real(300),
            real(300)),
        "rms_norm": lambda: functional.rms_norm(real(9, 600), (600,)),
        "batch_norm": lambda: functional.batch_norm(real(6, 5, 14, 14), None, None, training=True),
        "batch_norm_backward": lambda: gradient(
            lambda x, w, b: functional.batch_norm(x, None, None, w, b, training=True),
            real(8, 12, 10, 10), real(12), real(12)),
        "batch_norm_last": lambda: functional.batch_norm(
            real(4, 16, 8, 8).to(memory_format=torch.channels_last), None, None, training=True),
        "group_norm": lambda: functional.group_norm(real(3, 12, 20, 20), 4),
        "group_norm_backward": lambda: gradient(
            lambda x, w, b: functional.group_norm(x, 3, w, b), real(3, 12, 15), real(12), real(12)),
        "instance_norm": lambda: functional.instance_norm(real(2, 5, 30, 30)),
        "embedding_backward": lambda: gradient(
            lambda w: functional.embedding(whole(30, 400), w), real(30, 24)),
        "embedding_many": lambda: gradient(
            lambda w: functional.embedding(whole(30, 5000), w), real(30, 40)),
        "embedding_bag": lambda: gradient(
            lambda w: functional.embedding_bag(whole(40, 60, 7), w, mode="mean"), real(40, 20)),
        "embedding_bag_max": lambda: functional.embedding_bag(
            whole(40, 60, 7), real(40, 20), mode="max"),
        "weight_norm": lambda: torch._weight_norm(real(16, 200), real(16, 1), 0),
        "multinomial": lambda: real(3, 500).abs().multinomial(20),
        "multinomial_replacement": lambda: real(3, 500).abs().multinomial(20, replacement=True),
        "dropout": lambda: functional.dropout(real(5000), 0.3),
        "prelu_backward": lambda: gradient(functional.prelu, real(10, 8, 60), real(8)),
    },
    "pool": {
        "max_pool": lambda: gradient(lambda x: functional.max_pool2d(x, 3, 2), real(2, 4, 30, 30)),
        "max_pool_last": lambda: gradient(
            lambda x: functional.max_pool2d(x, 3, 2),
            real(2, 8, 20, 20).to(memory_format=torch.channels_last)),
        "average_pool": lambda: functional.avg_pool2d(real(2, 4, 30, 30), 3),
        "adaptive_average": lambda: gradient(
            lambda x: functional.adaptive_avg_pool2d(x, (5, 3)), real(2, 4, 20, 21)),
        "adaptive_average_last": lambda: gradient(
            lambda x: functional.adaptive_avg_pool2d(x, (5, 3)),
            real(2, 8, 20, 21).to(memory_format=torch.channels_last)),
        "adaptive_max": lambda: functional.adaptive_max_pool2d(real(2, 4, 20, 20), 7),
        "fractional_pool": lambda: functional.fractional_max_pool2d(real(1, 3, 20, 20), 3, 8),
        "interpolate_antialias": lambda: functional.interpolate(
            real(1, 3, 40, 40), size=(17, 23), mode="bilinear", antialias=True),
        "interpolate_antialias_up": lambda: functional.interpolate(
            real(1, 2, 20, 20), size=(50, 41), mode="bicubic", antialias=True),
        "grid_sample": lambda: functional.grid_sample(
            real(1, 3, 12, 12), real(1, 10, 10, 2), align_corners=False),
        "reflection_pad": lambda: functional.pad(real(1, 3, 20, 20), (3,) * 4, mode="reflect"),
        "im2col": lambda: functional.unfold(real(1, 3, 20, 20), 3),
        "transpose_f16": lambda: real(100, 60, dtype=HALF).t().contiguous(),
        "channels_last": lambda: real(2, 32, 12, 12).to(memory_format=torch.channels_last),
        "roll_flip": lambda: real(40, 50).flip(0).roll(3),
    },
    "conv": {
        "conv1d": lambda: functional.conv1d(real(2, 8, 60), real(8, 8, 5)),
        "conv2d_5": lambda: functional.conv2d(real(2, 6, 24, 24), real(10, 6, 5, 5)),
        "conv2d_stride": lambda: functional.conv2d(real(1, 16, 30, 30), real(32, 16, 3, 3), stride=2),
        "conv2d_depthwise": lambda: functional.conv2d(
            real(1, 16, 20, 20), real(16, 1, 3, 3), groups=16),
        "conv2d_grouped": lambda: functional.conv2d(
            real(1, 16, 20, 20), real(16, 4, 3, 3), groups=4),
        "conv2d_dilated": lambda: functional.conv2d(
            real(1, 8, 24, 24), real(8, 8, 3, 3), dilation=2),
        "conv2d_bf16": lambda: functional.conv2d(
            real(1, 32, 14, 14, dtype=BFLOAT), real(32, 32, 3, 3, dtype=BFLOAT)),
        "conv2d_half_last": lambda: functional.conv2d(
            real(1, 32, 14, 14, dtype=HALF).to(memory_format=torch.channels_last),
            real(32, 32, 3, 3, dtype=HALF).to(memory_format=torch.channels_last)),
        "conv2d_1x1": lambda: functional.conv2d(real(1, 32, 12, 12), real(16, 32, 1, 1)),
        "conv2d_f64": lambda: functional.conv2d(
            real(1, 4, 12, 12, dtype=DOUBLE), real(4, 4, 3, 3, dtype=DOUBLE)),
        "conv3d": lambda: functional.conv3d(real(1, 4, 8, 10, 10), real(4, 4, 3, 3, 3)),
        "conv_transpose": lambda: functional.conv_transpose2d(real(1, 8, 10, 10), real(8, 6, 3, 3)),
        "conv_backward": lambda: gradient(functional.conv2d, real(1, 8, 16, 16), real(8, 8, 3, 3)),
        "lstm": lambda: torch.nn.LSTM(24, 32).cuda()(real(5, 3, 24)),
        "gru": lambda: torch.nn.GRU(24, 32).cuda()(real(5, 3, 24)),
    },
    "matmul": {
        "matmul_100": lambda: real(100, 70) @ real(70, 90),
        "matmul_f16_128": lambda: real(128, 128, dtype=HALF) @ real(128, 128, dtype=HALF),
        "matmul_bf16": lambda: real(96, 200, dtype=BFLOAT) @ real(200, 64, dtype=BFLOAT),
        "matmul_f16_odd": lambda: real(33, 35, dtype=HALF) @ real(35, 37, dtype=HALF),
        "matmul_transposed": lambda: real(70, 80).t() @ real(70, 60),
        "matmul_complex": lambda: (lambda x: x @ x)(torch.view_as_complex(real(40, 40, 2))),
        "bmm": lambda: torch.bmm(real(5, 30, 40), real(5, 40, 20)),
        "matvec": lambda: real(300, 200) @ real(200),
        "vecmat": lambda: real(300) @ real(300, 100),
        "dot": lambda: real(5000) @ real(5000),
        "dot_f16": lambda: real(3000, dtype=HALF) @ real(3000, dtype=HALF),
        "linear_gelu": lambda: functional.gelu(functional.linear(real(20, 64), real(48, 64), real(48))),
        "addmm_f64": lambda: torch.addmm(
            real(30, 50, dtype=DOUBLE), real(30, 40, dtype=DOUBLE), real(40, 50, dtype=DOUBLE)),
        "int_mm": lambda: torch._int_mm(
            whole(9, 64, 64, dtype=torch.int8), whole(9, 64, 64, dtype=torch.int8)),
        "flash_causal": lambda: attention(HALF, BACKEND.FLASH_ATTENTION, 96, 64, causal=True),
        "flash_128": lambda: attention(BFLOAT, BACKEND.FLASH_ATTENTION, 64, 128),
        "flash_backward": lambda: attention(HALF, BACKEND.FLASH_ATTENTION, 64, 32, backward=True),
        "efficient_half": lambda: attention(HALF, BACKEND.EFFICIENT_ATTENTION, 80, 32),
        "efficient_backward": lambda: attention(
            torch.float32, BACKEND.EFFICIENT_ATTENTION, 64, 32, backward=True),
        "attention_math": lambda: attention(torch.float32, BACKEND.MATH, 50, 24),
    },
    "linalg": {
        "eigh_24": lambda: torch.linalg.eigh(positive(24)),
        "eigh_batch": lambda: torch.linalg.eigh(positive(16, 3)),
        "svd_20": lambda: torch.linalg.svd(real(20, 16)),
        "svd_batch": lambda: torch.linalg.svd(real(3, 12, 12), driver="gesvdj"),
        "qr_40": lambda: torch.linalg.qr(real(40, 24)),
        "qr_batch": lambda: torch.linalg.qr(real(3, 20, 12)),
        "cholesky_48": lambda: torch.linalg.cholesky(positive(48)),
        "cholesky_batch": lambda: torch.linalg.cholesky(positive(24, 4)),
        "cholesky_solve": lambda: torch.cholesky_solve(real(24, 3), torch.linalg.cholesky(positive(24))),
        "solve_40": lambda: torch.linalg.solve(positive(40), real(40, 5)),
        "solve_batch": lambda: torch.linalg.solve(positive(16, 6), real(6, 16, 3)),
        "inverse_32": lambda: torch.linalg.inv(positive(32)),
        "determinant": lambda: torch.linalg.det(positive(20, 2)),
        "lu_f64": lambda: torch.linalg.lu_factor(positive(33).to(DOUBLE)),
        "triangular": lambda: torch.linalg.solve_triangular(positive(40).tril(), real(40, 6), upper=False),
        "lstsq": lambda: torch.linalg.lstsq(real(30, 12), real(30, 2)),
        "eigvalsh_f64": lambda: torch.linalg.eigvalsh(positive(20).to(DOUBLE)),
        "matrix_exp": lambda: torch.matrix_exp(real(16, 16) / 8),
        "pinverse": lambda: torch.linalg.pinv(real(12, 9)),
    },
    "sparse": {
        "sparse_mm": lambda: torch.sparse.mm((real(60, 50) * (real(60, 50) > 1)).to_sparse_csr(), real(50, 16)),
        "coalesce": lambda: torch.sparse_coo_tensor(whole(20, 2, 300), real(300), (20, 20)).coalesce(),
        "sparse_add": lambda: (lambda a: (a + a).to_dense())(
            torch.sparse_coo_tensor(whole(20, 2, 100), real(100), (20, 20)).coalesce()),
        "adam": lambda: torch._foreach_norm([real(500), real(300), real(7, 90)]),
        "clip": lambda: torch.nn.utils.clip_grad_norm_(
            [p.requires_grad_() for p in (real(40),)], 1.0),
    },
}


def run(name, operation):
    print(f"OPERATION {name}", file=sys.stderr, flush=True)
    try:
        operation()
        torch.cuda.synchronize()
    except (RuntimeError, NotImplementedError, TypeError, AttributeError) as error:
        print(f"FAILED {name}: {str(error)[:200]}", file=sys.stderr, flush=True)


for part in sys.argv[1:] or PARTS:
    for name, operation in PARTS[part].items():
        run(name, operation)
