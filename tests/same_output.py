#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether two builds of smemsim print the same bytes.

tests/same_output.py OLD_SMEMSIM NEW_SMEMSIM [--data FOLDER] [--skip TEXT…]

Runs run, compare, sweep, explain and budget on every trace and measurement below FOLDER (the
traces/ beside this script) with both programs and compares standard output, standard error, files
written and exit codes. Prints each command that differs; exit 1 if any does. For changes that are
to move code and nothing else; what a change means to alter is left out with --skip.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

SWEEPS = [
    "sweep --chunk 16,32,64,128 --type fp16 --width 2 --pad 0,2,4,8,16 --threads 32,64,128,256",
    "sweep --chunk 64 --type fp32 --width 4,8,16 --pad 0:32 --threads 64 --op st",
    "sweep --chunk 7,56 --type bf16,fp32 --width 8 --pad 0:16 --threads 32 --format csv",
]
EXPLAINS = [
    "explain --bytes 16 --index 0", "explain --bytes 16 --index lane%4*16",
    "explain --op st --bytes 8 --index lane/2*8", "explain --op atom.cas.b32 --bytes 4 --index lane/3*4",
]
GENERATED = ["transpose:tile=32", "transpose:tile=32,pad=1", "stride:words=33,width=8,repeat=20,warps=4",
             "chunk:chunk=48,pad=1,width=16,threads=64", "conv:", "swizzle:", "tile:order=column"]


def commands(data):
    """Every command line, as a list of words."""
    for text in SWEEPS + EXPLAINS + ["budget --tile 128x128x32 --buffers 2 --pad 4 --threads 256"]:
        yield text.split()
    files = sorted(str(path) for path in data.rglob("*") if path.is_file())
    traces = [f for f in files if f.endswith(".smt") or "samples" in f and ".csv" in f]
    for trace in traces + GENERATED:
        for by in ("operation", "pc", "kernel", "array"):
            yield ["run", trace, "--fast", "--by", by, "--format", "csv"]
        yield ["run", trace, "--fast", "--format", "json", "--per-access", "OUTPUT"]
        yield ["run", trace, "--by", "kernel"]
        yield ["run", trace, "--show", "accesses,cycles,stalls,warps", "--format", "json"]
    for trace in traces[:3] + GENERATED:
        yield ["run", trace, "--per-access", "OUTPUT"]
        yield ["run", trace, "--vcd", "OUTPUT"]
        yield ["run", trace, "--timeline", "OUTPUT"]
    for file in files:
        name = os.path.basename(file)
        programs = file.replace("_measured.csv", ".json")
        for again in ("_again", "_copied"):
            programs = programs.replace(again, "")
        if programs != file and os.path.exists(programs):
            yield ["compare", programs, "--measured", file]
            yield ["compare", programs, "--measured", file, "--format", "json", "--worst", "5"]
        elif name.endswith(".json"):
            yield ["run", file, "--warps", "1,3,4", "--format", "csv"]
            yield ["run", file, "--warps", "2", "--warp-stride", "4"]
            yield ["run", file, "--fast", "--by", "kernel"]
        elif name == "index.csv":
            yield ["compare", file]
        elif ".csv" in name and "samples" not in file and "_raw" not in name:
            yield ["compare", file]
            yield ["run", file, "--fast", "--by", "pc"]


def result(program, words):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "output")
        words = [output if word == "OUTPUT" else word for word in words]
        done = subprocess.run([program, *words], capture_output=True, stdin=subprocess.DEVNULL)
        written = pathlib.Path(output).read_bytes() if os.path.exists(output) else None
        strip = folder.encode()
        return (done.returncode, done.stdout.replace(strip, b""), done.stderr.replace(strip, b""),
                written)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--data", default=pathlib.Path(__file__).resolve().parent.parent / "traces")
    parser.add_argument("--skip", nargs="*", default=[])
    arguments = parser.parse_args()
    os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
    todo = [words for words in commands(pathlib.Path(arguments.data))
            if not any(text in " ".join(words) for text in arguments.skip)]
    differing = 0

    def compare(words):
        return words, result(arguments.old, words), result(arguments.new, words)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for words, old, new in pool.map(compare, todo):
            if old != new:
                differing += 1
                parts = ("exit code", "standard output", "standard error", "file")
                where = [part for part, a, b in zip(parts, old, new) if a != b]
                print("differs in", ", ".join(where) + ":", "smemsim", *words)
    print(f"{len(todo)} commands, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
