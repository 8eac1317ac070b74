# SPDX-License-Identifier: Apache-2.0
"""Turns short programs (JSON) into straight-line CUDA kernels, one function per program.

A program is a list of {op, bytes, ways, after}. Lane t accesses byte offset row*128 + slot*bytes
with L = 128/bytes, slot = (t/ways) mod L, row = (t mod ways) + 32*(t/L). after = -1: the address
is ready; after = k >= 1: it comes from the first word of the latest load through ceil(k/2)
dependent instructions, a LOP3 and then IADD3s (two source additions each). A program may have
"late": how many turns of an empty loop each warp takes before it reads its start clock.
"""

PRELUDE = """// Generated from {source}; not kept.
#include <cstdint>
__device__ __forceinline__ uint32_t offset_of(uint32_t lane, uint32_t bytes, uint32_t ways) {{
  const uint32_t slots = 128 / bytes;
  return (lane % ways + 32 * (lane / slots)) * 128 + (lane / ways) % slots * bytes;
}}
struct Interval {{ long long start, finish; }};
"""

KERNEL = """
extern "C" __global__ void program_{id}(Interval* intervals, const volatile uint32_t* zeros,
                                        uint32_t stride, uint32_t rounds) {{
  extern __shared__ __align__(1024) uint32_t shared[];
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (uint32_t word = threadIdx.x; word < 16 * 1024; word += blockDim.x) shared[word] = 0;
{setup}
  if (warp % stride != 0) {{
#pragma unroll 1
    for (uint32_t round = 0; round < rounds; ++round) __syncthreads();
    return;
  }}
#pragma unroll 1
  for (uint32_t round = 0; round < rounds; ++round) {{
    __syncthreads();  // deferred: a clock read right behind it is the warp's arrival
{release}{late}    const long long start = clock64();
{body}
    asm volatile("{{.reg .pred never; setp.eq.u32 never, %0, 0x5eed5eed; @never trap;}}" ::"r"({last}));
    const long long finish = clock64();
    if (({keep}) == 0x5eed5eed) intervals[0].start = 1;
    if (lane == 0) intervals[warp / stride] = {{start, finish}};
  }}
}}
"""

# A block of several resident ones. `aligned`: the blocks of one SM wait for each other, then all
# warps for one clock value; else they run as they come and go.
SLOT_KERNEL = """
extern "C" __global__ void program_{id}(WarpStay* stays, const volatile uint32_t* zeros,
                                        SmMeeting* meetings, uint32_t resident,
                                        uint32_t most_rounds) {{
  extern __shared__ __align__(1024) uint32_t shared[];
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
{setup}
  uint32_t sm, slot;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
  const uint32_t rounds = most_rounds == 1 ? 1 : 1 + blockIdx.x * 2654435761u / 65536 % most_rounds;
  if (resident != 0) meet(meetings[sm], resident);
  __syncwarp();
  const long long start = clock64();
  uint32_t kept = 0;
#pragma unroll 1
  for (uint32_t round = 0; round < rounds; ++round) {{
{body}
    asm volatile("{{.reg .pred never; setp.eq.u32 never, %0, 0x5eed5eed; @never trap;}}" ::"r"({last}));
    kept ^= {keep};
  }}
  const long long finish = clock64();
  if (kept == 0x5eed5eed) stays[0].start = 1;
  if (lane == 0) stays[blockIdx.x * (blockDim.x / 32) + warp] = {{start, finish, sm, slot, rounds}};
}}
"""

SLOT_PRELUDE = """
struct WarpStay {{ long long start, finish; uint32_t sm, slot, rounds; }};
struct SmMeeting {{ unsigned arrived; volatile long long release; }};
__device__ __forceinline__ void meet(SmMeeting& meeting, uint32_t resident) {{
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&meeting.arrived, 1u) == resident - 1) {{
    meeting.release = clock64() + 4000;
  }}
  const long long limit = clock64() + 4000000;
  while (meeting.release == 0 && clock64() < limit) {{}}
  const long long release = meeting.release;
  while (clock64() < release) {{}}
}}
"""

WORDS = {4: 1, 8: 2, 16: 4}
VECTOR = {4: "u32", 8: "v2.u32", 16: "v4.u32"}


def braces(names):
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def load_lines(index, size, address):
    results = [f"r{index}_{word}" for word in range(WORDS[size])]
    text = braces([f"%{word}" for word in range(len(results))])
    outputs = ", ".join(f'"=r"({name})' for name in results)
    return results, [
        f"    uint32_t {', '.join(results)};",
        f'    asm volatile("ld.volatile.shared.{VECTOR[size]} {text}, [%{len(results)}];"'
        f' : {outputs} : "r"({address}));',
    ]


def store_lines(size, address, start):
    """With start "release" one register is the data of all words: the compiler copies it to the
    others behind the start clock. Otherwise each word has its own, loaded before."""
    words = WORDS[size]
    data = [f"v{0 if start == 'release' else word}" for word in range(words)]
    used = sorted(set(data))
    text = braces([f"%{used.index(name) + 1}" for name in data])
    inputs = ", ".join(f'"r"({name})' for name in used)
    return [f'    asm volatile("st.volatile.shared.{VECTOR[size]} [%0], {text};" ::"r"({address}),'
            f" {inputs});"]


def chain_lines(index, start, latest, after):
    """ceil(after/2) instructions from `latest` to the address of access `index`."""
    lines = [f"    uint32_t a{index} = ({latest} & z0) ^ {start};"]
    for step in range((after + 1) // 2 - 1):
        for half in (1, 2):
            lines.append(f'    asm volatile("add.u32 %0, %0, %1;" : "+r"(a{index}) :'
                         f' "r"(z{2 * step + half}));')
    return lines


# A branch waits until the barrier has released the warp.
RELEASE = """    asm volatile("{.reg .pred never; setp.eq.u32 never, %0, 0x5eed5eed; @never trap;}" ::"r"(z0));
"""


# Its branches wait for the barrier, so the warps start behind it, each a number of turns later.
LATE = """    const uint32_t turns = {turns};
    uint32_t turned = z0;
#pragma unroll 1
    for (uint32_t turn = 0; turn < turns; ++turn) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(turned) : "r"(z0));
"""


def late_text(turns_of_warps):
    turns = "0"
    for warp, count in enumerate(turns_of_warps):
        if count:
            turns = f"warp / stride == {warp} ? {count} : {turns}"
    return LATE.format(turns=turns)


def kernel_text(program, start, template=KERNEL):
    operations = list(program["ops"])
    if operations[-1]["op"] == "st":
        operations.append({"op": "ld", "bytes": 4, "ways": 1, "after": -1})
    setup, body, kept, latest, zeros = [], [], [], None, 1
    starts = sorted({(of["bytes"], of["ways"]) for of in operations})
    for size, ways in starts:
        setup.append(f"  const uint32_t s{size}_{ways} = base + offset_of(lane, {size}, {ways});")
    for index, of in enumerate(operations):
        address = f"s{of['bytes']}_{of['ways']}"
        if of["after"] > 0 and latest is not None:
            body += chain_lines(index, address, latest, of["after"])
            zeros = max(zeros, of["after"] + 1)
            address = f"a{index}"
        if of["op"] == "ld":
            results, lines = load_lines(index, of["bytes"], address)
            latest = results[0]
            kept += results
        else:
            lines = store_lines(of["bytes"], address, start)
        body += lines
    setup += [f"  const uint32_t z{index} = zeros[{index}];" for index in range(zeros)]
    setup += [f"  const uint32_t v{index} = zeros[{index + 32}];" for index in range(4)]
    if "late" in program:
        kept.append("turned")  # else the loop is dropped
    return template.format(id=program["id"], setup="\n".join(setup), body="\n".join(body),
                         last=latest, keep=" ^ ".join(kept),
                         release="" if start == "arrival" else RELEASE,
                         late=late_text(program["late"]) if "late" in program else "")


def slot_source_text(programs, source):
    """Kernels for run_slots: each warp runs the program 1 to most_rounds times."""
    return (PRELUDE + SLOT_PRELUDE).format(source=source) + "".join(
        kernel_text(program, "release-data-ready", SLOT_KERNEL) for program in programs)


def source_text(programs, source, start):
    """`start`: where a warp reads its start clock: on `arrival` at the barrier, at its `release`, or
    there with the data of stores made before (`release-data-ready`)."""
    return PRELUDE.format(source=source) + "".join(kernel_text(of, start) for of in programs)
