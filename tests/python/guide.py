#!/usr/bin/env python3
"""The programs of docs/python.md run, one after the other, and that of README. guide.py BUILD"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, test

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def run(page, names):
    with open(os.path.join(ROOT, page)) as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.S | re.M)
    assert blocks
    for i, block in enumerate(blocks):
        exec(compile(block, f"{page}, program {i + 1}", "exec"), names)


@test
def programs_of_the_guide_run():
    import tessera as ts
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            run("docs/python.md", {})
            run("README.md", {})
            assert ts.info("smooth.mrcs").voxel_size == (1.35, 1.35, 1.35)
        finally:
            os.chdir(ROOT)


finish()
