"""Compiles every kernel of this folder with NVRTC, for an architecture and without a device. nvrtc_test.py KMUX."""
import pathlib
import subprocess
import sys

NO_BACKEND = 4  # exit code of kmux


def main():
    sources = sorted(pathlib.Path(__file__).resolve().parent.glob("*.cu"))
    documents = [source.with_suffix(".kmux.json") for source in sources]
    programs = [str(document if document.exists() else source) for source, document in zip(sources, documents)]
    done = subprocess.run([sys.argv[1], "compile", "--backend", "nvrtc", "--target", "cuda:sm_90", "-j", "2", *programs],
                          capture_output=True, text=True)
    print(done.stdout, done.stderr, sep="")
    if done.returncode == NO_BACKEND:
        print("needs NVRTC (its backend cannot build here)")
        return 77
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
