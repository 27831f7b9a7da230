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
    own = [name.strip(" *") for name in _names_of(words)]
    others = {name: own[0] for name in _NAMES} if arrays else {}
    if arrays == 2:
        others.update({name: own[i] for i, names in enumerate(_PAIR) for name in names})
    return {name: target for name, target in others.items() if name not in own}


_ARGUMENTS, _RETURNS = "\nArguments:\n", "\n\nReturns:\n"


def _names_of(words):
    """The names of parameters as they stand in a signature."""
    return [word.partition("=")[0] for word in words if word != "*"]


def _document_of(operation, words, note, rows):
    """The documentation of one of the library's functions for these parameters: its rows of arguments, with those that
    are given instead or in addition, in the order of the signature."""
    summary, _, rest = _examples.without(getattr(_ts, operation).__doc__).partition(_ARGUMENTS)
    listed, _, results = rest.partition(_RETURNS)
    blocks = {}
    for line in listed.split("\n"):
        if not line.startswith("     ") and line:
            name = line.partition(":")[0].strip()
        blocks[name] = f"{blocks[name]}\n{line}" if name in blocks else line
    blocks.update((name, f"    {name}: {text}") for name, text in rows.items())
    arguments = "\n".join(blocks[name] for name in _names_of(words))
    return f"{summary.rstrip()}\n{note and f'{chr(10)}{note}{chr(10)}'}{_ARGUMENTS}{arguments}{_RETURNS}{results.rstrip()}\n"


def described(function, signature=None, note=None, arrays=1, *, rows={}, operation=None):
    """The function as a builtin whose first `arrays` arguments (0, 1 or 2) also have NumPy's names.

    With a note, its documentation is that of the library's function of the name, or of the name `operation`, and the note;
    `rows` describes the arguments that this one does not have. Without a signature, its parameters are its own.
    """
    name = function.__name__.lstrip("_")
    words = _words(function) if signature is None else signature.strip("()").split(", ")
    signature = signature or f"({', '.join(words)})"
    if note is None:
        document = _examples.with_example(function.__doc__, name)
    else:
        document = _document_of(operation or name, words, note, rows) + _examples.of(name)
    function._names = _other_names(words, arrays)
    function.__name__ = function.__qualname__ = "_" + name
    function.__globals__["_" + name] = function  # where pickle finds it
    return _ts._described(function, name, f"{name}{signature}\n--\n\n{document}")


def pair(function):
    """A function of two arrays."""
    return described(function, arrays=2)
