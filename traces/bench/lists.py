#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the lists measured for traces/measured/: `lists.py DIR`. Fixed seeds, same output always."""
import csv
import json
import pathlib
import random
import sys

FULL = 0xffffffff
LANES = range(32)
ATOMICS_32 = ["red.add.u32", "red.add_value.u32", "atom.add.u32", "atom.add_one.u32",
              "atom.exch.b32", "atom.cas.b32", "red.min.u32", "atom.min.u32", "red.max.s32",
              "atom.max.s32", "red.inc.u32", "atom.inc.u32", "red.dec.u32", "atom.dec.u32",
              "red.and.b32", "atom.and.b32", "red.or.b32", "atom.or.b32", "red.xor.b32",
              "atom.xor.b32"]
ATOMICS_64 = ["atom.exch.b64", "atom.cas.b64"]
LOOPS_32 = ["red.add.f32", "atom.add.f32", "red.add.noftz.f16x2", "atom.add.noftz.f16x2"]
LOOPS_64 = ["red.add.u64", "atom.add.u64", "red.max.u64", "atom.min.s64", "red.or.b64",
            "red.add.f64", "atom.add.f64"]
MATRIX = [f"{name}.x{count}{trans}" for name in ("ldmatrix", "stmatrix") for count in (1, 2, 4)
          for trans in ("", ".trans")]
ASYNC = [("cp.async.ca", 4), ("cp.async.ca", 8), ("cp.async.ca", 16), ("cp.async.cg", 16)]


def write(path, rows, columns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def text(offsets):
    return " ".join(map(str, offsets))


def random_mask(source):
    mask = source.getrandbits(32) & (source.getrandbits(32) if source.random() < 0.5 else FULL)
    return mask or 1


def atomic_offsets(size, source):
    """(mask, offsets): equal words, strides, and random ones, with full and partial masks."""
    for lanes in (1, 2, 3, 4, 8, 16, 31, 32):
        yield (1 << lanes) - 1, [0] * 32
    for stride in (1, 2, 3, 4, 8, 16, 32, 33):
        yield FULL, [lane * stride * size for lane in LANES]
    yield FULL, [lane // 2 * size for lane in LANES]
    yield FULL, [lane % 16 * size for lane in LANES]
    yield FULL, [lane % 4 * size for lane in LANES]
    yield 0xffff, [lane * size for lane in LANES]
    yield 0x55555555, [lane * size for lane in LANES]
    for words in (4, 16, 64, 256, 1024):
        for mask in (FULL, random_mask(source), random_mask(source)):
            yield mask, [source.randrange(words) * size for _ in LANES]


def atomics(names_32, names_64, source):
    for names, size in ((names_32, 4), (names_64, 8)):
        for name in names:
            for mask, offsets in atomic_offsets(size, source):
                yield name, size, f"{mask:08x}", text(offsets)


def equal_words():
    for name, size in (("atom.cas.b32", 4), ("atom.cas.b64", 8), ("atom.add.u32", 4),
                       ("atom.exch.b64", 8), ("red.add.u32", 4)):
        for lanes in range(1, 33):
            yield name, size, f"{(1 << lanes) - 1:08x}", text([0] * 32)


def matrix(source):
    """Rows of 16 bytes whose 8-lane groups collide 1, 2, 4 and 8 ways, and random ones."""
    for name in MATRIX:
        for ways in (1, 2, 4, 8):
            yield name, 16, "ffffffff", text(
                [(lane % ways + 8 * (lane // 8)) * 128 + (lane // ways) % 8 * 16 for lane in LANES])
        for stride in (1, 2, 3, 8, 9):
            yield name, 16, "ffffffff", text([lane * stride * 16 for lane in LANES])
        for chunks in (8, 32, 128, 1024):
            yield name, 16, "ffffffff", text([source.randrange(chunks) * 16 for _ in LANES])


def lane_patterns(source):
    """Named lane -> unit index maps for either side of a copy."""
    shuffled = list(LANES)
    source.shuffle(shuffled)
    yield "contiguous", list(LANES)
    yield "shifted_1", [lane + 1 for lane in LANES]
    yield "shifted_4", [lane + 4 for lane in LANES]
    yield "reversed", [31 - lane for lane in LANES]
    yield "xor_5", [lane ^ 5 for lane in LANES]
    yield "shuffled", shuffled
    for stride in (2, 4, 8, 9, 16, 32, 33):
        yield f"stride_{stride}", [lane * stride for lane in LANES]
    yield "columns", [lane % 8 * 4 + lane // 8 for lane in LANES]
    yield "columns_apart", [lane % 8 * 32 + lane // 8 for lane in LANES]
    yield "pairs_equal", [lane // 2 for lane in LANES]
    yield "all_equal", [0] * 32
    yield "random_64", [source.randrange(64) for _ in LANES]
    yield "random_1024", [source.randrange(1024) for _ in LANES]
    yield "random_distinct", source.sample(range(256), 32)


def async_copies(source, step):
    for name, size in ASYNC:
        shared, sources = list(lane_patterns(source)), list(lane_patterns(source))
        pairs = [(units, global_units) for _, units in shared for _, global_units in sources]
        for units, global_units in source.sample(pairs, 140):
            yield (name, size, "ffffffff", text(unit * size for unit in global_units), step,
                   text(unit * size for unit in units))
        for _ in range(50):
            units, global_units = source.choice(shared)[1], source.choice(sources)[1]
            yield (name, size, f"{random_mask(source):08x}",
                   text(unit * size for unit in global_units), step,
                   text(unit * size for unit in units))


def async_misses(source, rows, lines):
    """Copies of a random lane each from anywhere in so many cache lines of 128 bytes."""
    for name, size in ASYNC[:3]:
        shared = list(lane_patterns(source))
        for _ in range(rows):
            units = source.choice(shared)[1]
            spread = source.choice((lines // 8, lines // 2, lines)) * 128 // size
            global_units = [source.randrange(spread) for _ in LANES]
            if source.random() < 0.3:
                global_units = [lane * source.choice((1, 3, 5)) * 128 // size % spread
                                for lane in LANES]
            mask = FULL if source.random() < 0.6 else random_mask(source)
            yield (name, size, f"{mask:08x}", text(unit * size for unit in global_units), 65536,
                   text(unit * size for unit in units))


def store_access(source):
    """A sample of loads and stores like those of counters.csv, to check the kit itself."""
    for operation in ("ld", "st"):
        for size in (1, 2, 4, 8, 16):
            for words in (16, 64, 256, 1024):
                for mask in (FULL, random_mask(source), random_mask(source)):
                    yield operation, size, f"{mask:08x}", text(
                        source.randrange(words) * size for _ in LANES)


def pool(source, size, align):
    """Random addresses from one of several pools: few to many units, or one bank's column."""
    units = source.choice((4, 8, 16, 32, 64, 256, 1024))
    step = align * source.choice((1, 1, 1, 1, 2, 4, 8))
    start = source.randrange(256) * max(size, align) // align * align
    return lambda: start + source.randrange(units) * step


def merged_offsets(source, size, align, distance):
    """Offsets equal over lane pairs at `distance` (0: none, 3: four lanes); each quarter of the lanes
    takes its own pool or shares one, so that pairs of groups differ in height."""
    shared_pool = pool(source, size, align)
    pools = [shared_pool if source.random() < 0.6 else pool(source, size, align) for _ in range(4)]
    chosen = {}
    return [chosen.setdefault(lane & ~distance, pools[lane // 8]()) for lane in LANES]


def merging_access(source, size, align):
    """(mask, offsets) near the border of merging: equal pairs, absent partners, spoilt pairs."""
    kind = source.choice(("one", "two", "four", "absent_one", "absent_two", "spoilt", "mixed", "none"))
    distance = {"one": 1, "two": 2, "four": 3, "spoilt": source.choice((1, 2))}.get(kind, 0)
    offsets = merged_offsets(source, size, align, distance)
    mask = FULL if source.random() < 0.4 else random_mask(source)
    if kind.startswith("absent"):
        bit = 1 if kind == "absent_one" else 2
        keep = [source.choice((0, bit)) for _ in range(32)]
        mask = sum(1 << lane for lane in LANES if (lane & bit) == keep[lane & ~bit])
        if source.random() < 0.5:
            mask = mask & source.getrandbits(32) or mask
    if kind == "spoilt":
        offsets[source.randrange(32)] = pool(source, size, align)()
    if kind == "mixed":
        other = merged_offsets(source, size, align, 2)
        offsets = merged_offsets(source, size, align, 1)
        cut = source.choice((8, 16, 24))
        offsets = offsets[:cut] + other[cut:]
    return f"{mask:08x}", text(offsets)


def two_counters(source, loads_8, loads_16, others):
    for size, count in ((8, loads_8), (16, loads_16)):
        for _ in range(count):
            yield "ld", size, *merging_access(source, size, size)
    for operation, size in (("st", 8), ("st", 16), ("ld", 4), ("st", 4), ("ld", 1), ("ld", 2),
                            ("red.add.u32", 4), ("red.add_value.u32", 4), ("atom.add.u32", 4),
                            ("atom.exch.b32", 4), ("atom.cas.b32", 4), ("atom.exch.b64", 8),
                            ("atom.cas.b64", 8)):
        for _ in range(others):
            yield operation, size, *merging_access(source, size, size)
    for name in MATRIX:
        for _ in range(others // 4):
            yield name, 16, "ffffffff", merging_access(source, 16, 16)[1]


def last_lane(source):
    """LDS.128 whose halves merge, with masks full or not in each half, with and without lane 31."""
    partial = [lambda: random_mask(source) & 0xffff or 1, lambda: 0xffff,
               lambda: 1 << source.randrange(16),
               lambda: 0xffff ^ 1 << source.randrange(16), lambda: 0xff, lambda: 0x8001]
    for low in partial:
        for high in partial:
            for last in (0, 1):
                mask = (low() | high() << 16) & 0x7fffffff | last << 31
                quarters = [16 * place for place in source.sample(range(8), 4)]
                yield "ld", 16, f"{mask:08x}", text(quarters[lane // 8] for lane in LANES)


def twelve_bytes(source, count):
    """LDS.128 of whose four words three are used."""
    for stride in range(16, 257, 16):
        yield "ld", 12, "ffffffff", text(lane * stride for lane in LANES)
    for lanes in (1, 2, 7, 8, 9, 11, 15, 16, 17, 24, 25, 31):
        yield "ld", 12, f"{(1 << lanes) - 1:08x}", text(lane * 16 for lane in LANES)
    for low in LANES:  # two lanes whose words share banks: do they stand in one group?
        for high in source.sample(range(32), 6):
            if low != high:
                yield "ld", 12, f"{1 << low | 1 << high:08x}", text(
                    1024 * (lane == high) for lane in LANES)
    for _ in range(count):
        yield "ld", 12, *merging_access(source, 12, 16)


# Widths, ways, what follows a load and how often: the families of programs/random.json.
FAMILIES = {
    "wide": {"loads": 0.66, "bytes": (8, 16), "ways": (1, 1, 1, 2, 2, 4, 8), "chained": 0.12},
    "conf": {"loads": 0.67, "bytes": (4, 8, 16), "ways": (2, 4, 8, 16), "chained": 0.11},
    "stores": {"loads": 0.0, "bytes": (4, 8, 16), "ways": (1, 1, 1, 2, 2, 4, 8), "chained": 0.0},
    "loads": {"loads": 1.0, "bytes": (4, 8, 16), "ways": (1, 1, 1, 2, 2, 4, 8), "chained": 0.17},
    "mixed": {"loads": 0.69, "bytes": (4, 8, 16), "ways": (1, 1, 1, 2, 2, 4, 8), "chained": 0.14},
    "dep": {"loads": 1.0, "bytes": (4, 8, 16), "ways": (1, 1, 1, 2, 2, 4, 8), "chained": 0.51},
}


def random_program(source, index):
    family = source.choice(list(FAMILIES))
    of = FAMILIES[family]
    operations, loads = [], 0
    for _ in range(source.choice((8, 12, 16, 24))):
        is_load = source.random() < of["loads"]
        chained = loads > 0 and source.random() < of["chained"]
        operations.append({"op": "ld" if is_load else "st", "bytes": source.choice(of["bytes"]),
                           "ways": source.choice(of["ways"]),
                           "after": source.choice((1, 1, 2, 4, 8)) if chained else -1})
        loads += is_load
    return {"id": index, "name": family, "ops": operations}


def random_programs(folder):
    source = random.Random(20261130)
    programs = [random_program(source, index) for index in range(160)]
    lines = ",\n".join(json.dumps(program, separators=(",", ":")) for program in programs)
    (folder / "programs_random2.json").write_text(f"[{lines}]\n")
    with open(folder / "programs_random2_plan.csv", "w") as file:
        file.write("program,warps\n")
        for program in programs:
            for warps in sorted(source.sample((1, 2, 3, 4, 6, 8, 12, 16), 2)):
                file.write(f"{program['id']},{warps}\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    columns = ["op", "bytes", "mask", "addresses"]
    write(folder / "atomics.csv", atomics(ATOMICS_32, ATOMICS_64, random.Random(1)), columns)
    write(folder / "atomic_loops.csv", atomics(LOOPS_32, LOOPS_64, random.Random(6)), columns)
    write(folder / "equal_words.csv", equal_words(), columns)
    write(folder / "matrix.csv", matrix(random.Random(2)), columns)
    write(folder / "recheck.csv", store_access(random.Random(3)), columns)
    columns = ["op", "bytes", "mask", "global_addresses", "global_step_bytes", "addresses"]
    write(folder / "cp_async_hit.csv", async_copies(random.Random(4), 0), columns)
    hold_out = async_copies(random.Random(5), 0)
    write(folder / "cp_async_hold_out.csv", (row for row in hold_out if row[0] == "cp.async.ca"),
          columns)
    write(folder / "cp_async_miss.csv", async_copies(random.Random(4), 65536), columns)
    source = random.Random(7)
    write(folder / "cp_async_miss_hold_out.csv",
          [*async_misses(source, 40, 256), *async_misses(source, 40, 512)], columns)
    random_programs(folder)
    columns = ["op", "bytes", "mask", "addresses"]
    write(folder / "two_counters.csv", two_counters(random.Random(11), 420, 540, 24), columns)
    write(folder / "two_counters_hold_out.csv", two_counters(random.Random(12), 400, 400, 12),
          columns)
    write(folder / "last_lane.csv", last_lane(random.Random(15)), columns)
    write(folder / "twelve_bytes.csv", twelve_bytes(random.Random(13), 150), columns)


if __name__ == "__main__":
    main()
