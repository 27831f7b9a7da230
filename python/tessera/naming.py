"""Functions written in Python whose errors have their own name, not that of the operation inside."""
import functools as _functools

from . import _tessera as _ts


def named(function, name=None):
    """The function with errors that begin with its name: "irfft2: …" instead of "fft_c2r: …"."""
    called = name or function.__name__

    @_functools.wraps(function)
    def call(*args, **keywords):
        try:
            return function(*args, **keywords)
        except Exception as error:
            text = error.args[0] if error.args and isinstance(error.args[0], str) else ""
            inner, colon, rest = text.partition(": ")
            if colon and inner != called and hasattr(_ts, inner):
                error.args = (f"{called}: {rest}",) + error.args[1:]
            raise
    return call


def name_all(module, names):
    """Replace functions of a module's namespace by such functions."""
    for name in names:
        value = module.get(name)
        if isinstance(value, type(named)):
            module[name] = named(value, name)
