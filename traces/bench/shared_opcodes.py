# SPDX-License-Identifier: Apache-2.0
"""Reads `cuobjdump --dump-sass`; prints per count_kernel the shared-memory opcodes it executes."""
import re
import sys

SHARED = re.compile(r"\s(LDSM?|STSM?|ATOMS|LDGSTS)(\.\S+)*(?=\s)")
function, opcodes = None, {}
for line in sys.stdin:
    header = re.search(r"Function : (\S+)", line)
    if header:
        function = header.group(1)
        opcodes[function] = []
    elif re.match(r"\s+/\*[0-9a-f]{4,}\*/", line):
        found = SHARED.search(line)
        if found:
            opcodes[function].append(found.group(0).strip())
for name, found in opcodes.items():
    kernel = re.search(r"count_kernelINS0_\d+(\w+?)E", name)
    if kernel:
        print(f"{kernel.group(1)}: {' '.join(found)}")
