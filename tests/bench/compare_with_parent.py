#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is this commit slower than its parent? Builds both `bench`es, runs them by turns, prints ratios.

The parent is built in a temporary git worktree; this side is the working tree as it is. Each round
runs the parent, then this side; of every benchmark the fastest round of each side counts, because
a busy machine only ever makes a round slower. Exit code 1 when a benchmark is slower than
--tolerance allows, 2 when something could not be built or run.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEFAULT_FILTER = "^(analyze/ld/32_bit/|count/.*/h200/ld/32_bit/|replay/.*/threads_[12]/|saturated|spread)"


def run(command, **options):
    return subprocess.run(command, check=True, **options)


def build(source, folder, jobs):
    """Configures and builds the target `bench`; its path."""
    run(["cmake", "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"],
        stdout=subprocess.DEVNULL)
    run(["cmake", "--build", folder, "--target", "bench", "-j", str(jobs)],
        stdout=subprocess.DEVNULL)
    return os.path.join(folder, "tests", "bench")


def nanoseconds(entry):
    """An iteration's time: by the clock on the wall where threads work, else the processor's."""
    scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[entry["time_unit"]]
    kind = "real_time" if entry["name"].endswith("/real_time") else "cpu_time"
    return entry[kind] * scale


def measure(bench, options, best):
    """Runs `bench` once and keeps the least time of each benchmark in `best`."""
    result = run([bench, f"--benchmark_filter={options.filter}", "--benchmark_format=json",
                  f"--benchmark_min_time={options.min_seconds}"],
                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if not result.stdout.strip():  # no benchmark of that name
        return
    for entry in json.loads(result.stdout)["benchmarks"]:
        if entry.get("error_occurred"):
            raise RuntimeError(f"{entry['name']}: {entry['error_message']}")
        time = nanoseconds(entry)
        best[entry["name"]] = min(time, best.get(entry["name"], time))


def print_table(parent, this):
    """One line a benchmark; the ratios, above 1 where this side is faster."""
    ratios = {name: parent[name] / this[name] for name in this if name in parent}
    width = max((len(name) for name in {**parent, **this}), default=9)
    print(f"{'benchmark':{width}}  {'parent_us':>10}  {'this_us':>10}  ratio")
    for name in {**this, **parent}:
        cells = [f"{side[name] / 1e3:10.1f}" if name in side else f"{'-':>10}"
                 for side in (parent, this)]
        ratio = f"{ratios[name]:5.2f}" if name in ratios else "    -"
        print(f"{name:{width}}  {cells[0]}  {cells[1]}  {ratio}")
    return ratios


def compare(options, folder):
    tree = os.path.join(folder, "parent")
    run(["git", "-C", ROOT, "worktree", "add", "--detach", "--quiet", tree, options.parent])
    try:
        parent_bench = build(tree, os.path.join(folder, "parent_build"), options.jobs)
        this_bench = build(ROOT, options.build or os.path.join(folder, "this_build"), options.jobs)
        parent, this = {}, {}
        for _ in range(options.rounds):
            measure(parent_bench, options, parent)
            measure(this_bench, options, this)
    finally:
        run(["git", "-C", ROOT, "worktree", "remove", "--force", tree])
    slower = [name for name, ratio in print_table(parent, this).items()
              if ratio < 1 - options.tolerance / 100]
    for name in slower:
        print(f"slower than the parent by more than {options.tolerance:g} %: {name}",
              file=sys.stderr)
    return 1 if slower else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parent", default="HEAD^", help="the commit to compare with")
    parser.add_argument("--build", help="this side's build folder; a temporary one without it")
    parser.add_argument("--filter", default=DEFAULT_FILTER, help="which benchmarks: a regex")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--min-seconds", type=float, default=0.05, help="of a benchmark in a round")
    parser.add_argument("--tolerance", type=float, default=15, help="percent")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    try:
        re.compile(options.filter)
        with tempfile.TemporaryDirectory(prefix="smemsim-bench-") as folder:
            return compare(options, folder)
    except (subprocess.CalledProcessError, RuntimeError, re.error, OSError) as error:
        print(f"compare_with_parent: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
