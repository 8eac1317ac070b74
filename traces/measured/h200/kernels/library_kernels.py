# SPDX-License-Identifier: Apache-2.0
"""PyTorch operations whose kernels were captured and counted. Inputs come from the host, so the
launches are those of the operations. Prints the operations in order."""
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
    "mode": lambda: torch.randint(0, 9, (4, 256)).cuda().mode(1),
    "unique": lambda: torch.randint(0, 99, (2000,)).cuda().unique(),
}

for name, operation in OPERATIONS.items():
    operation()
    torch.cuda.synchronize()
    print(name, flush=True)
