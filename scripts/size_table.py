#!/usr/bin/env python3
"""The size table of the device core, measured from the linked, garbage-collected images of the template port.

usage: size_table.py BUILD_DIR [--parts]

Prints what there is, the goal, and what is held. The goal is what each row is to be at most; where it is not reached yet,
the row says by how much it is over. What is held is what was reached, rounded up by about a hundredth: a ratchet. It ends
with 1 when a row is beyond what is held, or when an image holds what no image may hold (a heap, exceptions, printf, an
undefined symbol). Who makes something smaller lowers HELD; raising it needs a reason in the commit.
--parts: every object file's share, largest first.
"""
import collections
import pathlib
import re
import subprocess
import sys

KIB = 1024
# code of protocol/ + device/ without screen and fonts; device/websocket of it; with screen and the ASCII font;
# RAM of the core's state; the deepest stack.
GOALS = {"core": 40 * KIB, "websocket": 4 * KIB, "screen": 80 * KIB, "ram": 12 * KIB, "stack": 4 * KIB}
# Where a goal is not reached yet: what was, rounded up by about 1 %. Never below the goal.
HELD = {"core": 67_600, "websocket": 4_140, "screen": 112_300}

FORBIDDEN = re.compile(r"^(_?(m|c|re)alloc(_r)?|_?free(_r)?|_Zn[aw].*|_Zd[al].*|_sbrk|__cxa_(throw|allocate_exception|begin_catch"
                       r"|guard_acquire)|__gxx_personality.*|_Unwind_.*|_?v?s?n?i?printf(_r)?|_ZTI.*|__dynamic_cast)$")
# Sections of the map that are code or constants, and that are variables.
CODE = (".text", ".rodata", ".vectors", ".ARM.exidx", ".init_array", ".data")
FLASH_AND_RAM = 0x08000000  # everything below is not loaded
VARIABLES = (".data", ".bss", "COMMON")


def tool(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def shares(map_file):
    """Object file -> bytes of code, bytes of variables; only what was kept."""
    text = pathlib.Path(map_file).read_text()
    text = text[text.index("Linker script and memory map"):]
    code, variables = collections.Counter(), collections.Counter()
    for section, address, size, name in re.findall(
            r"^ (\.\S+|COMMON)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+)$", text, re.M):
        if int(address, 16) < FLASH_AND_RAM or int(size, 16) == 0:
            continue
        name = re.sub(r".*/(lib[\w+]+\.a)\((.*)\)$", r"\1 \2", name)
        if section.startswith(CODE):
            code[name] += int(size, 16)
        if section.startswith(VARIABLES):
            variables[name] += int(size, 16)
    return code, variables


def of(counter, *libraries):
    return sum(size for name, size in counter.items() if name.split(" ")[0] in {f"libgadget_{l}.a" for l in libraries})


def check_symbols(image):
    bad = []
    for line in tool("arm-none-eabi-nm", image).splitlines():
        kind, name = line.split()[-2:]
        if kind in "Uu" or FORBIDDEN.match(name):
            bad.append(("undefined " if kind in "Uu" else "") + name)
    return bad


def main():
    build = pathlib.Path(sys.argv[1])
    template = build / "ports/template"
    screen_image, plain_image = template / "template_screen", template / "template_headless"
    failed = False
    for image in (screen_image, plain_image):
        bad = check_symbols(image)
        if bad:
            failed = True
            print(f"{image.name} holds what no image may hold: {' '.join(bad)}", file=sys.stderr)

    code, variables = shares(f"{plain_image}.map")
    screen_code, screen_variables = shares(f"{screen_image}.map")
    if "--parts" in sys.argv:
        for name, size in screen_code.most_common():
            print(f"{size:8d}  {name}")
    room = ("protocol", "sha256_small", "device_core", "device_websocket", "device_update")
    sizes = {name: int(size, 16) for size, name in
             re.findall(r"^\S+ (\S+) \w size_of_(\w+)$",
                        tool("arm-none-eabi-nm", "-S", *map(str, template.rglob("sizes.cpp.obj"))), re.M)}
    state = sizes["gadget"] + sizes["websocket_client"]
    stack = subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("stack_depth.py")), str(screen_image),
                            str(build)], capture_output=True, text=True)
    if stack.returncode != 0 or "--parts" in sys.argv:
        print(stack.stderr, file=sys.stderr)
    failed |= stack.returncode != 0
    deepest = int(stack.stdout) if stack.returncode == 0 else 0
    rows = [
        ("code of protocol/ + device/ without screen and fonts", of(code, *room), "core"),
        ("  of it protocol/ with SHA-256", of(code, "protocol", "sha256_small"), None),
        ("  of it device/core and device/update", of(code, "device_core", "device_update"), None),
        ("  of it device/websocket", of(code, "device_websocket"), "websocket"),
        ("the same with screen and the ASCII font", of(screen_code, *room, "device_screen"), "screen"),
        ("RAM: the core's state (Gadget and websocket::Client)", state + of(screen_variables, *room), "ram"),
        ("largest stack from main, screen and template port included", deepest, "stack"),
        ("", None, None),
        ("compiler's and C library's functions", sum(n for name, n in screen_code.items()
                                                     if re.match(r"lib(gcc|c|stdc)", name)), None),
        ("whole image with screen: flash", sum(screen_code.values()), None),
        ("whole image without: flash", sum(code.values()), None),
        ("buffers of the template port (16 kHz, 8 KB messages, 160x32 pixels)", sizes["port_memory"], None),
        ("a Canvas", sizes["canvas"], None),
    ]
    print(f"{'bytes, ' + build.name:70s} {'measured':>9s} {'goal':>9s} {'held':>9s}")
    for label, size, row in rows:
        if size is None:
            print()
            continue
        if row is None:
            print(f"{label:70s} {size:9,d}")
            continue
        goal = GOALS[row]
        held = max(goal, HELD.get(row, goal))
        remark = "  <- TOO MUCH" if size > held else f"  over the goal by {size - goal:,d}" if size > goal else ""
        print(f"{label:70s} {size:9,d} {goal:9,d} {held:9,d}{remark}")
        failed |= size > held
    if failed:
        print("size: beyond what is held. `scripts/size --parts` says what costs how much.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
