"""pip install .: CMake builds the library, the extension and the command, in build/ or the folder that TESS_BUILD names.

Without a network: pip install --no-build-isolation .
"""
import os
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("TESS_BUILD", os.path.join(ROOT, "build")))
INFO = os.path.join(BUILD, "pip", "info")  # not in the source folder
os.makedirs(INFO, exist_ok=True)


def version():
    with open(os.path.join(ROOT, "include/tessera/version.h")) as header:
        numbers = re.findall(r"#define TESS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read())
    return ".".join(numbers)


class cmake_build(build_ext):
    def build_extension(self, extension):
        options = [f"-DTESS_PYTHON={sys.executable}", "-UTESS_ISAS"]
        subprocess.run([os.path.join(ROOT, "scripts/configure"), BUILD, *options], cwd=ROOT, check=True)
        subprocess.run(["cmake", "--build", BUILD, f"-j{os.cpu_count()}", "--target", "python_extension", "tessera"], check=True)
        target = self.get_ext_fullpath(extension.name)
        program = os.path.join(os.path.dirname(target), "bin", "tessera")
        os.makedirs(os.path.dirname(program), exist_ok=True)
        shutil.copyfile(os.path.join(BUILD, "python/tessera/_tessera.abi3.so"), target)
        shutil.copy(os.path.join(BUILD, "tessera"), program)


setup(
    version=version(),
    ext_modules=[Extension("tessera._tessera", [], py_limited_api=True)],
    cmdclass={"build_ext": cmake_build},
    options={"build": {"build_base": os.path.join(BUILD, "pip")}, "bdist_wheel": {"py_limited_api": "cp39"},
             "egg_info": {"egg_base": INFO}},
)
