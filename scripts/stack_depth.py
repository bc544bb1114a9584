#!/usr/bin/env python3
"""Largest stack of a linked image, from GCC's call graph (-fcallgraph-info=su): that of its link-time optimisation, which
covers the rooms, and those of the port's objects.

usage: stack_depth.py IMAGE [ROOT]

Adds up the frames of the deepest chain of calls from ROOT (gadget_main). Calls through pointers are not in the compiler's
graph, so RULES says whom each of them can reach: all implementations of the interface that is called there. A caller that
no rule knows is an error, and so is a recursion that BOUNDED does not know: the result is an upper bound, or there is none.
Interrupts come on top, and the stack of what the board's own calls do beyond the template's.
"""
import collections
import pathlib
import re
import subprocess
import sys

# The C library's and the compiler's own functions (memcpy, 64-bit division, floating point) have no graph. None of those
# that are linked pushes more than 9 registers, nor calls deeper than one more of them.
LIBRARY_BYTES = 96

PLATFORM = (r"::HubLink::(connect|send_text|send_binary|close|secure)\(|::FlashStore::(get|put)\("
            r"|::Port::(fill|listen|wake|set|noticed)\(|::Slots::\w+\(|::Actions\w*::\w+\(")
BOARD = r"::(MyBoard|Board)::\w+\("
# (who calls through a pointer, whom that can reach); the first that fits counts.
RULES = [
    (r"websocket::Client::(send_frame|start|more|send|pump)\(", r"::HubLink::(random|room|send)\("),
    (r"websocket::Client::", r"::HubLink::(on_\w+|random|room|send)\("),
    (r"^(\S+\.\w+:)?gadget::device::screen::", r"::(Copy|Search|\w*Sink)::text\(|::ScreenOut::write\("),
    (r"::Receivers<.*>::receive<", PLATFORM),
    (r"::parse_message\(", r"::become_hub_message\("),
    (r"::FieldParser::take_device_value\(", r"::check_device_value\("),
    (r"__ops::_Iter_\w+<bool \(\*\)\(char\)>", r"^(?!.*__gnu_cxx).*::\w+\(char\)"),
    (r"^gadget_reset$", r"^_GLOBAL__sub_I"),
    (r"device::Console::(noticed|ok|error)\(|Console::Answer::", r"::Port::write_line\("),
    (r"device::Console::", r"::Port::(write_line|restart)\(|" + PLATFORM),
    (r"port_template::", BOARD),
    (r"device::draw\(|device::Screen::draw\(", r"::ScreenOut::show\("),
    (r"device::Gadget::fill\(", r"::SettingsMenu::fill\("),
    (r"device::Gadget::show\(", r"device::Screen::draw\("),
    (r"device::Gadget::(link_(cut_)?text|receive)\(", PLATFORM + r"|::Receivers<.*>::receive<|::become_hub_message\("),
    (r"gadget::device::Gadget::", PLATFORM + r"|::SettingsMenu::\w+\(|device::Screen::(page_count|reply_page)\("),
    (r"gadget::device::", PLATFORM),
]
# Recursions that end: (function, how many times it can be on the stack).
BOUNDED = {
    r"JsonReader::next\(": 2,             # once more behind a comma
    r"Watch::client_is_gone\(": 4,        # callbacks that restart inside callbacks
}


def read_graphs(image):
    """title -> frame bytes, title -> set of callees, titles with calls through pointers."""
    frames, calls, indirect = {}, collections.defaultdict(set), set()
    objects = image.parent / "CMakeFiles" / f"{image.name}.dir"
    for path in [*image.parent.glob(f"{image.name}.ltrans*.ci"), *objects.glob("*.ci")]:
        text = path.read_text()
        for title, label in re.findall(r'node: \{ title: "([^"]+)" label: "([^"]*)"', text):
            size = re.search(r"(\d+) bytes \((\w+)", label)
            if not size:
                continue
            if size.group(2) != "static":
                sys.exit(f"stack_depth: the frame of {title} has no fixed size ({size.group(2)})")
            frames[title] = max(frames.get(title, 0), int(size.group(1)))
        for source, target in re.findall(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', text):
            if target == "__indirect_call":
                indirect.add(source)
            else:
                calls[source].add(target)
    return frames, calls, indirect


def demangle(titles):
    parts = [title.rsplit(":", 1) for title in titles]
    names = subprocess.run(["c++filt"], input="\n".join(p[-1] for p in parts), capture_output=True, text=True,
                           check=True).stdout.split("\n")
    return {title: (pathlib.PurePath(p[0]).name + ":" if len(p) == 2 else "") + name
            for title, p, name in zip(titles, parts, names)}


def main():
    image = pathlib.Path(sys.argv[1])
    root = sys.argv[2] if len(sys.argv) > 2 else "gadget_main"
    frames, calls, indirect = read_graphs(image)
    linked = {line.split()[-1] for line in
              subprocess.run(["arm-none-eabi-nm", image], capture_output=True, text=True, check=True).stdout.splitlines()}
    names = demangle(list(frames))
    present = {title for title in frames if title.rsplit(":", 1)[-1] in linked}

    for title in indirect & present:
        for who, whom in RULES:
            if re.search(who, names[title]):
                calls[title] |= {other for other in present if re.search(whom, names[other])}
                break
        else:
            sys.exit(f"stack_depth: RULES does not say whom {names[title]} calls through a pointer")

    depth, on_stack = {}, []

    def bound_of(title):
        return next((most for who, most in BOUNDED.items() if re.search(who, names[title])), 1)

    def walk(title):
        """Bytes and chain of the deepest call from here on."""
        if title in depth:
            return depth[title]
        if title not in frames:
            return LIBRARY_BYTES, [title]
        if title in on_stack:
            if bound_of(title) == 1:
                chain = [names[t] for t in on_stack[on_stack.index(title):]]
                sys.exit("stack_depth: a recursion without a known end:\n  " + "\n  ".join(chain))
            return 0, []  # counted once for all below
        on_stack.append(title)
        best, chain = 0, []
        for target in calls[title]:
            below, path = walk(target)
            if below > best:
                best, chain = below, path
        on_stack.pop()
        depth[title] = frames[title] * bound_of(title) + best, [title] + chain
        return depth[title]

    if root not in frames:
        sys.exit(f"stack_depth: no function {root}")
    # Only Gadget::show calls Screen::draw, and it is never inlined: check that this is still so.
    core = pathlib.Path(__file__).parent.parent / "device/core"
    callers = [path.name for path in core.glob("*.cpp") for line in path.read_text().splitlines() if "screen->draw(" in line]
    if callers != ["gadget.cpp"]:
        sys.exit(f"stack_depth: Screen::draw is called in {callers}; RULES expects Gadget::show alone")
    sys.setrecursionlimit(10_000)
    total, chain = walk(root)
    print(total)
    for title in chain:
        print(f"{frames.get(title, LIBRARY_BYTES) * (bound_of(title) if title in names else 1):6d}  "
              f"{names.get(title, title)[:150]}", file=sys.stderr)


if __name__ == "__main__":
    main()
