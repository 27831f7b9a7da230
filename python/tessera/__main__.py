"""The command tessera: `python -m tessera`, and the script of the same name that pip installs.

The program lies beside the module in a wheel, in the build folder of a source tree, or below the prefix of an installation;
otherwise it is the one that PATH finds.
"""
import os
import shutil
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _is_program(path):
    """Whether a path is an executable, and not a script such as the one that called this."""
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as file:
        return file.read(2) != b"#!"


def _candidates():
    yield os.path.join(_FOLDER, "bin", "tessera")
    yield os.path.join(_FOLDER, "..", "..", "tessera")
    folder = _FOLDER
    while os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        if os.path.basename(folder) in ("lib", "lib64"):
            yield os.path.join(os.path.dirname(folder), "bin", "tessera")
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield shutil.which("tessera", path=folder) or ""


def find():
    """The path of the program; None if there is none."""
    return next((os.path.normpath(path) for path in _candidates() if _is_program(path)), None)


def main():
    program = find()
    if program is None:
        print("tessera: the command is not installed: there is no program `tessera` beside the Python module or on PATH",
              file=sys.stderr)
        return 127
    sys.stdout.flush()
    os.execv(program, ["tessera", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
