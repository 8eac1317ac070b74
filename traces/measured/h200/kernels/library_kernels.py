# SPDX-License-Identifier: Apache-2.0
"""PyTorch operations whose kernels were captured and counted. Inputs come from the host, so the
launches are those of the operations. Prints the operations in order. Needs fill_shared.so beside it
(fill_shared.cu says how it is built)."""
import ctypes
import functools
import pathlib

import torch

torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


def tensor(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype).cuda()


def attention(dtype, backend):
    query = tensor(1, 1, 64, 64, dtype=dtype)
    with torch.nn.attention.sdpa_kernel(backend):
        return torch.nn.functional.scaled_dot_product_attention(query, query, query)


@functools.cache
def small_numbers(length):
    """Four rows; of at most 1024 numbers PyTorch's mode sorts a row in shared memory."""
    return torch.randint(0, 9, (4, length)).cuda()


def mode(numbers, factor):
    """A row of 256 is sorted as one of 1024 whose rest nothing wrote: how many loads that takes
    depends on what is in shared memory, so it is filled before."""
    library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().with_name("fill_shared.so")))
    if error := library.fill_every_shared_memory(factor):
        raise RuntimeError(f"expected shared memory to be filled, found CUDA error {error}")
    return numbers.mode(1)


ZEROS = 0
NOISE = 0x9E3779B1
BACKEND = torch.nn.attention.SDPBackend
OPERATIONS = {
    "matmul_f32": lambda: tensor(64, 64) @ tensor(64, 64),
    "matmul_f32_128": lambda: tensor(128, 96) @ tensor(96, 128),
    "matmul_f64": lambda: tensor(64, 32, dtype=torch.float64) @ tensor(32, 64, dtype=torch.float64),
    "matmul_f16": lambda: tensor(64, 64, dtype=torch.float16) @ tensor(64, 64, dtype=torch.float16),
    "bmm_f16": lambda: torch.bmm(tensor(2, 64, 64, dtype=torch.float16),
                                 tensor(2, 64, 64, dtype=torch.float16)),
    "attention_flash": lambda: attention(torch.float16, BACKEND.FLASH_ATTENTION),
    "attention_efficient": lambda: attention(torch.float32, BACKEND.EFFICIENT_ATTENTION),
    "sort": lambda: tensor(1024).sort(),
    "sort_rows": lambda: tensor(4, 200).sort(),
    "cumsum": lambda: tensor(4096).cumsum(0),
    "cumsum_rows": lambda: tensor(8, 500).cumsum(1),
    "conv2d": lambda: torch.nn.functional.conv2d(tensor(1, 8, 16, 16), tensor(8, 8, 3, 3)),
    "conv2d_f16": lambda: torch.nn.functional.conv2d(tensor(1, 16, 16, 16, dtype=torch.float16),
                                                     tensor(16, 16, 3, 3, dtype=torch.float16)),
    "softmax": lambda: tensor(4, 3000).softmax(1),
    "layer_norm": lambda: torch.nn.functional.layer_norm(tensor(8, 512), (512,)),
    "sum": lambda: tensor(40000).sum(),
    "topk": lambda: tensor(2, 2000).topk(8),
    "histc": lambda: torch.histc(tensor(4096), bins=64, min=-3, max=3),
    "bincount": lambda: torch.randint(0, 50, (4096,)).cuda().bincount(),
    "transpose": lambda: tensor(64, 64).t().contiguous(),
    "mode": lambda: mode(small_numbers(256), ZEROS),
    "unique": lambda: torch.randint(0, 99, (2000,)).cuda().unique(),
    "mode_noise": lambda: mode(small_numbers(256), NOISE),
    "mode_full_rows": lambda: mode(small_numbers(1024), NOISE),
}

for name, operation in OPERATIONS.items():
    operation()
    torch.cuda.synchronize()
    print(name, flush=True)
