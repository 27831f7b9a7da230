"""Jobs: what is asked for in one sentence, as the local resolution of two half maps. Each is a function here.

    result = ts.jobs.local_resolution("half1.mrc", "half2.mrc", mask=mask, progress=True)
    result.map, result.median, result.report

A source is a path, an open tessera.File, Particles, or an array. Of the path of a STAR or .cs file, or of Particles, a job
takes the tables that it is not given. Arrays in the result are of the kind of the first array, and NumPy's
where sources are files; tables are columns by name; `report` has all numbers.
"""
from . import _tessera
from .particles import Images, Particles

__all__ = ["Images", "Particles", "Result", "Table"] + sorted(_tessera._jobs)


class Table(dict):
    """Columns of a table by name: one-dimensional arrays of the same length. As an array it has a row for each row."""

    def to_pandas(self):
        """The same as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(dict(self))

    def __array__(self, dtype=None, copy=None):
        import numpy
        return numpy.stack([numpy.asarray(c) for c in self.values()], axis=1).astype(dtype or float)

    def __repr__(self):
        n = len(next(iter(self.values()))) if self else 0
        return f"Table of {n} row{'s' * (n != 1)}: {', '.join(self)}"


class Result:
    """What a job found: an attribute for each array, table and number, and the numbers together in `report`, a dict."""

    __slots__ = ("_job", "__dict__")

    def __init__(self, job, fields):
        self._job = job
        self.__dict__.update(fields)

    @property
    def report(self):
        """All numbers of the result by name."""
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
