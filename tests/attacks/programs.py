"""Attacks by what a program consists of: names and contents of its files, flags, macros, names of kernels."""

import subprocess

from scene import SAXPY_C, SAXPY_CU, attack

LIBRARIES = ["libz.so.1", "libmpc.so.3", "libsframe.so.0", "librt.so.1", "libdl.so.2"]
APART = {"KMUX_ISOLATION": "process"}
# Kinds of compilers, with the dialect that they take and the variables that choose them. "apart": in a worker.
BACKENDS = {
    "cuda": ("cuda", {}),
    "host": ("c", {"KMUX_OPTION_CPU_ENGINE": "host"}),
    "hip": ("cuda", {"KMUX_OPTION_HIP_ENGINE": "clang"}),
    "cpu apart": ("c", APART),
    "nvrtc apart": ("cuda", APART),
}


def backend_of(kind):
    return "cpu" if kind == "host" else kind.removesuffix(" apart")


def compiled(scene, kind, lifted, **variables):
    dialect, options = BACKENDS[kind]
    backend = backend_of(kind)
    scene.needs_backend(backend)
    if lifted:
        scene.lift_file_rules()
    return scene.compile(backend, **(options | variables))


def library_attack(kind, lifted, names, variables):
    """A header of the program that a compiler would load as a library, were it started beside it."""

    def run(scene):
        evil = scene.evil_library()
        scene.program(BACKENDS[kind][0], headers={name: evil for name in names})
        # Where the command itself stands, the loader looks for its own libraries, and for the driver's.
        compiled(scene, kind, lifted, cwd=scene.stand, **variables)
        return scene.is_marked()

    return run


@attack("the library itself: without it, the others prove nothing")
def _(scene):
    scene.program("c", headers={name: scene.evil_library() for name in LIBRARIES})
    command = "LD_LIBRARY_PATH=: gcc -c k.c -o k.o; PATH=:$PATH gcc -c k.c -o k.o"
    subprocess.run(["/bin/sh", "-c", command], cwd=scene.folder, env=scene.environment, capture_output=True, check=False)
    if not scene.is_marked():
        raise AssertionError("a library that no compiler loads; mend tests/attacks/programs.py")
    return False


for _kind in BACKENDS:
    for _lifted in (False, True):
        _how = f"{_kind}{', files lifted' if _lifted else ''}"
        for _what, _variables in {
            "as the loader finds it": {},
            "with a colon at the end of LD_LIBRARY_PATH": {"LD_LIBRARY_PATH": "/usr/local/cuda/lib64:"},
            "with a dot in LD_LIBRARY_PATH": {"LD_LIBRARY_PATH": ".:/nowhere"},
        }.items():
            attack(f"header is a library, {_how}, {_what}")(library_attack(_kind, _lifted, LIBRARIES, _variables))


@attack("header is libgcc_s.so.1, which ld looks for where it stands")
def _(scene):
    scene.program("c", headers={"libgcc_s.so.1": scene.evil_library(), "libgcc_s.so": "INPUT(libgcc_s.so.1)"})
    compiled(scene, "host", lifted=True)
    return scene.is_marked()


def tool_attack(kind, name, path):
    """A header of the program that a compiler would start as a program."""

    def run(scene):
        script = f"#!/bin/sh\ntouch {scene.mark}\nexit 1\n"
        scene.program(BACKENDS[kind][0], headers={name: script})
        (scene.folder / name).chmod(0o755)
        compiled(scene, kind, lifted=True, PATH=path.format(path=scene.environment["PATH"]))
        return scene.is_marked()

    return run


for _kind, _tools in {"host": ["as", "ld", "collect2", "cc1"], "cuda": ["ptxas", "cicc", "gcc", "cudafe++"]}.items():
    for _tool in _tools:
        attack(f"header is {_tool}, {_kind}, with a dot in PATH")(tool_attack(_kind, _tool, ".:{path}"))
    attack(f"header is {_tools[0]}, {_kind}, with a colon before PATH")(tool_attack(_kind, _tools[0], ":{path}"))


def launcher_attack(name, padding):
    """A header that would replace the launcher of kmux while that is compiled."""

    def run(scene):
        text = f'.section .rodata\n.globl stolen\nstolen: .asciz "MARKER_OWNED"\n' if name.endswith(".s") else '// x\nchar stolen[] = "MARKER_OWNED";\n'
        headers = {f"a{i}.h": "/" * (12 << 20) for i in range(padding)} | {name: text}
        scene.program("cuda", headers=headers)
        scene.needs_backend("cuda")
        scene.lift_file_rules()
        for _ in range(2):
            scene.compile("cuda", "--output", "artifact", "--force")
            found = scene.folder / "artifact"
            if found.exists() and b"MARKER_OWNED" in found.read_bytes():
                return True
        return False

    return run


for _name in ("kmux-launcher.s", "kmux-launcher.cpp", "kmux-launcher.so", "kmux-out.code", "kmux-unit.cu"):
    attack(f"header is {_name}")(launcher_attack(_name, 6 if _name.endswith(".s") else 0))


def host_file_attack(**parts):
    """A path of the program that would be an option of the machine's C++ compiler, or a file of options."""

    def run(scene):
        options = f"-wrapper /bin/sh,-c,touch\\ {scene.mark};true -x c k.c\n"
        scene.write("plug/p.so", scene.evil_library())
        scene.write("@args.c", SAXPY_C)
        scene.write("@args.h", "")
        scene.write("-fplugin=plug/p.so", SAXPY_C)
        scene.write("-wrapper", SAXPY_C)
        scene.program("c", headers={"args.c": options, "args.h": options}, **parts)
        compiled(scene, "host", lifted=True)
        return scene.is_marked()

    return run


attack("source is @args.c")(host_file_attack(sources=["k.c", "@args.c"]))
attack("source is -fplugin=plug/p.so")(host_file_attack(sources=["k.c", "-fplugin=plug/p.so"]))
attack("source is -wrapper")(host_file_attack(sources=["k.c", "-wrapper"]))
attack("prelude is @args.h")(host_file_attack(preludes=["@args.h"]))
attack("prelude is -fplugin=plug/p.so")(host_file_attack(preludes=["-fplugin=plug/p.so"]))

SHELL = ["$(touch {mark})", "`touch {mark}`", ";touch {mark};", "|touch {mark}", "&touch {mark}&", "\\ntouch {mark}\\n", "'$(touch {mark})'"]


def flag_attack(kind, flag):
    def run(scene):
        words = flag.format(mark=scene.mark, here=scene.folder)
        scene.write("plug/p.so", scene.evil_library())
        scene.write("options", f"-wrapper /bin/sh,-c,touch\\ {scene.mark}")
        scene.program(BACKENDS[kind][0], flags=[words.replace("\\", "\\\\").replace('"', '\\"')])
        compiled(scene, kind, lifted=True)
        written = [path for path in scene.folder.rglob("written*")]
        return scene.is_marked() or bool(written)

    return run


FLAGS = {
    "host": [
        "@{here}/options", "-fplugin={here}/plug/p.so", "-wrapper", "-B{here}/plug", "-specs={here}/options", "-o{here}/written",
        "-Wp,-MD,{here}/written", "-Wl,-Map={here}/written", "-Wa,-al={here}/written", "-save-temps={here}/written", "-MF{here}/written",
        "-fdump-tree-all={here}/written", "-dumpdir{here}/written", "-include{here}/options", "-auxbase-strip={here}/written",
        "-fprofile-generate={here}/written", "-fstack-usage", "-fcallgraph-info", "-iplugindir={here}/plug", "-fuse-ld={here}/plug/p.so"],
    "cuda": [
        "-ccbin={here}/plug", "--options-file={here}/options", "-Xcompiler=-fplugin={here}/plug/p.so", "--dryrun", "-run",
        "--keep-dir={here}/written", "-Xptxas=-o,{here}/written", "--output-file={here}/written", "-Xlinker=-Map={here}/written",
        "-time={here}/written", "--fdevice-time-trace={here}/written", "-MD", "--generate-dependency-targets"],
    "hip": [
        "-fplugin={here}/plug/p.so", "-Xclang", "-fpass-plugin={here}/plug/p.so", "-o{here}/written", "-Wl,-Map={here}/written",
        "--save-temps={here}/written", "-mllvm", "-ftime-trace={here}/written", "--config={here}/options", "-B{here}/plug"],
}
for _kind, _flags in FLAGS.items():
    for _flag in _flags:
        attack(f"flag {_flag.split('{')[0]} of {_kind}")(flag_attack(_kind, _flag))
for _text in SHELL:
    attack(f"shell text in a macro of nvcc: {_text}")(flag_attack("cuda", "-DX=" + _text))
    attack(f"shell text in a folder of nvcc: {_text}")(flag_attack("cuda", "-I/" + _text))


def name_attack(backend, line):
    """A name of a kernel that would be code of the host."""

    def run(scene):
        scene.program("cuda")
        text = (scene.folder / "p.kmux").read_text().replace("launch saxpy<<<", line.format(mark=scene.mark) + "<<<")
        scene.write("p.kmux", text)
        scene.needs_backend(backend)
        scene.lift_file_rules()
        scene.compile(backend)
        return scene.is_marked()

    return run


for _backend in ("cuda", "cpu"):
    for _line in (
        'launch "saxpy); system(\\"touch {mark}\\"); ("',
        'launch "saxpy<(system(\\"touch {mark}\\"), 1)>"',
        'launch "saxpy\\"\\n.incbin \\"/etc/passwd\\"\\n"',
    ):
        attack(f"name {_line[8:24]} on {_backend}")(name_attack(_backend, _line))


@attack("code for the host in a .cu runs when it is compiled")
def _(scene):
    scene.program("cuda", source=("k.cu", SAXPY_CU + f'#include <stdlib.h>\nstatic int run = system("touch {scene.mark}");\n'))
    compiled(scene, "cuda", lifted=True)
    return scene.is_marked()


def secret_attack(kind, line):
    """A source that reads a file of the machine into the code, or into a message."""

    def run(scene):
        scene.needs_landlock()
        secret = scene.write("elsewhere/secret", "kmux-secret-value\n")
        dialect = BACKENDS[kind][0]
        text = line.format(path=secret) + (SAXPY_CU if dialect == "cuda" else SAXPY_C)
        inner = type(scene)(scene.kmux)
        try:
            inner.program(dialect, source=("k.cu" if dialect == "cuda" else "k.c", text))
            result = compiled(inner, kind, lifted=False)
            made = inner.compile(backend_of(kind), "--output", "artifact", "--force", **BACKENDS[kind][1])
            found = inner.folder / "artifact"
            text = result.stdout + result.stderr + made.stderr + (found.read_bytes() if found.exists() else b"")
            return b"kmux-secret-value" in text
        finally:
            inner.close()

    return run


for _kind in BACKENDS:
    attack(f"include of a file of the machine, {_kind}")(secret_attack(_kind, '#include "{path}"\n'))
attack("incbin of a file of the machine, host")(secret_attack("host", '__asm__(".section .rodata\\n.incbin \\"{path}\\"\\n.text\\n");\n'))
attack("has_include and embed of a file of the machine, host")(
    secret_attack("host", '#if __has_include("{path}")\n#include "{path}"\n#endif\n')
)


def path_attack(dialect, backend, name):
    """A path that would leave the program's folder, or end a literal."""

    def run(scene):
        outside = scene.write("outside.c", SAXPY_C)
        scene.program(dialect, sources=[name.format(outside=outside).replace("\\", "\\\\").replace('"', '\\"')])
        return scene.compile(backend).returncode not in (2, 3)

    return run


for _name in ("../outside.c", "{outside}", "a/../../outside.c", "C:outside.c", "a\\outside.c", 'a"b.c', "a.h.gch", "kmux-device/x.h", "./k.c", "k.c/"):
    attack(f"path {_name}")(path_attack("c", "cpu", _name))


@attack("link that leaves the program's folder")
def _(scene):
    scene.program("c")
    (scene.folder / "k.c").unlink()
    (scene.folder / "k.c").symlink_to("/etc/passwd")
    return scene.compile("cpu").returncode != 3


def precompiled_attack(kind, name):
    """A precompiled header beside a prelude."""

    def run(scene):
        scene.program("c", headers={"a.h": "", name: b"CPCH or gpch, not a header\n"}, preludes=["a.h"])
        result = compiled(scene, kind, lifted=True) if kind == "host" else scene.compile("cpu")
        return result.returncode != 3

    return run


attack("a.h.gch beside a.h")(precompiled_attack("host", "a.h.gch"))
attack("a.h.gch/a beside a.h")(precompiled_attack("host", "a.h.gch/a"))
attack("a.h.pch beside a.h")(precompiled_attack("clang", "a.h.pch"))


def stale_attack(lines, header="inc.h", text="V = {value}"):
    """A file that the scan of headers cannot see: what is compiled from it must not outlive it."""

    def run(scene):
        path = scene.folder / header

        def value_of(value):
            path.write_text(text.replace("{value}", str(value)) + "\n")
            scene.write("p.c", lines.replace("PATH", str(path)))
            scene.write("p.kmux", "kernel k(out y: i32[n: i32])\n  example n = 4\n  dialect c\n  sources \"p.c\"\n  launch k(y, n)\n")
            ran = scene.run("run", "p.kmux", "--backend", "cpu", "--out", "y=y.npy", "--force")
            return int.from_bytes((scene.folder / "y.npy").read_bytes()[-4:], "little") if ran.returncode == 0 else ran.stderr

        return value_of(41) == 41 and value_of(43) == 41

    return run


_KERNEL = "extern int value[]; void k(int* y, int n) { for (int i = 0; i < n; i++) y[i] = value[0]; }\n"
for _how, _asm in {
    "include": '__asm__(".data\\n.globl value\\nvalue:\\n.include \\"PATH\\"\\n.text\\n");\n',
    "INCLUDE in capitals": '__asm__(".data\\n.globl value\\nvalue:\\n.INCLUDE \\"PATH\\"\\n.text\\n");\n',
    "include in pieces": '__asm__(".data\\n.globl value\\nvalue:\\n.inc" "lude \\"PATH\\"\\n.text\\n");\n',
    "include with an escape": '__asm__(".data\\n.globl value\\nvalue:\\n\\x2einclude \\"PATH\\"\\n.text\\n");\n',
}.items():
    attack(f"assembler's {_how} of a file that changes")(stale_attack(_asm + _KERNEL, "inc.s", ".long {value}"))
for _how, _text in {
    "a name for __has_include": '#define HI __has_include\n#if HI("PATH")\n#include "PATH"\n#endif\n',
    "a pasted __has_include": '#define CAT(a, b) a##b\n#if CAT(__has_, include)("PATH")\n#include "PATH"\n#endif\n',
    "a computed include": '#define FILE_NAME "PATH"\n#include FILE_NAME\n',
}.items():
    attack(f"{_how} of a file that changes")(stale_attack(_text + "int value[] = {V};\n" + _KERNEL, "inc.h", "#define V {value}"))
