#!/usr/bin/env python3
"""unpack_wheel.py WHEEL FOLDER TARGET: unpacks one folder of a wheel; TARGET appears whole or not at all."""
import pathlib
import shutil
import sys
import zipfile


def main():
    wheel, folder, target = sys.argv[1], sys.argv[2] + "/", pathlib.Path(sys.argv[3])
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith(folder) and not name.endswith("/")]
        if not names:
            sys.exit(f"{wheel} has no {folder}")
        for name in names:
            path = part / name[len(folder):]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)


if __name__ == "__main__":
    main()
