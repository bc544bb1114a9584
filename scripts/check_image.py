#!/usr/bin/env python3
"""Whether a linked image is one that a gadget takes as an update (E29), and that it starts.

usage: check_image.py IMAGE.bin BOARD [VECTORS]

VECTORS: offset of the Cortex-M's vector table, 512 by default; 0: it is not looked at. Says what is wrong and ends with 1.
"""
import pathlib
import re
import struct
import sys

VERSION, PROJECT = 48, 80
LEAST = 288  # bytes of header and description


def faults(image, board, vectors):
    if len(image) < max(LEAST, vectors + 64):
        yield f"{len(image)} bytes are no image"
        return
    if image[0] != 0xE9:
        yield f"byte 0 is {image[0]:02X}, not E9"
    if struct.unpack_from("<I", image, 32)[0] != 0xABCD5432:
        yield "no ABCD5432 at 32"
    version = image[VERSION:VERSION + 32].split(b"\0")[0]
    if not re.fullmatch(rb"[ -~]+", version):
        yield f"the version at 48 is {version!r}"
    if not image[PROJECT:].startswith(b"hermes_gadget\0"):
        yield "no hermes_gadget at 80"
    mark = re.search(rb"HGBOARD=([^\x00-\x1f\xff]+)", image)
    if mark is None or mark.group(1) != board.encode():
        yield f"it names the board {mark.group(1) if mark else None!r}, not {board!r}"
    if vectors:
        stack, reset = struct.unpack_from("<II", image, vectors)
        if stack >> 28 != 2 or reset % 2 == 0:
            yield f"no vector table at {vectors}: stack {stack:08X}, reset {reset:08X}"


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    found = list(faults(pathlib.Path(sys.argv[1]).read_bytes(), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 512))
    for fault in found:
        print(f"{sys.argv[1]}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
