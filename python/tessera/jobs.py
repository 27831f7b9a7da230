"""Jobs: complete processing steps, such as the local resolution of two half maps, as functions.

    result = ts.jobs.local_resolution("half1.mrc", "half2.mrc", mask=mask, progress=True)
    result.map, result.median, result.report

A source is a path, an open tessera.File, Particles, or an array. A STAR or .cs file, or Particles, also supplies the tables that
are not passed explicitly. Arrays in the result have the type of the first array, or NumPy's if the sources are files. Tables map
names to columns; `report` has all numbers.
"""
from . import _tessera
from .particles import Images, Particles

__all__ = ["Images", "Particles", "Result", "Table"] + sorted(_tessera._jobs)


class Table(dict):
    """A table as a dict of columns, which are one-dimensional arrays of equal length. numpy.asarray makes a matrix of it."""

    def to_pandas(self):
        """The table as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(dict(self))

    def __array__(self, dtype=None, copy=None):
        import numpy
        return numpy.stack([numpy.asarray(c) for c in self.values()], axis=1).astype(dtype or float)

    def __repr__(self):
        n = len(next(iter(self.values()))) if self else 0
        return f"Table of {n} row{'s' * (n != 1)}: {', '.join(self)}"


class Result:
    """The result of a job: one attribute per array, table and number, and `report`, a dict of all numbers."""

    __slots__ = ("_job", "__dict__")

    def __init__(self, job, fields):
        self._job = job
        self.__dict__.update(fields)

    @property
    def report(self):
        """All numbers of the result, by name."""
        return {k: v for k, v in vars(self).items() if isinstance(v, (bool, int, float, str))}

    def __repr__(self):
        return "\n".join([f"Result of {self._job}"] + [f"    {k}: {_shown(v)}" for k, v in vars(self).items()])


def _shown(value):
    if not hasattr(value, "shape"):
        return repr(value)
    return f"{type(value).__name__} {tuple(value.shape)} {value.dtype}"


def _table(names, numbers):
    return Table((name, numbers[:, i].copy()) for i, name in enumerate(names))


globals().update(_tessera._jobs)
