#!/usr/bin/env python3
"""One machine's benchmark results in a file: bench/collect.py BUILD FILE [--name N] [--note T] [PROGRAM...]

Runs the programs of `make bench` and, where their libraries are installed, the scripts of `make bench-peers`. The first
line of FILE describes the machine; each other line is a work, as the program printed it, with the program's name.
`scripts/speed` makes docs/speed.md of all files in bench/results. Nothing else should run meanwhile.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

PROGRAMS = ["memory", "ewise", "reduce", "sort", "index", "random", "linalg", "resize", "fft", "signal_filter",
            "signal_convolve", "signal_ctf", "signal_shells", "signal_windows", "op",
            "op_define"]
PEERS = ["ewise", "fft", "index", "linalg", "op", "random", "resize", "signal_convolve", "sort"]
HERE = pathlib.Path(__file__).parent


def processor():
    for line in subprocess.run(["lscpu"], stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines():
        if line.startswith("Model name:"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def compiler(build):
    cache = pathlib.Path(build, "CMakeCache.txt").read_text()
    cc = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", cache, re.M).group(1)
    return subprocess.run([cc, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]


def lines_of(command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("{"):
            yield json.loads(line)
    if process.wait() != 0:
        print(f"{command[0]} ended with status {process.returncode}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("file")
    parser.add_argument("programs", nargs="*", help="all unless named; peers_NAME for a script")
    parser.add_argument("--name", default=processor(), help="what the page calls the machine")
    parser.add_argument("--note", default="", help="a sentence on the conditions of the run")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions inside each program")
    args = parser.parse_intermixed_args()
    programs = args.programs or PROGRAMS + ["peers_" + name for name in PEERS]
    cores = len(os.sched_getaffinity(0))
    with open(args.file, "w") as out:
        print(json.dumps({"name": args.name, "note": args.note, "processor": processor(), "cores": cores,
                          "compiler": compiler(args.build), "quick": args.quick}), file=out, flush=True)
        for name in programs:
            if name.startswith("peers_"):
                command = [sys.executable, str(HERE / f"{name}.py"), f"{args.build}/libtessera.so"]
            else:
                command = [f"{args.build}/bench_{name}"] + (["--quick"] if args.quick else [])
            for row in lines_of(command):
                print(json.dumps({"program": name, **row}), file=out, flush=True)


main()
