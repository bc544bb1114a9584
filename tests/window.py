#!/usr/bin/env python3
"""The gadget's window as a person meets it: on a display (Xvfb), with keys and a mouse (xdotool).

usage: window.py HERMES-GADGET [PICTURE.png]     77: Xvfb or xdotool is not installed
"""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

PROGRAM = sys.argv[1]
PICTURE = sys.argv[2] if len(sys.argv) > 2 else None
WAIT_S = 30
PRESSED = (0xEE, 0x98, 0x48)  # of a button that is down, as RGB565 gives it back


class Screen:
    """What is on the display, from the file that Xvfb keeps it in (XWD)."""

    def __init__(self, path):
        data = open(path, "rb").read()
        head = struct.unpack(">25I", data[:100])
        self.width, self.height, self.stride = head[4], head[5], head[12]
        self.pixels = data[head[0] + head[19] * 12 :]

    def at(self, x, y):
        at = y * self.stride + 4 * x
        blue, green, red = self.pixels[at : at + 3]
        return red, green, blue

    def save(self, path, x0, y0, width, height):
        rows = b"".join(
            b"\0" + bytes(c for x in range(x0, x0 + width) for c in self.at(x, y)) for y in range(y0, y0 + height)
        )

        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        with open(path, "wb") as out:
            out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header))
            out.write(chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def wait_for(what, test):
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        found = test()
        if found:
            return found
        time.sleep(0.05)
    raise SystemExit(f"window: waited in vain for {what}")


def near(a, b):
    return all(abs(x - y) <= 8 for x, y in zip(a, b))


def run(folder, started):
    def start(*words, **more):
        child = subprocess.Popen(words, **more)
        started.append(child)
        return child

    def xdo(*words):
        return subprocess.run(["xdotool", *words], env=env, check=True, capture_output=True, text=True).stdout

    def tool(*words):
        return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True).stdout

    state = os.path.join(folder, "hub")
    hub = start(PROGRAM, "hub", "--port", "0", "--state", state, "--agent", "echo",
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    url = next(line.split()[1] for line in hub.stdout if line.startswith("ready "))
    read, write = os.pipe()
    start("Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-fbdir", folder,
          pass_fds=(write,), stderr=subprocess.DEVNULL)
    display = os.read(read, 16).decode().strip()
    env = dict(os.environ, DISPLAY=f":{display}", SDL_AUDIODRIVER="dummy")
    record = os.path.join(folder, "record")
    sim = start(PROGRAM, "sim", "--window", "--url", url, "--state", os.path.join(folder, "sim"), "--name", "kitchen",
                "--heap-check", "--record", record, env=env, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def title_is(state_name):
        found = subprocess.run(["xdotool", "search", "--name", f"^kitchen - {state_name}$"], env=env,
                               capture_output=True, text=True).stdout.split()
        return found[0] if found else None

    window = wait_for("pairing in the title", lambda: title_is("pairing"))
    device = re.search(r"hg-[0-9a-f]{16}", tool("pairing", "list", "--state", state)).group()
    tool("pairing", "approve", "gadget", device, "--state", state)
    wait_for("ready in the title", lambda: title_is("ready"))
    place = dict(re.findall(r"(\w+)=(\d+)", xdo("getwindowgeometry", "--shell", window)))
    x, y, width, height = (int(place[key]) for key in ("X", "Y", "WIDTH", "HEIGHT"))
    framebuffer = os.path.join(folder, "Xvfb_screen0")

    def button(down):
        return near(Screen(framebuffer).at(x + width - 150, y + 85), PRESSED) == down

    # Typed, sent, answered, spoken.
    xdo("windowfocus", window)
    xdo("type", "--delay", "20", "hello there")
    xdo("key", "Return")
    wait_for("the answer", lambda: title_is("replying"))
    time.sleep(0.5)
    if PICTURE:
        Screen(framebuffer).save(PICTURE, x, y, width, height)
    wait_for("the end of the answer", lambda: title_is("ready"))
    # Space holds TALK.
    xdo("keydown", "space")
    wait_for("listening", lambda: title_is("listening"))
    wait_for("TALK to be down", lambda: button(True))
    time.sleep(0.6)
    xdo("keyup", "space")
    wait_for("the answer to what was said", lambda: title_is("replying"))
    wait_for("TALK to be up", lambda: button(False))
    wait_for("ready again", lambda: title_is("ready"))
    # So does the mouse.
    xdo("mousemove", "--window", window, str(width - 95), "105")
    xdo("mousedown", "1")
    wait_for("listening", lambda: title_is("listening"))
    wait_for("TALK to be down", lambda: button(True))
    xdo("mouseup", "1")
    wait_for("ready, for that was too short", lambda: title_is("ready"))
    # It leaves as it should, and what was recorded plays again.
    sim.send_signal(signal.SIGTERM)
    if sim.wait(timeout=WAIT_S) != 0:
        raise SystemExit(f"window: sim ended with {sim.returncode}")
    print(tool("replay", record).strip())
    # Without a display it says so in one line.
    env.pop("DISPLAY")
    env.pop("WAYLAND_DISPLAY", None)
    alone = subprocess.run([PROGRAM, "sim", "--window", "--url", url, "--state", os.path.join(folder, "sim")],
                           env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT_S)
    if alone.returncode != 1 or "no display" not in alone.stderr or alone.stderr.count("\n") != 1:
        raise SystemExit(f"window: without a display: {alone.returncode} {alone.stderr}")


def main():
    if not shutil.which("Xvfb") or not shutil.which("xdotool"):
        print("window: needs Xvfb and xdotool", file=sys.stderr)
        return 77
    folder = tempfile.mkdtemp(prefix="gadget-window-")
    started = []
    try:
        run(folder, started)
    finally:
        for child in reversed(started):
            if child.poll() is None:
                child.terminate()
                child.wait()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


sys.exit(main())
