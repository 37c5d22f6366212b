"""Attacks by files that reach kmux from elsewhere: recordings, bundles, tensors; and by what reaches a terminal."""

import json
import os
import stat
import subprocess

from scene import SAXPY_C, Missing, attack


def record(scene):
    """A recording of one call, made by kmux itself."""
    scene.program("c")
    made = scene.run("run", "p.kmux", "--backend", "cpu", KMUX_RECORD=str(scene.folder / "rec"))
    assert made.returncode == 0, made.stderr
    return scene.folder / "rec"


def changed_options(scene, options):
    folder = record(scene)
    for path in folder.glob("kernels/*/kernel.json"):
        kernel = json.loads(path.read_text())
        kernel["options"] = {**(kernel.get("options") or {}), **options}
        path.write_text(json.dumps(kernel))
    return scene.run("replay", folder, KMUX_COMPILER_READS="/", KMUX_COMPILER_WRITES="/")


@attack("a recording names a compiler of its own")
def _(scene):
    script = scene.write("cc.sh", f'#!/bin/sh\ntouch {scene.mark}\nexec /usr/bin/g++ "$@"\n', 0o755)
    changed_options(scene, {"engine": "host", "host_compiler": str(script)})
    return scene.is_marked()


@attack("a recording names folders of headers")
def _(scene):
    scene.write("elsewhere/secret.h", "#error kmux-secret-value\n")
    folder = record(scene)
    for path in folder.glob("kernels/*/*.c"):
        path.write_text("#include <secret.h>\n" + SAXPY_C)
    result = changed_options(scene, {"include_dirs": str(scene.folder / "elsewhere")})
    return b"kmux-secret-value" in result.stdout + result.stderr


def shape_attack(shape):
    """A call whose tensors cannot be."""

    def run(scene):
        folder = record(scene)
        for path in folder.rglob("*.jsonl"):
            lines = path.read_text().splitlines()
            path.write_text("\n".join(line.replace("[1000]", json.dumps(shape)) for line in lines) + "\n")
        return scene.run("replay", folder).returncode not in (1, 3)

    return run


for _shape in ([100000000000], [1 << 62], [-5], [1 << 32, 1 << 32]):
    attack(f"a recording with the shape {_shape}")(shape_attack(_shape))


@attack("a bundle of 146 KB that takes gigabytes")
def _(scene):
    record(scene)
    scene.run("cache", "export", "good.bundle")
    maker = "import io, sys, tarfile\n"
    maker += "out = tarfile.open(fileobj=sys.stdout.buffer, mode='w|')\n"
    maker += "for i in range(16):\n  info = tarfile.TarInfo('v1/aa/' + 'a' * 64 + '/' + 'b' * 64 + f'/f{i}'); info.size = 255 << 20\n"
    maker += "  out.addfile(info, io.BytesIO(bytes(255 << 20)))\nout.close()\n"
    with open(scene.folder / "bomb", "wb") as out:
        packed = subprocess.Popen(["python3", "-c", maker], stdout=subprocess.PIPE)
        subprocess.run(["gzip", "-1"], stdin=packed.stdout, stdout=out, check=True)
        packed.wait()

    def limited(*words):
        command = ["/bin/sh", "-c", 'ulimit -v 2000000; exec "$@"', "sh", scene.kmux, *words]
        return subprocess.run(command, env=scene.environment, capture_output=True, check=False)

    if limited("--version").returncode != 0:
        raise Missing("a command that runs in 2 GB of addresses, which a sanitizer does not")
    result = limited("cache", "import", scene.folder / "bomb")
    return result.returncode not in (2, 3) or b"Please report" in result.stderr


def pipe_attack(*words):
    """A pipe in the place of a file."""

    def run(scene):
        scene.program("c")
        os.mkfifo(scene.folder / "pipe")
        try:
            return scene.run(*words, timeout=20).returncode == 0
        except subprocess.TimeoutExpired:
            return True

    return run


for _words in (
    ["cache", "import", "pipe"],
    ["run", "pipe"],
    ["run", "p.kmux", "--backend", "cpu", "--in", "x=pipe"],
    ["replay", "pipe"],
    ["resolve", "p.kmux", "--policy", "pinned", "--lock-file", "pipe"],
):
    attack(f"a pipe: kmux {' '.join(_words)}")(pipe_attack(*_words))

TITLE = "\x1b]0;owned\x07"


def has_controls(result):
    return any(byte in result.stdout + result.stderr for byte in (b"\x1b]0", b"\x07", b"\x1b["))


def terminal_attack(*words, change=lambda scene: None):
    """Control characters of a program's that would reach the terminal."""

    def run(scene):
        scene.program("c")
        change(scene)
        return has_controls(scene.run(*words))

    return run


def with_error(scene):
    scene.write("k.c", f'#error "{TITLE}"\n' + SAXPY_C)


def with_warning(scene):
    scene.write("k.c", f'#warning "{TITLE}"\n' + SAXPY_C)


def with_assert(scene):
    text = (scene.folder / "p.kmux").read_text()
    scene.write("p.kmux", text.replace("  launch", f'  assert n > 5000, "{TITLE}"\n  launch'))


def with_path(scene):
    text = (scene.folder / "p.kmux").read_text()
    scene.write("p.kmux", text.replace('"k.c"', f'"k{TITLE}.c"'))


def with_name(scene):
    text = (scene.folder / "p.kmux").read_text()
    scene.write("p.kmux", text.replace("kernel saxpy", f"kernel sax{TITLE}py"))


for _name, _change in {"error": with_error, "warning": with_warning, "assertion": with_assert, "path": with_path, "name": with_name}.items():
    attack(f"control characters in an {_name}, run")(terminal_attack("run", "p.kmux", "--backend", "cpu", "--verbose", change=_change))
    attack(f"control characters in an {_name}, show")(terminal_attack("show", "p.kmux", change=_change))


def deep_attack(text):
    """A source that is too deep for a compiler's stack, with the compiler in a process of its own."""

    def run(scene):
        scene.program("c", source=("k.c", SAXPY_C + text))
        result = scene.run("compile", "p.kmux", "--backend", "cpu", "--no-cache", KMUX_ISOLATION="process")
        return result.returncode not in (0, 5)

    return run


for _what, _text in {
    "60,000 sums": "int f(int x) { return " + "x + " * 60000 + "x; }\n",
    "100,000 signs": "int f(int x) { return " + "- " * 100000 + "x; }\n",
    "30,000 ifs": "int f(int x) { " + "if (x) " * 30000 + "x = 1; return x; }\n",
    "200,000 brackets": "int f(int x) { return " + "(" * 200000 + "x" + ")" * 200000 + "; }\n",
    "50,000 blocks": "void f(void) " + "{" * 50000 + "}" * 50000 + "\n",
}.items():
    attack(f"a deep source: {_what}")(deep_attack(_text))


@attack("KMUX_RECORD is a link of somebody else's")
def _(scene):
    scene.needs_root()
    scene.program("c")
    shared = scene.folder / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    victims = scene.write("precious", "precious\n")
    scene.as_user(2002, f"mkdir -m 777 {shared}/rec; ln -s {victims} {shared}/rec/calls.jsonl")
    scene.run("run", "p.kmux", "--backend", "cpu", KMUX_RECORD=str(shared / "rec"))
    return victims.read_text() != "precious\n" or stat.S_IMODE((shared / "rec").stat().st_mode) == 0o777 and any(
        path.is_file() and not path.is_symlink() for path in (shared / "rec").iterdir()
    )
