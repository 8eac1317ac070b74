#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures accesses and short programs on this machine's GPU, for `smemsim compare`.

  measure.py accesses LIST.csv --out DIR [--counters] [--throughput] [--latency]
  measure.py programs PROGRAMS.json --out DIR [--warps 1,2,4] [--warp-stride 4] [--plan MEASURED.csv]
                                   [--start arrival|release|release-data-ready]

`accesses` writes DIR/LIST_counters.csv, LIST_throughput.csv, LIST_latency.csv: the list with
measured columns (all three unless some are named). `programs` writes DIR/PROGRAMS_measured.csv.
Each step says first how long it will take. Needs nvcc; counters need ncu and its permission to
read counters. Nothing changes the clocks.
"""
import argparse
import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import program_kernels

HERE = pathlib.Path(__file__).resolve().parent
SECONDS_PER_LAUNCH = 0.11  # one launch under ncu, with its passes
PROGRAMS_PER_FILE = 24
# These run as one instruction whose counts repeat exactly; three of them share a launch.
SINGLE_INSTRUCTION = re.compile(
    r"(ld|st|(ld|st)matrix.*|(red|atom)\.(add|add_one|add_value|min|max|inc|dec|and|or|xor)\.[usb]32"
    r"|atom\.(exch|cas)\.b(32|64))$")
DIGIT_BASE, SINGLE_REPEATS = 256, 1024
# Their counts are those of an addition with a value; `smemsim` knows them by that name.
LIKE_ADDITION = re.compile(
    r"(red|atom)\.(add_one|add_value|add|min|max|inc|dec|and|or|xor)\.[usb]32$")
CLASS_OF = {"ld": "_op_ld", "ldmatrix": "_op_ld", "st": "_op_st", "stmatrix": "_op_st",
            "red": "_op_atom", "atom": "_op_atom", "cp": ""}
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
METRICS = [f"{base}{suffix}.sum" for base in (WAVEFRONTS, CONFLICTS)
           for suffix in ("_op_ld", "_op_st", "_op_atom")]
# What the profiler computes of each instruction's addresses, in software.
PROFILER = "sm__sass_"
PROFILER_CLASS_OF = {**CLASS_OF, "ldmatrix": "_op_ldsm", "stmatrix": "_op_stsm", "cp": "_op_ldgsts"}
PROFILER_METRICS = [f"{PROFILER}{base}{suffix}.sum"
                    for base in ("l1tex_data_pipe_lsu_wavefronts_mem_shared",
                                 "l1tex_data_bank_conflicts_pipe_lsu_mem_shared")
                    for suffix in ("", "_op_ld", "_op_st", "_op_atom", "_op_ldsm", "_op_stsm",
                                   "_op_ldgsts")]
ASYNC_METRICS = [f"{WAVEFRONTS}.sum", f"{CONFLICTS}.sum", f"{CONFLICTS}_op_ldgsts.sum",
                 f"{WAVEFRONTS}_op_ldgsts.sum", "l1tex__data_pipe_lsu_wavefronts.sum",
                 "l1tex__data_pipe_lsu_wavefronts_mem_lg.sum",
                 "smsp__sass_l1tex_tags_mem_global_op_ldgsts.sum",
                 "smsp__inst_executed_op_ldgsts.sum"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{command[0]} failed ({result.returncode}): {result.stdout[-2000:]}"
                 f"{result.stderr[-2000:]}")
    return result.stdout


def build(target):
    run(["make", "-s", "-C", HERE, target])
    return HERE / "build" / target


def model_operation(performed):
    """The operation `smemsim` counts like `performed`; itself where that is one it knows."""
    if performed == "red.add.u32" or not LIKE_ADDITION.match(performed):
        return performed
    return "atom.add.u32"


class AccessList:
    """The rows of an access list as text, plus what the GPU program needs of each."""

    def __init__(self, path):
        lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
        self.columns = next(csv.reader([lines[0]]))
        for column in ("op", "bytes", "mask", "addresses"):
            if column not in self.columns:
                sys.exit(f"{path}: expected a column {column}, found {','.join(self.columns)}")
        self.rows = [dict(zip(self.columns, row)) for row in csv.reader(lines[1:])]

    def program_line(self, row):
        addresses = row["addresses"].split()
        sources = row.get("global_addresses", "").split() or [str(4 * lane) for lane in range(32)]
        if len(addresses) != 32 or len(sources) != 32:
            sys.exit(f"expected 32 addresses, found {len(addresses)} and {len(sources)}: {row}")
        step = row.get("global_step_bytes", "0")
        return " ".join([row["op"], row["bytes"], row["mask"], step, *addresses, *sources])

    def write(self, path, added, values, how):
        columns = [name for name in self.columns if name not in added]
        with open(path, "w", newline="") as file:
            file.write(f"# {how}\n")
            writer = csv.writer(file, lineterminator="\n")
            columns = ["name"] + [name for name in columns if name != "name"]
            writer.writerow(columns[:-1] + added + columns[-1:])
            for row, value in zip(self.rows, values):
                named = {"name": row["op"], **row, "op": model_operation(row["op"])}
                texts = [named[name] for name in columns]
                writer.writerow(texts[:-1] + value + texts[-1:])
        say(f"wrote {path}")


def by_operation(accesses):
    """Indices of the rows, those of one operation and width together, in first-seen order."""
    groups = {}
    for index, row in enumerate(accesses.rows):
        groups.setdefault((row["op"], row["bytes"]), []).append(index)
    return groups


def raw_rows(text):
    """The rows of ncu's wide page: a dict per launch. The line after the header holds units."""
    lines = text.splitlines()
    start = next((index for index, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        sys.exit(f"expected a table from ncu, found: {text[-1500:]}")
    return list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))[1:]


def known_metrics(wanted):
    names = set(re.findall(r"^(\w+)", run(["ncu", "--query-metrics", "--chip", "gh100"]), re.M)) \
        if known_metrics.names is None else known_metrics.names
    known_metrics.names = names
    return [metric for metric in wanted if metric.rsplit(".", 1)[0] in names]


known_metrics.names = None


def count(program, lines, per_launch, metrics):
    """For each line a dict metric -> counts of one access (a float when it varies)."""
    with tempfile.TemporaryDirectory() as folder:
        listing, table = pathlib.Path(folder, "list.txt"), pathlib.Path(folder, "table.csv")
        listing.write_text("\n".join(lines) + "\n")
        launches = run(["ncu", "--clock-control", "none", "--cache-control", "none", "--csv",
                        "--page", "raw", "--print-units", "base", "--log-file", table,
                        "--metrics", ",".join(metrics), program, "counters", listing, per_launch])
        rows = raw_rows(table.read_text())
    spans = [tuple(map(int, line.split())) for line in launches.splitlines() if line[:1].isdigit()]
    if len(rows) != len(spans):
        sys.exit(f"expected {len(spans)} launches from ncu, found {len(rows)}")
    counts = [{} for _ in lines]
    for row, (first, length) in zip(rows, spans):
        for metric in metrics:
            text = row[metric].replace(",", "")
            total = float(text) if text not in ("", "n/a") else float("nan")
            for place in range(length):
                value = total / SINGLE_REPEATS if per_launch == 1 else \
                    int(total) // DIGIT_BASE ** place % DIGIT_BASE
                counts[first + place][metric] = value
    return counts


def text_of(value):
    return f"{value:.0f}" if abs(value - round(value)) < 0.01 else f"{value:.3f}"


def both_countings(counts, operation):
    """Wavefronts and conflicts in hardware, then the same from the software's counters."""
    hardware, software = CLASS_OF[operation], PROFILER_CLASS_OF[operation]
    names = [f"{WAVEFRONTS}{hardware}.sum", f"{CONFLICTS}{hardware}.sum",
             f"{PROFILER}{WAVEFRONTS.replace('l1tex__', 'l1tex_')}{software}.sum",
             f"{PROFILER}{CONFLICTS.replace('l1tex__', 'l1tex_')}{software}.sum"]
    return [text_of(counts[name]) if name in counts else "" for name in names]


def measure_counters(accesses, out, extra_metrics):
    program = build("measure_accesses")
    groups = by_operation(accesses)
    batches = {1: [], 3: []}
    for (operation, _), indices in groups.items():
        batches[3 if SINGLE_INSTRUCTION.match(operation) else 1] += indices
    launches = len(batches[1]) + len(batches[3]) / 3
    say(f"counters: about {launches * SECONDS_PER_LAUNCH + 5:.0f} s for {launches:.0f} launches")
    values = [None] * len(accesses.rows)
    details = [None] * len(accesses.rows)
    for per_launch, indices in batches.items():
        for is_async in (False, True):
            chosen = [index for index in indices
                      if accesses.rows[index]["op"].startswith("cp.") == is_async]
            if not chosen:
                continue
            metrics = known_metrics((ASYNC_METRICS if is_async else METRICS) + PROFILER_METRICS) \
                + extra_metrics
            lines = [accesses.program_line(accesses.rows[index]) for index in chosen]
            for index, of in zip(chosen, count(program, lines, per_launch, metrics)):
                values[index] = both_countings(of, accesses.rows[index]["op"].split(".")[0])
                details[index] = {metric: text_of(value) for metric, value in of.items()}
    accesses.write(out.with_name(out.name + "_counters.csv"),
                   ["wavefronts", "bank_conflicts", "profiler_wavefronts",
                    "profiler_bank_conflicts"], values,
                   "one warp-wide access per row, counted alone by Nsight Compute: in hardware"
                   f" (l1tex__) and by the profiler's software ({PROFILER})")
    names = sorted({metric for row in details for metric in row})
    with open(out.with_name(out.name + "_raw.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row"] + names)
        for index, row in enumerate(details):
            writer.writerow([index] + [row.get(name, "") for name in names])


def measure_timed(accesses, out, mode, column, how):
    program = build("measure_accesses")
    say(f"{mode}: about {3 + len(accesses.rows) * 0.002:.0f} s")
    order = [index for indices in by_operation(accesses).values() for index in indices]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(accesses.program_line(accesses.rows[index]) for index in order) + "\n")
        file.flush()
        numbers = run([program, mode, file.name]).split()
    values = [None] * len(order)
    for index, number in zip(order, numbers):
        values[index] = [number]
    accesses.write(out.with_name(f"{out.name}_{mode}.csv"), [column], values, how)


def plan_of(arguments, programs):
    if arguments.plan:
        lines = [line for line in arguments.plan.read_text().splitlines() if line[0] != "#"]
        table = csv.DictReader(lines)
        return [(int(row["program"]), int(row["warps"]), int(row.get("warp_stride") or 1))
                for row in table]
    return [(program["id"], int(warps), arguments.warp_stride)
            for program in programs for warps in arguments.warps.split(",")]


def measure_programs(arguments):
    programs = json.loads(arguments.file.read_text())
    plan = plan_of(arguments, programs)
    say(f"programs: about {2 + len(programs) * 0.1 + len(plan) * 0.002:.0f} s for {len(plan)} points")
    runner = build("run_programs")
    wanted = {program for program, _, _ in plan}
    programs = [program for program in programs if program["id"] in wanted]
    with tempfile.TemporaryDirectory() as folder:
        compilers, cubins = [], []
        for first in range(0, len(programs), PROGRAMS_PER_FILE):
            source = pathlib.Path(folder, f"programs_{first}.cu")
            chunk = programs[first:first + PROGRAMS_PER_FILE]
            source.write_text(
                program_kernels.source_text(chunk, arguments.file.name, arguments.start))
            cubins.append(source.with_suffix(".cubin"))
            compilers.append(subprocess.Popen(["nvcc", "-O3", f"-arch={arguments.arch}", "-cubin",
                                               "-o", cubins[-1], source]))
        if any([compiler.wait() != 0 for compiler in compilers]):
            sys.exit("nvcc could not compile the programs")
        if arguments.keep_cubins:
            arguments.keep_cubins.mkdir(parents=True, exist_ok=True)
            for cubin in cubins:
                (arguments.keep_cubins / cubin.name).write_bytes(cubin.read_bytes())
        listing = pathlib.Path(folder, "plan.txt")
        listing.write_text("".join(f"{a} {b} {c}\n" for a, b, c in plan))
        rows = [line.split(",") for line in run([runner, listing, *cubins]).splitlines()]
    strided = any(stride != 1 for _, _, stride in plan)
    path = arguments.out / (arguments.file.stem + "_measured.csv")
    with open(path, "w") as file:
        file.write("# per warp: cycle at which it started and finished, from the earliest start;"
                   " total_cycles = last finish - last start; median of 15 launches\n")
        file.write("program,warps," + "warp_stride," * strided +
                   "clock_start,total_cycles,start:finish per warp\n")
        for program, warps, stride, total, intervals in rows:
            file.write(f"{program},{warps}," + f"{stride}," * strided +
                       f"{arguments.start},{total},{intervals}\n")
    say(f"wrote {path}")


def measure_accesses(arguments):
    accesses = AccessList(arguments.file)
    out = arguments.out / arguments.file.stem
    everything = not (arguments.counters or arguments.throughput or arguments.latency)
    if arguments.throughput or everything:
        measure_timed(accesses, out, "throughput", "cycles_per_inst",
                      "16 warps of one block issue the same access over and over; cycles_per_inst ="
                      " extra cycles per extra warp instruction, one SM")
    if arguments.latency or everything:
        measure_timed(accesses, out, "latency", "chain_cycles",
                      "one warp, each access waits for the one before (one LOP3 between); cycles a"
                      " step; operations without a result do not wait")
    if arguments.counters or everything:
        measure_counters(accesses, out, arguments.metric)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    accesses = commands.add_parser("accesses")
    programs = commands.add_parser("programs")
    for command in (accesses, programs):
        command.add_argument("file", type=pathlib.Path)
        command.add_argument("--out", type=pathlib.Path, required=True)
    for step in ("counters", "throughput", "latency"):
        accesses.add_argument(f"--{step}", action="store_true")
    accesses.add_argument("--metric", action="append", default=[])
    programs.add_argument("--warps", default="1,2,4,8,16")
    programs.add_argument("--warp-stride", type=int, default=1)
    programs.add_argument("--plan", type=pathlib.Path)
    programs.add_argument("--start", choices=("arrival", "release", "release-data-ready"),
                          default="arrival")
    programs.add_argument("--arch", default="sm_90")
    programs.add_argument("--keep-cubins", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    (measure_accesses if arguments.command == "accesses" else measure_programs)(arguments)


if __name__ == "__main__":
    main()
