#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times small resident blocks: `slots.py DIR` writes DIR/slots.json and DIR/slots_measured.csv.

The programs are those of measure.py. Each is run by blocks of 1 to 6 warps, so many resident on an
SM, all at once (blocks = resident) or coming and going (blocks = 3 × resident, of 1 to 3 rounds)."""
import json
import pathlib
import random
import subprocess
import sys

import program_kernels

HERE = pathlib.Path(__file__).resolve().parent


def line(name, operations):
    return {"name": name, "ops": [{"op": op, "bytes": size, "ways": ways, "after": after}
                                  for op, size, ways, after in operations]}


def programs(source):
    yield line("stores", [("st", 4, 1, -1)] * 24)
    yield line("wide_stores", [("st", 16, 1, -1)] * 24)
    yield line("loads", [("ld", 4, 1, -1)] * 32)
    yield line("wide_loads", [("ld", 16, 1, -1)] * 20)
    yield line("conflicts", [("ld", 4, 4, -1)] * 20)
    yield line("chain", [("ld", 4, 1, -1)] + [("ld", 4, 1, 1)] * 15)
    for index in range(6):
        operations = [("ld" if source.random() < 0.5 else "st", source.choice((4, 8, 16)),
                       source.choice((1, 1, 2, 4)), -1) for _ in range(24)]
        yield line(f"mixed_{index}", operations)


def plan(count, source):
    for program in range(count):
        for warps, resident in ((1, 2), (1, 4), (1, 8), (2, 2), (2, 4), (2, 8), (3, 3), (3, 5),
                                (4, 3), (5, 4), (6, 2), (6, 3)):
            if program < 6 or source.random() < 0.6:
                yield program, warps, resident, resident, 1
        for warps, resident in ((1, 4), (2, 3), (3, 4), (5, 3)):
            if program % 2 == 0 or source.random() < 0.5:
                yield program, warps, resident, 3 * resident, 3


def main():
    folder, source = pathlib.Path(sys.argv[1]), random.Random(31)
    folder.mkdir(parents=True, exist_ok=True)
    made = [{"id": index, **program} for index, program in enumerate(programs(source))]
    lines = ",\n".join(json.dumps(program, separators=(",", ":")) for program in made)
    (folder / "slots.json").write_text(f"[{lines}]\n")
    build = HERE / "build"
    build.mkdir(exist_ok=True)
    (build / "slots.cu").write_text(program_kernels.slot_source_text(made, "slots.json"))
    (build / "slots_plan.txt").write_text(
        "".join(" ".join(map(str, point)) + "\n" for point in plan(len(made), source)))
    if sys.argv[2:] == ["--dry"]:
        return
    subprocess.run(["make", "-s", "-C", HERE, "build/run_slots"], check=True)
    subprocess.run(["nvcc", "-O3", "-arch=sm_90", "-cubin", "-o", build / "slots.cubin",
                    build / "slots.cu"], check=True)
    result = subprocess.run([build / "run_slots", build / "slots_plan.txt", build / "slots.cubin"],
                            check=True, capture_output=True, text=True)
    sys.stderr.write(result.stderr)
    (folder / "slots_measured.csv").write_text(
        "# warps: block:warp:slot:rounds:start:finish of each warp on one SM, cycles from the"
        " earliest start; total_cycles = last finish - first start\n"
        "program,warps_per_block,resident,blocks,most_rounds,shared_bytes,total_cycles,warps\n"
        + result.stdout)


if __name__ == "__main__":
    main()
