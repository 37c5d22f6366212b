"""What people type wrong at the command: (name, words) or (name, words, what is different about the folder).

Each runs in a folder with scale.kmux.json (y = factor * x over float32[n]), its scale.c, x.npy (float32[8]) and portable/.
"""
import hashlib
import json


def edit(file, old, new):
    """What replaces `old` in a file."""

    def change(folder):
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text, (file, old)
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


def edit_program(change):
    """What changes the document of the program."""

    def write(folder):
        path = folder / "scale.kmux.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document)
        path.write_text(json.dumps(document), encoding="utf-8")

    return write


def launch_of(document):
    return document["variants"][0]["body"]["steps"][0]["launch"]


def variables(**values):
    """The environment has these, too."""
    return lambda folder: values


def write(name, text):
    return lambda folder: (folder / name).write_text(text, encoding="utf-8") and None


def source(change):
    """What changes the source, and its digest with it."""

    def write_both(folder):
        text = change((folder / "scale.c").read_text(encoding="utf-8"))
        (folder / "scale.c").write_text(text, encoding="utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()
        edit_program(lambda document: document["variants"][0]["sources"][0].update(sha256=digest))(folder)

    return write_both


def text(*lines):
    """scale.kmux with these lines below its head and its source."""
    head = ["kernel scale(x: f32[n], factor: f32, out y: f32[n])", '  sources "scale.c"']
    return write("scale.kmux", "\n".join([*head, *lines, ""]))


KERNELS = """struct Shift { float by[64]; };
__global__ void scale(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }
template <class T> __global__ void mean(T* x, int n) {}
__global__ void shift(Shift shift, float* x) {}
"""
P = "scale.kmux.json"
RUN = ["run", P, "--backend", "cpu", "--in", "x=x.npy"]

MISTAKES = [
    # The command line.
    ("an unknown command", ["rnu", P]),
    ("an unknown option", ["run", P, "--bakend", "cpu"]),
    ("no program", ["run"]),
    ("a second program", ["run", P, P]),
    ("an option without its value", ["run", P, "--backend"]),
    ("a malformed number", [*RUN, "--repeat", "ten"]),
    ("a number below zero", [*RUN, "--repeat", "-1"]),
    ("a malformed tolerance", [*RUN, "--rtol", "nan"]),
    # The program.
    ("a program that is not there", ["run", "scael.kmux.json"]),
    ("a source instead of a program", ["run", "scale.c"]),
    ("a folder instead of a program", ["run", "."]),
    ("a program that is not JSON", ["run", P], edit(P, '"name":"scale",', '"name":"scale"')),
    ("a misspelt key", ["run", P], edit(P, '"variants"', '"varaints"')),
    ("a misspelt dtype", ["run", P], edit(P, '"dtype":"float32","shape"', '"dtype":"fp32","shape"')),
    ("a source that is not there", ["run", P], lambda folder: (folder / "scale.c").unlink()),
    ("a source that was edited", RUN, edit("scale.c", "factor *", "2 * factor *")),
    ("a symbol that is not declared", RUN, edit_program(lambda d: d["signature"].update(symbols=[]))),
    (
        "an operator that there is not",
        RUN,
        edit_program(lambda d: launch_of(d)["args"].append({"dtype": "int64", "expr": ["ceil", "n", 4]})),
    ),
    (
        "a grid without its brackets",
        ["resolve", P],
        edit_program(lambda d: launch_of(d).update(grid=["ceildiv", "n", 16], block=[16])),
    ),
    (
        "an argument that is not a parameter",
        RUN,
        edit_program(lambda d: launch_of(d)["args"].append({"tensor": "z"})),
    ),
    ("a kernel that is not in the source", RUN, edit_program(lambda d: launch_of(d).update(kernel="scael"))),
    ("too few arguments for the kernel", RUN, edit_program(lambda d: launch_of(d)["args"].pop())),
    # The program as text.
    ("a misspelt word in a text", ["run", "scale.kmux"], text("  lanuch scale(x, factor, y, n: i64)")),
    ("a name that a text does not declare", ["run", "scale.kmux"], text("  launch scale(x, factor, z, n: i64)")),
    ("a division in a text", ["run", "scale.kmux"], text("  let half = n / 2", "  launch scale(x, factor, y, half: i64)")),
    ("a bracket that a text does not close", ["run", "scale.kmux"], text("  launch scale(x, factor, y, n: i64")),
    ("a source of a text that is not there", ["show", "a.kmux"], write("a.kmux", 'kernel a()\n  sources "a.c"\n  launch a()\n')),
    ("formatting JSON", ["fmt", P]),
    ("packing over a source", ["pack", P, "-o", "scale.c"]),
    # Beginning a program.
    ("beginning with a source that is not there", ["new", "saxpi.cu"]),
    ("beginning with a program", ["new", P]),
    ("beginning with a source that has no kernel", ["new", "mine.cu"], write("mine.cu", "__device__ void scale(float* x) {}\n")),
    ("beginning with a source that does not compile", ["new", "mine.cu"], write("mine.cu", "__global__ void scale(float* x {}\n")),
    ("beginning with a misspelt kernel", ["new", "mine.cu", "--kernel", "scael"], write("mine.cu", KERNELS)),
    ("beginning with a template", ["new", "mine.cu", "--kernel", "mean"], write("mine.cu", KERNELS)),
    ("beginning with a structure by value", ["new", "mine.cu", "-k", "shift"], write("mine.cu", KERNELS)),
    ("beginning twice", ["new", "mine.cu"], write("mine.cu", "//! kmux\n//! kernel k()\n//!   launch k<<<1, 1>>>()\n")),
    # Compiling.
    ("a source that does not compile", RUN, source(lambda text: text.replace("factor * x", "fcator * x"))),
    ("a flag that writes files", [*RUN, "--flag", "-o/tmp/x"]),
    ("a misspelt option of the backend", [*RUN, "--option", "enigne=host"]),
    ("a value that an option does not take", [*RUN, "--option", "engine=fast"]),
    ("a header that is not found", RUN, source(lambda text: '#include "mine.h"\n' + text)),
    # The backend and the target.
    ("a misspelt backend", ["run", P, "--backend", "cpuu"]),
    ("a backend that does not take the program", ["run", P, "--backend", "nvrtc"]),
    ("a backend whose device is not here", ["run", "portable/saxpy.kmux.json", "--backend", "nvrtc", "--in", "*=ones"]),
    ("building for a device that is not here", ["compile", "portable/saxpy.kmux.json", "--backend", "nvrtc"]),
    ("a misspelt target", ["run", P, "--target", "cdua"]),
    ("a target whose device is not here", ["run", "portable/saxpy.kmux.json", "--target", "cuda", "--in", "*=ones"]),
    ("a target that is not JSON", ["run", P, "--target", '{"kind": "cuda"']),
    ("a device that is not here", [*RUN, "--device", "7"]),
    ("a misspelt policy", [*RUN, "--policy", "fastest"]),
    ("a misspelt variable", ["resolve", P, "--target", "cdua"], variables(KMUX_TARGT="cpu")),
    ("a target from a variable", ["resolve", P], variables(KMUX_TARGET="cdua")),
    # Tensors and scalars.
    ("an input that is not given", ["run", "portable/saxpy.kmux.json", "--backend", "cpu", "--in", "x=x.npy"]),
    ("a symbol without a value", ["run", "scale.kmux"], text("  launch scale(x, factor, y, n: i64)")),
    ("a misspelt input", ["run", P, "--backend", "cpu", "--in", "X=x.npy"]),
    ("a tensor that is not there", ["run", P, "--backend", "cpu", "--in", "x=y.npy"]),
    ("a file that is not a tensor", ["run", P, "--backend", "cpu", "--in", "x=scale.c"]),
    ("a tensor of another dtype", ["run", P, "--backend", "cpu", "--in", "x=doubles.npy"]),
    ("a tensor of another rank", ["run", P, "--backend", "cpu", "--in", "x=square.npy"]),
    ("a symbol that contradicts a file", [*RUN, "--symbol", "n=9"]),
    ("a misspelt scalar", [*RUN, "--scalar", "fcator=2"]),
    ("a misspelt value", [*RUN, "--set", "fcator=2"]),
    ("a value for a tensor", [*RUN, "--set", "x=2"]),
    ("an extent below zero", ["run", P, "--backend", "cpu", "--set", "n=-1"]),
    ("an extent that is too large", ["run", "portable/saxpy.kmux.json", "--backend", "cpu", "--set", "n=5000000000"]),
    ("a scalar that is not a number", [*RUN, "--scalar", "factor=two"]),
    ("an unknown output", [*RUN, "--out", "z=z.npy"]),
    ("an output onto a source", [*RUN, "--out", "y=scale.c"]),
    ("an output into a folder that is not there", [*RUN, "--out", "y=results/y.npy"]),
    # Other commands.
    ("exporting over the program", ["export", P, "-o", P]),
    ("exporting without a target", ["export", "portable/saxpy.kmux.json", "--backend", "nvrtc", "-o", "saxpy.so"]),
    ("an axis that there is not", ["bench", P, "--axis", "m=1,2"]),
    ("a misspelt backend to bench", ["bench", P, "--backend", "cpuu"]),
    ("pruning everything", ["cache", "prune"]),
    ("importing another file", ["cache", "import", P], variables(KMUX_DISABLE_CACHE="", KMUX_CACHE_DIR="cache")),
    ("a misspelt backend to tune", ["tune", P, "--backend", "cpuu"]),
]

