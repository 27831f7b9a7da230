"""An example of each function, which ends its documentation. Tests run all of them and compare the output.

Each chapter has paragraphs: the name of a function, then statements and their output as in an interactive session, in which
numpy is np and tessera is ts. Other names of a function have the same example with their name.
"""
from . import arrays, ctf, elementwise, files, filters, fourier, geometry, jobs, matrices, objects, reductions

_CHAPTERS = arrays, ctf, elementwise, files, filters, fourier, geometry, jobs, matrices, objects, reductions
_BY_NAME = dict(part.split("\n", 1) for chapter in _CHAPTERS for part in chapter.TEXT.strip().split("\n\n"))
# Operations whose names are those of other functions in Python.
_OPERATIONS = {"round": "round_half_away", "mod": "fmod", "sinc": "sinc_radians", "dot": "dot_product", "compress": "masked_select"}


def _indented(text):
    return "\nExample:\n    " + text.replace("\n", "\n    ") + "\n"


def of(name, original=None):
    """The end of a function's documentation; `original` is the function that `name` is another name of."""
    text = _BY_NAME.get(name)
    if text is None and original is not None and original in _BY_NAME:
        text = _BY_NAME[original].replace(f"ts.{original}(", f"ts.{name}(")
    return "" if text is None else _indented(text)


def of_operation(name, original):
    """The same for an operation of the library, by its name there."""
    return of(_OPERATIONS.get(name, name), original and _OPERATIONS.get(original, original))


def _dedented(document):
    first, *rest = document.rstrip().split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in rest if line), default=0)
    return "\n".join([first] + [line[indent:] for line in rest])


def with_example(document, name):
    """The docstring of a function written in Python (None with python -OO), without its indentation, and the example."""
    return _dedented(document or "") + "\n" + of(name)


def without(document):
    """A function's documentation without its example."""
    return document.partition("\nExample:\n")[0]
