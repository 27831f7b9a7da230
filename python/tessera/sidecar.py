"""Sidecar files of tilt series: angles (.tlt, .rawtlt), transforms (.xf) and mdoc."""
from . import _tessera

__all__ = ["Mdoc", "MdocSection", "read_tilts", "write_tilts", "read_xf", "write_xf", "read_mdoc", "write_mdoc"]


def read_tilts(path, n_images=0):
    """Read the tilt angles of a series, in degrees.

    Arguments:
        path: .tlt, .rawtlt, .mdoc or .star file: the first number of each line, TiltAngle, or rlnTomoNominalStageTiltAngle or
            minus rlnAngleTilt
        n_images: number of angles that the file must have (default: any)

    Returns an Array of f64, (n,).
    """
    return _tessera._tilts_read(path, n_images)


def write_tilts(path, angles, overwrite=False):
    """Write tilt angles, one in each line.

    Arguments:
        path: file name
        angles: angles in degrees, (n,)
        overwrite: replace an existing file, which otherwise raises ExistsError
    """
    _tessera._tilts_write(path, angles, overwrite)


def read_xf(path, n_images=0):
    """Read the transforms of a tilt series from a file of IMOD.

    Arguments:
        path: .xf file; the line "a11 a12 a21 a22 dx dy" is the matrix ((a22, a21, dy), (a12, a11, dx))
        n_images: number of transforms that the file must have (default: any)

    Returns matrices that act on (y, x) relative to the image centre: an Array of f64, (n, 2, 3).
    """
    return _tessera._xf_read(path, n_images)


def write_xf(path, matrices, overwrite=False):
    """Write transforms to a file of IMOD.

    Arguments:
        path: file name
        matrices: matrices that act on (y, x) relative to the image centre, (n, 2, 3), as read_xf returns them
        overwrite: replace an existing file, which otherwise raises ExistsError
    """
    _tessera._xf_write(path, matrices, overwrite)


# ---- mdoc ----


def _value(text):
    """A text as an int, a float or a tuple of numbers if possible, otherwise unchanged."""
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
    """The original bytes, whatever their encoding."""
    return text.encode("utf-8", "surrogateescape")


class MdocSection(dict):
    """The keys of a section of an mdoc file. `kind` and `title` are "ZValue" and "0" for "[ZValue = 0]"."""

    def __init__(self, kind="ZValue", title="", keys=()):
        pairs = list(keys.items()) if isinstance(keys, dict) else list(keys)
        self.kind, self.title = kind, str(title)
        self._texts = {key: text for key, text in pairs if isinstance(text, str)}
        super().__init__((key, _value(text) if isinstance(text, str) else text) for key, text in pairs)

    def _pairs(self):
        """Keys and texts; unchanged values keep their original text."""
        def text(key, value):
            before = self._texts.get(key)
            return before if before is not None and _value(before) == value else _text(value)
        return [(_bytes(str(key)), _bytes(text(key, value))) for key, value in self.items()]


class Mdoc(MdocSection):
    """An mdoc file: its global keys, and `sections`, a list of MdocSection in file order."""

    def __init__(self, keys=(), sections=()):
        super().__init__("", "", keys)
        self.sections = list(sections)

    def section(self, z):
        """The section of image z."""
        for section in self.sections:
            if section.kind == "ZValue" and section.title == str(z):
                return section
        raise KeyError(f"no such section: [ZValue = {z}]")


def read_mdoc(path):
    """Read an mdoc file of SerialEM.

    Arguments:
        path: file name

    Returns an Mdoc: a dict of the global keys, with `sections`. Values are int, float, tuples of them, or str.
    """
    (_, _, keys), *sections = _tessera._mdoc_read(path)
    return Mdoc(keys, [MdocSection(*section) for section in sections])


def write_mdoc(path, mdoc, overwrite=False):
    """Write an mdoc file; unchanged values keep their original text.

    Arguments:
        path: file name
        mdoc: Mdoc to write
        overwrite: replace an existing file, which otherwise raises ExistsError
    """
    if not isinstance(mdoc, Mdoc):
        raise TypeError(f"write_mdoc: mdoc is a {type(mdoc).__name__}; expected an Mdoc")
    sections = [(_bytes(str(s.kind)), _bytes(str(s.title)), s._pairs()) for s in [mdoc] + mdoc.sections]
    _tessera._mdoc_write(path, sections, overwrite)
