"""`python -m tools.playground_files` fetches and builds what the playground runs on, into build/playground/.

From npm: Pyodide. From PyPI: jsonschema 4.17, the last that is plain Python, with what it needs. From here: utp's
wheel, and the Python files of the packages that the page needs. Some 15 MB, and none of it is kept in the repository.
The site takes them in where they are there (`tools/site_pages.py`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "build" / "playground"
OWN = ROOT / "tools" / "playground"
PYODIDE = "pyodide@314.0.7"
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
FETCHED = ("jsonschema==4.17.3", "pyrsistent==0.20.0")
"""jsonschema from 4.18 on, and jsonschema-rs, are made with Rust and have no build for the browser."""
TAKEN = ("attr", "attrs", "jinja2", "markupsafe", "rich", "ruamel.yaml")
"""Packages of which the Python files are enough."""
BESIDE = ("jsonschema_rs.py", "playground.py")
_SECONDS = 120
_OLDEST = (1980, 1, 1, 0, 0, 0)


def main() -> None:
    """Build all of it; an older one is replaced when the new one is whole."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        made = work / "playground"
        made.mkdir()
        _pyodide(work, made)
        _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(work / "wheel"), at=ROOT)
        [wheel] = (work / "wheel").glob("*.whl")
        shutil.copy(wheel, made / "utp.zip")
        _packages(work, made / "packages.zip")
        total = sum(path.stat().st_size for path in made.iterdir())
        listed = {"total": total, "archives": ["packages.zip", "utp.zip"]}
        (made / "files.json").write_text(json.dumps(listed), encoding="utf-8")
        shutil.rmtree(BUILT, ignore_errors=True)
        BUILT.parent.mkdir(exist_ok=True)
        shutil.copytree(made, BUILT)
    print(f"{BUILT.relative_to(ROOT)}: {total / 1e6:.1f} MB")  # noqa: T201 - it is a command


def _pyodide(work: Path, made: Path) -> None:
    _run("npm", "pack", "--silent", "--pack-destination", str(work), PYODIDE, at=work)
    [packed] = work.glob("pyodide-*.tgz")
    with tarfile.open(packed) as archive:
        for name in PYODIDE_FILES:
            source = archive.extractfile(f"package/{name}")
            if source is None:
                raise SystemExit(f"{PYODIDE} has no {name}")
            (made / name).write_bytes(source.read())


def _packages(work: Path, archive: Path) -> None:
    """Put the packages into one archive, and what stands beside them."""
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:")
    _run(*pip, "--platform", "any", "--implementation", "py", "--abi", "none", "-d", str(work / "fetched"), *FETCHED)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packages:
        for wheel in sorted((work / "fetched").glob("*.whl")):
            with zipfile.ZipFile(wheel) as fetched:
                for name in fetched.namelist():
                    packages.writestr(zipfile.ZipInfo(name, _OLDEST), fetched.read(name), zipfile.ZIP_DEFLATED)
        for package in TAKEN:
            spec = find_spec(package)
            for home in (spec and spec.submodule_search_locations) or ():
                _add(packages, Path(home), package.replace(".", "/"))
        for name in BESIDE:
            packages.write(OWN / name, name)


def _add(packages: zipfile.ZipFile, home: Path, name: str) -> None:
    for path in sorted(home.rglob("*.py")):
        packages.write(path, f"{name}/{path.relative_to(home).as_posix()}")


def _run(*words: str, at: Path | None = None) -> None:
    subprocess.run(words, cwd=at, check=True, timeout=_SECONDS, stdout=subprocess.DEVNULL)  # noqa: S603 - our own words


if __name__ == "__main__":
    main()
