#!/usr/bin/env python3
"""The size table of the device core, measured from the linked, garbage-collected images of the template port.

usage: size_table.py BUILD_DIR [--parts]

Prints what there is, the goal, and what is held. The goal is what each row is to be at most; where it is not reached yet,
the row says by how much it is over. What is held is what was reached, rounded up by about a hundredth: a ratchet. It ends
with 1 when a row is beyond what is held, or when an image holds what no image may hold (a heap, exceptions, printf, an
undefined symbol). Who makes something smaller lowers HELD; raising it needs a reason in the commit.
--parts: every object file's share, largest first.
"""
import bisect
import collections
import pathlib
import re
import subprocess
import sys

KIB = 1024
# Code of protocol/ + device/ without screen, fonts and console; device/websocket of it; the same with screen and ASCII
# font; RAM of the core's state; the deepest stack. The console, a part that a port hands in, has no goal of its own.
GOALS = {"core": 40 * KIB, "websocket": 4 * KIB, "screen": 80 * KIB, "ram": 12 * KIB, "stack": 4 * KIB}
# Rows without a goal, or beyond it: what was reached, rounded up by about 1 %. A row with a goal may always be as large.
HELD = {"console": 48_600, "all": 89_900}

FORBIDDEN = re.compile(r"^(_?(m|c|re)alloc(_r)?|_?free(_r)?|_Zn[aw].*|_Zd[al].*|_sbrk|__cxa_(throw|allocate_exception|begin_catch"
                       r"|guard_acquire)|__gxx_personality.*|_Unwind_.*|_?v?s?n?i?printf(_r)?|_ZTI.*|__dynamic_cast)$")
# Sections of the map that are code or constants, and that are variables.
CODE = (".text", ".rodata", ".vectors", ".ARM.exidx", ".init_array", ".data")
FLASH_AND_RAM = 0x08000000  # everything below is not loaded
VARIABLES = (".data", ".bss", "COMMON")


def tool(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def room_of(symbol):
    """The room that a function or table is of, by the namespace that its demangled name begins with or is made for."""
    found = re.search(r"gadget::(protocol|device::(?:screen|websocket)|device)\b", symbol)
    return found.group(1) if found else "device"  # what cannot be told apart counts as the core's


def shares(map_file):
    """What -> bytes of code, bytes of variables; only what was kept.

    The rooms are linked as one program (link-time optimisation), so that their code does not come from object files any
    more: "what" is a pair of room and function or table there, and of all else the object file and nothing.
    """
    text = pathlib.Path(map_file).read_text()
    text = text[text.index("Linker script and memory map"):]
    rows = [row for row in re.findall(r"^ (\.\S+|COMMON)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+)$", text, re.M)
            if int(row[1], 16) >= FLASH_AND_RAM and int(row[2], 16) != 0]
    mangled = [re.sub(r"^\.(text|rodata|data|bss)\.?|\.(str1|cst|lto_priv|constprop|isra|part|cold)\.?\d.*", "", row[0])
               for row in rows]
    symbols = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True,
                             check=True).stdout.split("\n")
    # Merged texts are said to be larger than what they take: none reaches beyond the next one's beginning.
    begins = sorted({int(row[1], 16) for row in rows})
    code, variables = collections.Counter(), collections.Counter()
    for (section, begin, size, name), symbol in zip(rows, symbols):
        begin = int(begin, 16)
        end = min([begin + int(size, 16), *begins[bisect.bisect_right(begins, begin):][:1]])
        if name.endswith(".ltrans.o"):
            what = (room_of(symbol), symbol or "(constants)")
        else:
            what = (re.sub(r".*/(lib[\w+]+\.a)\((.*)\)$", r"\1 \2", name), "")
        if section.startswith(CODE):
            code[what] += end - begin
        if section.startswith(VARIABLES):
            variables[what] += end - begin
    return code, variables


def of(counter, *rooms):
    return sum(size for (room, _), size in counter.items() if room in rooms)


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
    images = {name: template / f"template_{name}" for name in ("screen", "headless", "silent", "bare")}
    failed = False
    for image in images.values():
        bad = check_symbols(image)
        if bad:
            failed = True
            print(f"{image.name} holds what no image may hold: {' '.join(bad)}", file=sys.stderr)

    code, _ = shares(f"{images['bare']}.map")
    console_code, _ = shares(f"{images['headless']}.map")
    silent_code, _ = shares(f"{images['silent']}.map")
    screen_code, screen_variables = shares(f"{images['screen']}.map")
    if "--parts" in sys.argv:
        for (room, symbol), size in screen_code.most_common():
            print(f"{size:8d}  {room:17s} {symbol[:150]}")
    rooms = ("protocol", "device", "device::websocket")
    sizes = {name: int(size, 16) for size, name in
             re.findall(r"^\S+ (\S+) \w size_of_(\w+)$",
                        tool("arm-none-eabi-nm", "-S", *map(str, template.rglob("sizes.cpp.obj"))), re.M)}
    state = sizes["gadget"] + sizes["websocket_client"]
    stack = subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("stack_depth.py")), str(images["screen"])],
                           capture_output=True, text=True)
    if stack.returncode != 0 or "--parts" in sys.argv:
        print(stack.stderr, file=sys.stderr)
    failed |= stack.returncode != 0
    deepest = int(stack.stdout) if stack.returncode == 0 else 0
    rows = [
        ("code of protocol/ + device/ without screen, fonts and console", of(code, *rooms), "core"),
        ("  of it protocol/ with SHA-256", of(code, "protocol"), None),
        ("  of it device/core and device/update", of(code, "device"), None),
        ("  of it device/websocket", of(code, "device::websocket"), "websocket"),
        ("the same with the screen and the ASCII font", of(silent_code, *rooms, "device::screen"), "screen"),
        ("the same with the console, without screen", of(console_code, *rooms), "console"),
        ("with all of them", of(screen_code, *rooms, "device::screen"), "all"),
        ("RAM: the core's state (Gadget and websocket::Client)", state + of(screen_variables, *rooms), "ram"),
        ("largest stack from main, screen and template port included", deepest, "stack"),
        ("", None, None),
        ("compiler's and C library's functions", sum(n for (name, _), n in screen_code.items()
                                                     if re.match(r"lib(gcc|c|stdc)", name)), None),
        ("whole image with screen: flash", sum(screen_code.values()), None),
        ("whole image without: flash", sum(console_code.values()), None),
        ("whole image without screen and console: flash", sum(code.values()), None),
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
        goal = GOALS.get(row)
        held = max(goal or 0, HELD.get(row, 0))
        over = goal is not None and size > goal
        remark = "  <- TOO MUCH" if size > held else f"  over the goal by {size - goal:,d}" if over else ""
        print(f"{label:70s} {size:9,d} {f'{goal:,d}' if goal else '':>9s} {held:9,d}{remark}")
        failed |= size > held
    if failed:
        print("size: beyond what is held. `scripts/size --parts` says what costs how much.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
