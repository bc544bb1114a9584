#!/usr/bin/python3
"""Bakes DejaVu Sans and GNU Unifont into the bitmap tables of device/screen (font_*.cpp).

The tables are committed; run this only to change sizes or characters. Needs the Debian packages
python3-pil, fonts-dejavu-core and fonts-unifont:

    scripts/bake_font.py            # writes device/screen/font_*.cpp

DejaVu: a glyph is 4, 2 or 1 bits a pixel (0 nothing, all ones full), row by row without padding, the high bits
first, and starts at a byte. Advances are whole pixels, as hinted. Two bits are enough where letters are large:
fewer of their pixels are edges. One bit is for panels whose pixels are black or white.

With 2 or 4 bits a pixel, a row that is as the one above is a 1; any other is a 0 and its pixels, and a pixel that is
as the one to its left (nothing at the beginning) is a 0, any other a 1 and its bits: three quarters of the memory.

Unifont: 16 x 16 pixels of one bit, four 64-bit numbers a glyph, each four rows, the top left pixel in the highest
bit. Which characters it has is a rule, not a list: see wide_codes().
"""

import pathlib

from PIL import Image, ImageDraw, ImageFont

FONT_DIR = pathlib.Path("/usr/share/fonts/truetype/dejavu")
OUT_DIR = pathlib.Path(__file__).resolve().parent.parent / "device" / "screen"

UNIFONT = pathlib.Path("/usr/share/fonts/opentype/unifont/unifont.otf")
CELL = 16  # pixels of a wide character, both ways

# name, file, pixels an em, bits a pixel, whether it has the parts beyond ASCII
FONTS = [
    ("small", "DejaVuSans.ttf", 13, 4, True),
    ("medium", "DejaVuSans.ttf", 17, 4, True),
    ("large", "DejaVuSans-Bold.ttf", 26, 2, True),
    ("mono_small", "DejaVuSans.ttf", 10, 1, False),
    ("mono_large", "DejaVuSans-Bold.ttf", 14, 1, False),
]

ASCII = list(range(0x20, 0x7F))
# Latin-1, Latin Extended-A, and the punctuation and signs that agents like to write.
MARKS = list(range(0x300, 0x305)) + list(range(0x306, 0x30D)) + [0x327, 0x328]  # that combine
LATIN = (
    list(range(0xA0, 0x180))
    + MARKS
    + [0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E]
    + [0x2020, 0x2022, 0x2026, 0x202F, 0x2030, 0x2032, 0x2033, 0x2039, 0x203A, 0x20AC, 0x2122]
    + [0x2190, 0x2191, 0x2192, 0x2193, 0x2212, 0x2248, 0x2260, 0x2264, 0x2265, 0x2713, 0x2717]
)

# Monotonic Greek; Cyrillic of the Slavic and the larger Turkic languages and Mongolian.
GREEK_CYRILLIC = (
    [c for c in range(0x384, 0x3CF) if c not in (0x38B, 0x38D, 0x3A2)]
    + list(range(0x400, 0x460))
    + list(range(0x490, 0x49E))
    + [0x4A2, 0x4A3, *range(0x4AE, 0x4B4), 0x4BA, 0x4BB, 0x4D8, 0x4D9, 0x4E8, 0x4E9]
)


def rows_of(encoding, first, last):
    """The characters of rows `first` to `last` of a national standard of 94 x 94, by its EUC encoding."""
    found = set()
    for row in range(first, last + 1):
        for cell in range(1, 95):
            try:
                text = bytes([0xA0 + row, 0xA0 + cell]).decode(encoding)
            except UnicodeDecodeError:
                continue
            if len(text) == 1:
                found.add(ord(text))
    return found


def wide_codes():
    """Symbols and kana of JIS X 0208 and GB 2312, full and half width forms, and the ideographs that each
    standard calls common: JIS X 0208 level 1 (the Joyo kanji but for a few), GB 2312 level 1 (simplified),
    Big5 level 1 (traditional)."""
    codes = rows_of("euc_jp", 1, 2) | rows_of("euc_jp", 4, 5) | rows_of("gb2312", 1, 1)
    codes |= set(range(0x3000, 0x3020)) | set(range(0x3041, 0x3097)) | set(range(0x3099, 0x3100))
    codes |= set(range(0xFF01, 0xFF5F)) | set(range(0xFF61, 0xFFA0)) | {0xFFE0, 0xFFE1, 0xFFE5, 0xFFE6}
    codes |= rows_of("euc_jp", 16, 47) | rows_of("gb2312", 16, 55)
    for high in range(0xA4, 0xC7):
        for low in [*range(0x40, 0x7F), *range(0xA1, 0xFF)]:
            try:
                codes.add(ord(bytes([high, low]).decode("big5")))
            except UnicodeDecodeError:
                continue
    return sorted(c for c in codes if 0x2000 <= c <= 0xFFFF and c not in LATIN)


def bake_wide(font, code):
    """Sixteen rows of sixteen pixels, as four numbers."""
    image = Image.new("1", (CELL, CELL), 0)
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1"
    draw.text((0, CELL - 2), chr(code), fill=1, font=font, anchor="ls")
    bits = int.from_bytes(image.tobytes(), "big")
    return [bits >> shift & (1 << 64) - 1 for shift in (192, 128, 64, 0)]


def pack(lines, depth):
    """The bits of a glyph's rows, as text."""
    bits, above = "", None
    for line in lines:
        bits += "1" if line == above else "0"
        if line != above:
            for left, value in zip([0, *line], line):
                bits += "0" if value == left else f"1{value:0{depth}b}"
        above = line
    return bits


def bake(font, code, depth):
    """One glyph: its cropped bitmap and where it stands relative to the pen on the base line."""
    pad = 48
    image = Image.new("L", (2 * pad, 2 * pad), 0)
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1" if depth == 1 else "L"
    draw.text((pad, pad), chr(code), fill=255, font=font, anchor="ls")
    advance = 0 if code in MARKS else round(font.getlength(chr(code), mode=draw.fontmode))
    full = (1 << depth) - 1
    image = image.point(lambda v: (v * full + 127) // 255)
    box = image.getbbox()
    if box is None:
        return {"w": 0, "h": 0, "x": 0, "y": 0, "advance": advance, "bits": b""}
    values = list(image.crop(box).getdata())
    width = box[2] - box[0]
    if depth == 1:
        bits = "".join(str(v) for v in values)
    else:
        bits = pack([values[at : at + width] for at in range(0, len(values), width)], depth)
    bits += "0" * (-len(bits) % 8)
    return {
        "w": box[2] - box[0],
        "h": box[3] - box[1],
        "x": box[0] - pad,
        "y": pad - box[1],
        "advance": advance,
        "bits": int(bits, 2).to_bytes(len(bits) // 8, "big"),
    }


def rows(values, per_row):
    for start in range(0, len(values), per_row):
        yield "    " + ",".join(values[start : start + per_row]) + ",\n"


def table(name, glyphs):
    """The arrays of one set of glyphs."""
    text = f"constexpr std::uint8_t k{name}Bits[] = {{\n"
    data = b"".join(g["bits"] for g in glyphs)
    assert len(data) < 65536, "a glyph's offset has 16 bits"
    text += "".join(rows([str(v) for v in data], 28)) + "};\n\n"
    text += f"constexpr Glyph k{name}Glyphs[] = {{\n"
    offset, cells = 0, []
    for g in glyphs:
        cells.append(f"{{{offset},{g['w']},{g['h']},{g['x']},{g['y']},{g['advance']}}}")
        offset += len(g["bits"])
    text += "".join(rows(cells, 5)) + "};\n\n"
    return text, len(data) + 6 * len(glyphs)


def write(path, what, body, notice="DejaVu fonts are free to use and embed; notice in docs/licences/DejaVu.txt."):
    path.write_text(
        f"// {path.name} - {what}.\n"
        "// Generated by scripts/bake_font.py: do not edit.\n"
        f"// {notice}\n"
        '#include "device/screen/font.hpp"\n\n'
        "// clang-format off\n"
        "namespace gadget::device::screen {\nnamespace {\n\n"
        f"{body}}}  // namespace gadget::device::screen\n"
    )


def write_part(name, title, what, codes, glyphs, header):
    """A part with more characters, beside the ASCII ones."""
    body, size = table(what, glyphs)
    body += f"constexpr std::uint16_t k{what}Codes[] = {{\n"
    body += "".join(rows([f"{c}" for c in codes], 20)) + "};\n\n}  // namespace\n\n"
    body += f"const FontPart k{title}{what}{{k{what}Bits,k{what}Glyphs,k{what}Codes,{len(codes)}}};\n\n"
    suffix = "latin" if what == "Latin" else "greek_cyrillic"
    write(OUT_DIR / f"font_{name}_{suffix}.cpp", header, body)
    return size + 2 * len(codes)


def write_wide():
    font = ImageFont.truetype(str(UNIFONT), CELL, layout_engine=ImageFont.Layout.BASIC)
    codes = wide_codes()
    glyphs = [bake_wide(font, c) for c in codes]
    body = "constexpr std::uint64_t kRows[] = {\n"
    body += "".join(rows([f"0x{v:x}" for g in glyphs for v in g], 8)) + "};\n\n"
    body += "constexpr std::uint16_t kCodes[] = {\n"
    body += "".join(rows([f"{c}" for c in codes], 20)) + "};\n\n}  // namespace\n\n"
    body += f"const WideFont kWide{{kRows,kCodes,{len(codes)}}};\n\n"
    write(
        OUT_DIR / "font_wide.cpp",
        "GNU Unifont 16 px, kana and common ideographs",
        body,
        "GNU Unifont, under the SIL Open Font License 1.1; notice in docs/licences/Unifont.txt.",
    )
    print(f"wide: {len(codes)} characters, {34 * len(codes)} bytes")


def main():
    for name, file, size, depth, parts in FONTS:
        font = ImageFont.truetype(str(FONT_DIR / file), size, layout_engine=ImageFont.Layout.BASIC)
        ascii_glyphs = [bake(font, c, depth) for c in ASCII]
        # A line is as high as the tallest ASCII glyph and the deepest, plus a little air.
        ascent = max(g["y"] for g in ascii_glyphs)
        descent = max(g["h"] - g["y"] for g in ascii_glyphs)
        height = ascent + descent + (max(2, size // 8) if depth > 1 else 1)
        cap = next(g["h"] for c, g in zip(ASCII, ascii_glyphs) if c == ord("H"))
        metrics = f"{height},{ascent},{cap},{depth}"
        title = "".join(word.capitalize() for word in name.split("_"))

        body, bytes_ascii = table("Ascii", ascii_glyphs)
        body += f"}}  // namespace\n\nconst AsciiFont k{title}{{{metrics},kAsciiBits,kAsciiGlyphs}};\n\n"
        write(OUT_DIR / f"font_{name}.cpp", f"{file} {size} px, ASCII", body)
        print(f"{name}: {size} px, line {height}, ASCII {bytes_ascii} bytes")
        if not parts:
            continue
        for what, codes, about in [
            ("Latin", LATIN, "Latin beyond ASCII"),
            ("GreekCyrillic", GREEK_CYRILLIC, "Greek and Cyrillic"),
        ]:
            codes = sorted(codes)
            glyphs = [bake(font, c, depth) for c in codes]
            used = write_part(name, title, what, codes, glyphs, f"{file} {size} px, {about}")
            print(f"{name}: {about} {used} bytes")
    write_wide()


if __name__ == "__main__":
    main()
