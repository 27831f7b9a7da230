"""Text files that go with tilt series: angles (.tlt, .rawtlt), transforms (.xf) and mdoc."""
from . import _tessera

__all__ = ["Mdoc", "MdocSection", "read_tilts", "write_tilts", "read_xf", "write_xf", "read_mdoc", "write_mdoc"]


def read_tilts(path, n_images=0):
    """The angles of a tilt series, in degrees: an array of n. `n_images` other than 0 must be their number.

    TiltAngle of x.mdoc; rlnTomoNominalStageTiltAngle, or minus rlnAngleTilt, of x.star; otherwise the first number of each line.
    """
    return _tessera._tilts_read(path, n_images)


def write_tilts(path, angles, overwrite=False):
    """Write angles, one in each line."""
    _tessera._tilts_write(path, angles, overwrite)


def read_xf(path, n_images=0):
    """The transforms of a tilt series: an array (n, 2, 3) of matrices that act on (y, x) from the centre of an image.

    The line "a11 a12 a21 a22 dx dy" is the matrix ((a22, a21, dy), (a12, a11, dx)). `n_images` other than 0 must be their
    number.
    """
    return _tessera._xf_read(path, n_images)


def write_xf(path, matrices, overwrite=False):
    """Write transforms (n, 2, 3) of (y, x), as read_xf gives them."""
    _tessera._xf_write(path, matrices, overwrite)


# ---- mdoc ----


def _value(text):
    """A text as an int, a float, a tuple of numbers, or as it is."""
    numbers = []
    for word in text.split():
        for kind in (int, float):
            try:
                numbers.append(kind(word))
                break
            except ValueError:
                pass
        else:
            return text
    return text if not numbers else numbers[0] if len(numbers) == 1 else tuple(numbers)


def _text(value):
    return " ".join(str(v) for v in value) if isinstance(value, (tuple, list)) else str(value)


def _bytes(text):
    """As they were in the file, of whatever encoding."""
    return text.encode("utf-8", "surrogateescape")


class MdocSection(dict):
    """Keys of a section of an mdoc file. `kind` and `title` are those of "[ZValue = 0]"."""

    def __init__(self, kind="ZValue", title="", keys=()):
        pairs = list(keys.items()) if isinstance(keys, dict) else list(keys)
        self.kind, self.title = kind, str(title)
        self._texts = {key: text for key, text in pairs if isinstance(text, str)}
        super().__init__((key, _value(text) if isinstance(text, str) else text) for key, text in pairs)

    def _pairs(self):
        """Keys and texts: what was not changed is as it was read."""
        def text(key, value):
            before = self._texts.get(key)
            return before if before is not None and _value(before) == value else _text(value)
        return [(_bytes(str(key)), _bytes(text(key, value))) for key, value in self.items()]


class Mdoc(MdocSection):
    """An mdoc file: its keys for all, and `sections`, a list of MdocSection in the order of the file."""

    def __init__(self, keys=(), sections=()):
        super().__init__("", "", keys)
        self.sections = list(sections)

    def section(self, z):
        """The section of image z."""
        for section in self.sections:
            if section.kind == "ZValue" and section.title == str(z):
                return section
        raise KeyError(f"there is no section [ZValue = {z}]")


def read_mdoc(path):
    """An mdoc file: a dict of the keys for all, with `sections`. Values are int, float, tuples of them, or str."""
    (_, _, keys), *sections = _tessera._mdoc_read(path)
    return Mdoc(keys, [MdocSection(*section) for section in sections])


def write_mdoc(path, mdoc, overwrite=False):
    """Write an mdoc file: the text of values that were not changed stays as it was."""
    if not isinstance(mdoc, Mdoc):
        raise TypeError(f"write_mdoc: mdoc is a {type(mdoc).__name__}; a Mdoc is needed")
    sections = [(_bytes(str(s.kind)), _bytes(str(s.title)), s._pairs()) for s in [mdoc] + mdoc.sections]
    _tessera._mdoc_write(path, sections, overwrite)
