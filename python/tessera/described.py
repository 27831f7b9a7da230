"""Functions written in Python with signatures, documentation and names of arguments as the library's have them."""
from . import _tessera as _ts
from . import examples as _examples

_NAMES = "a", "x", "arr", "array", "m", "input", "image"  # which NumPy and SciPy give to the first array
_PAIR = ("x1", "a"), ("x2", "b")  # and to the two of a binary function
_TAKES_MORE, _TAKES_KEYWORDS = 4, 8  # flags of code objects: *args, **keywords


def _words(function):
    """The parameters of a function as they stand in its signature."""
    code = function.__code__
    names, n, n_keywords = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    defaults, by_name = function.__defaults__ or (), function.__kwdefaults__ or {}
    words = [name if i < n - len(defaults) else f"{name}={defaults[i - n]!r}" for i, name in enumerate(names[:n])]
    at = n + n_keywords
    if code.co_flags & _TAKES_MORE:
        words.append("*" + names[at])
        at += 1
    elif n_keywords:
        words.append("*")
    words += [f"{name}={by_name[name]!r}" if name in by_name else name for name in names[n:n + n_keywords]]
    return words + (["**" + names[at]] if code.co_flags & _TAKES_KEYWORDS else [])


def _other_names(words, arrays):
    """The parameter for each name of NumPy's that no parameter has."""
    own = [word.partition("=")[0].strip(" *") for word in words]
    others = {name: own[0] for name in _NAMES} if arrays else {}
    if arrays == 2:
        others.update({name: own[i] for i, names in enumerate(_PAIR) for name in names})
    return {name: target for name, target in others.items() if name not in own}


def described(function, signature=None, note=None, arrays=1):
    """The function as a builtin whose first `arrays` arguments (0, 1 or 2) also have NumPy's names.

    With a note, its documentation is that of the library's function of the name and the note; without a signature, its
    parameters are its own.
    """
    name = function.__name__.lstrip("_")
    words = _words(function) if signature is None else signature.strip("()").split(", ")
    signature = signature or f"({', '.join(words)})"
    if note is None:
        document = _examples.with_example(function.__doc__, name)
    else:
        document = f"{_examples.without(getattr(_ts, name).__doc__)}\n{note}\n{_examples.of(name)}"
    function._names = _other_names(words, arrays)
    function.__name__ = function.__qualname__ = "_" + name
    function.__globals__["_" + name] = function  # where pickle finds it
    return _ts._described(function, name, f"{name}{signature}\n--\n\n{document}")


def pair(function):
    """A function of two arrays."""
    return described(function, arrays=2)
