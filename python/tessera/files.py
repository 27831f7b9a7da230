"""Arrays in files: read, write, open, info and check.

Arrays have as many axes as the contents of the file: an image two, a stack of images or a volume three, several volumes four.
The same holds for writing. Three axes are written as a volume, or as a stack of images if the file name has the extension of a
stack or with `as_="stack"`.
"""
from . import _tessera, examples as _examples

__all__ = ["File", "Finding", "Header", "Report", "read", "write", "open", "info", "check"]

_TRIPLES = {"pixel_size": float, "origin": float, "start": int, "angles": float, "grid": int}
_STACKS = (".mrcs", ".st", ".ali", ".preali", ".stk")


# ---- Headers ----


class Header:
    """The header of a file, as attributes: shape, dtype, format, pixel_size, origin, labels, mode, warnings and others.

    Lengths are in angstrom and in the order z, y, x; 0 means unknown. Unknown statistics are None. `extended` has the bytes of an
    extended header while the file is open. A header may be changed and passed to write.
    """

    def __init__(self, **fields):
        self.__dict__.update(fields)

    @property
    def voxel_size(self):
        """Pixel size along z, y, x, in angstrom."""
        return self.pixel_size

    def __repr__(self):
        shown = {k: v for k, v in vars(self).items() if k != "extended"}
        return "Header(" + ",\n       ".join(f"{k}={v!r}" for k, v in shown.items()) + ")"


class Finding:
    """A violated rule: its `text`, the `field`, the values `found` and `wanted`, and whether it is `fixable`."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __repr__(self):
        return f"Finding({self.text!r})"


class Report:
    """The result of check: a list of `findings` and the statistics of the data. It is true if there are no findings."""

    def __init__(self, findings, **fields):
        self.findings = [Finding(**f) for f in findings]
        self.__dict__.update(fields)

    def __bool__(self):
        return not self.findings

    def __repr__(self):
        return "Report(" + ("no findings" if self else "\n       ".join(f.text for f in self.findings)) + ")"


def _natural_axes(header):
    """Those of the axes batch, depth, height and width that the array of a file has."""
    b, d = header["shape"][:2]
    if header["rank"] >= 0:  # NumPy's own files say how many there are
        return (0, 2, 3) if header["rank"] == 3 and b > 1 else tuple(range(4 - header["rank"], 4))
    if header["sections"] == "volumes":
        return (0, 1, 2, 3)
    if b > 1 and d > 1:
        return (0, 1, 2, 3)
    return (0, 2, 3) if b != 1 else (1, 2, 3) if d != 1 else (2, 3)


def _axes_for(header, ndim):
    if ndim is None:
        return _natural_axes(header)
    if ndim not in (2, 3, 4):
        raise ValueError(f"open: ndim is {ndim!r}; expected 2, 3 or 4")
    axes = (0, 1, 2, 3) if ndim == 4 else _natural_axes(header) if ndim == 3 else (2, 3)
    axes = (1, 2, 3) if ndim == 3 and len(axes) == 2 else axes
    if any(n != 1 for k, n in enumerate(header["shape"]) if k not in axes):
        raise ValueError(f"open: ndim is {ndim}; an array of shape {header['shape']} needs more axes")
    return axes


# ---- Open files ----


class File:
    """An open file: `f[10:20, :, ::2]` reads only these sections, rows and columns.

    It is closed at the end of a `with` block, or when it is no longer referenced. Threads may share it.
    """

    def __init__(self, path, ndim, options):
        self.path = path
        self._file = _tessera._file_open(path, **options)
        self._info = self._file.info()
        self._axes = _axes_for(self._info, ndim)
        self._header = None

    @property
    def shape(self):
        """Sizes of the axes."""
        return tuple(self._info["shape"][k] for k in self._axes)

    @property
    def ndim(self):
        """Number of axes."""
        return len(self._axes)

    @property
    def dtype(self):
        """Element type of the arrays that are read, such as 'f32'."""
        return self._file.dtype()

    @property
    def header(self):
        """The header of the file."""
        if self._header is None:
            self._header = Header(**self._info)
        return self._header

    @property
    def voxel_size(self):
        """Pixel size along z, y, x, in angstrom; 0 means unknown."""
        return self._info["pixel_size"]

    @property
    def closed(self):
        """True if the file is closed."""
        return self._file.is_closed()

    def section(self, i):
        """The extended header of section i of an MRC file: a dict of the known values, such as tilt and dose."""
        return self._file.section(i)

    def map(self):
        """The data as a memory-mapped array. Changes to the array do not change the file."""
        return self._cut(self._file.map(), {})

    def read(self, out=None):
        """Read everything, with `out` into an existing array."""
        ranges = [(0, n, 1) for n in self._info["shape"]]
        if out is None:
            return self._cut(self._file.read(tuple(ranges)), {})
        target = _tessera._as_output(out, "read")
        if target.shape != self.shape:
            raise ValueError(f"read: out has the shape {target.shape}; expected {self.shape}")
        if target.read_only:
            raise ValueError("read: out is read-only")
        self._file.read(tuple(ranges), target[tuple(slice(None) if k in self._axes else None for k in range(4))])
        return out

    def _cut(self, array, indexed):
        """Drop the axes that the file does not have, or that an integer index removed."""
        return array[tuple(0 if k in indexed or k not in self._axes else slice(None) for k in range(4))]

    def __getitem__(self, key):
        keys = _full_keys(key if isinstance(key, tuple) else (key,), self.ndim)
        ranges, indexed = [(0, n, 1) for n in self._info["shape"]], set()
        for axis, (k, part) in enumerate(zip(self._axes, keys)):
            n = self._info["shape"][k]
            if isinstance(part, slice):
                numbers = range(*part.indices(n))
                ranges[k] = (numbers.start, len(numbers), numbers.step)
            else:
                ranges[k] = (_index(part, n, axis), 1, 1)
                indexed.add(k)
        return self._cut(self._file.read(tuple(ranges)), indexed)

    def __len__(self):
        if not self._axes:
            raise TypeError("len() of a file without axes")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype=None, copy=None):
        made = self.read().numpy()
        return made if dtype is None else made.astype(dtype)

    def close(self):
        """Close the file; reading from it is then an error."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __repr__(self):
        return f"<tessera.File {str(self.path)!r}, {self.shape}, {self.dtype}{', closed' if self.closed else ''}>"


def _full_keys(keys, ndim):
    """One index or slice per axis, after expanding ... and trailing axes."""
    if sum(k is Ellipsis for k in keys) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = next((i for i, k in enumerate(keys) if k is Ellipsis), len(keys))
    before, after = keys[:at], keys[at + 1:]
    if len(before) + len(after) > ndim:
        raise IndexError(f"too many indices: the file has {ndim} axes, but {len(before) + len(after)} were given")
    return before + (slice(None),) * (ndim - len(before) - len(after)) + after


def _index(key, n, axis):
    if isinstance(key, bool) or not hasattr(key, "__index__"):
        raise IndexError(f"{key!r} is not a valid index of a file; expected integers, slices or ...")
    i = key.__index__()
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
    return i % n


def _open(path, *, ndim=None, **options):
    return File(path, ndim, options)


def _read(path, *, ndim=None, out=None, **options):
    with File(path, ndim, options) as f:
        return f.read(out)


def _info(path, **options):
    return Header(**_tessera._file_info(path, **options))


# ---- Writing ----


def _three(name, value):
    """(z, y, x) from a number, two or three numbers, or an object with x, y and z, such as mrcfile's voxel_size."""
    if hasattr(value, "x") and hasattr(value, "y") and hasattr(value, "z"):
        value = (value.z, value.y, value.x)
    try:
        numbers = [float(v) for v in value] if hasattr(value, "__len__") else [float(value)] * 3
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) == 2:
        numbers = [0.0] + numbers
    if len(numbers) != 3:
        raise ValueError(f"write: {name} is {value!r}; expected a number, or numbers of z, y and x")
    return tuple(numbers)


def _of_header(header):
    """The metadata that are copied from file to file; fields may have been changed to anything."""
    meta = {}
    for name, kind in _TRIPLES.items():
        value = getattr(header, name, (0, 0, 0))
        try:
            meta[name] = tuple(kind(v) for v in value)
        except (TypeError, ValueError):
            meta[name] = ()
        if len(meta[name]) != 3:
            raise ValueError(f"write: header.{name} is {value!r}; expected three numbers, of z, y and x")
    meta["labels"] = [str(label) for label in getattr(header, "labels", ())]
    meta["space_group"] = int(getattr(header, "space_group", 0))
    return meta


def _meta(header, shape, own):
    """Metadata of an array: those of a header, overridden by those that the caller gives."""
    meta = {} if header is None else _of_header(header)
    if header is not None and tuple(getattr(header, "shape", ())) == shape:
        for k in ("extended", "extended_type", "extended_layout"):
            if hasattr(header, k):
                meta[k] = getattr(header, k)
    for k in ("pixel_size", "origin"):
        if own.get(k) is not None:
            meta[k] = _three("voxel_size" if k == "pixel_size" else k, own[k])
    if own.get("labels") is not None:
        meta["labels"] = [str(label) for label in own["labels"]]
    if own.get("space_group") is not None:
        meta["space_group"] = int(own["space_group"])
    return meta


def _is_stack(path, header):
    name = str(path).lower()
    for end in (".gz", ".bz2"):
        name = name[:-len(end)] if name.endswith(end) else name
    if name.endswith(_STACKS + (":mrcs", ".tif", ".tiff", ".png")):
        return True
    return getattr(header, "sections", None) == "stack" and not name.endswith((".map", ".ccp4", ".rec", ":mrc"))


def _four_axes(array, as_, depth, path, header):
    """The array as batch, depth, height, width."""
    if as_ not in (None, "stack", "volume", "volumes"):
        raise ValueError(f"write: as_ is {as_!r}; expected one of 'stack', 'volume', 'volumes'")
    if array.ndim == 3 and as_ == "volumes":
        if not depth or array.shape[0] % depth:
            raise ValueError(f"write: as_ is 'volumes' and depth is {depth}; expected a divisor of {array.shape[0]}")
        return array.reshape((array.shape[0] // depth, depth) + array.shape[1:])
    if array.ndim == 3 and (as_ == "stack" or (as_ is None and _is_stack(path, header))):
        return array[:, None]
    array = array[(None,) * (4 - array.ndim)]
    b, d = array.shape[:2]
    if (as_ == "stack" and d != 1) or (as_ == "volume" and b != 1):
        raise ValueError(f"write: as_ is {as_!r}, which does not match the shape {array.shape}")
    return array


def _write(path, array, voxel_size=None, *, apix=None, header=None, as_=None, depth=0, origin=None, labels=None,
           space_group=None, sync=True, **options):
    if voxel_size is not None and apix is not None:
        raise ValueError("write: voxel_size and apix mean the same; give only one")
    array = _tessera.asarray(array).to("cpu")
    ndim, array = array.ndim, _four_axes(array, as_, depth, path, header)
    if all(n == 1 for n in array.shape[:4 - ndim]):
        options.setdefault("rank", max(ndim, 1))
    meta = _meta(header, array.shape, {"pixel_size": apix if voxel_size is None else voxel_size, "origin": origin,
                                       "labels": labels, "space_group": space_group})
    _tessera._file_write(meta, path, array, no_sync=not sync, **options)


# ---- Checking ----


def check(path, header_only=False):
    """Check an MRC file: the rules of MRC2014, its size, and its statistics against its data.

    Arguments:
        path: file name
        header_only: check the header and the size alone, without reading the data

    Returns a Report, which is true if no rule is broken, and lists broken rules in `findings`.
    """
    return Report(**_tessera._mrc_check(path, header_only))


# ---- Signatures: the options are those that the library describes ----


def _described(function, name, of, positional, own, help_of_own, sentence, has_out=True):
    """A function whose signature and documentation have the options of an operation, and its own."""
    options = of.__text_signature__.split("*, ", 1)[1]
    options = options.replace(", no_sync=False", "")
    lines = of.__doc__.split("Arguments:\n", 1)[1].split("\n\nReturns:")[0].splitlines()
    if not has_out:
        options = options.replace(", out=None", "")
        lines = [line for line in lines if not line.startswith("    out:")]
    lines = [line for line in lines if not line.startswith(("    path:", "    in_:", "    no_sync:"))]
    text = "\n".join([sentence, "", "Arguments:"] + [f"    {line}" for line in help_of_own] + lines)
    return _tessera._described(function, name, f"{name}({positional}, *, {own}{options}\n--\n\n{text}\n{_examples.of(name)}")


_PATH = "path: file name"
_NDIM = "ndim: number of axes [that of the contents]; 4 are batch, depth, height and width"
read = _described(_read, "read", _tessera.read, "path", "ndim=None, ", [_PATH, _NDIM],
                  "Read an array from a file.\n\nThe format is detected from the contents.")
open = _described(_open, "open", _tessera.read, "path", "ndim=None, ", [_PATH, _NDIM],
                  "Open a file as a File, from which parts can be read.", has_out=False)
info = _described(_info, "info", _tessera.read, "path", "", [_PATH],
                  "Read the Header of a file, without the data.", has_out=False)
write = _described(
    _write, "write", _tessera.write, "path, array, voxel_size=None",
    "apix=None, header=None, as_=None, depth=0, origin=None, labels=None, space_group=None, sync=True, ",
    [_PATH + "; the extension selects the format", "array: array to write",
     "voxel_size: pixel size in angstrom: a number, or numbers for z, y, x", "apix: the same as voxel_size",
     "header: a Header from which to copy voxel size, origin, labels and other metadata",
     "as_: meaning of three axes [by the file name]; one of 'stack', 'volume', 'volumes'",
     "depth: sections per volume", "origin: origin (z, y, x) in angstrom", "labels: list of str",
     "space_group: number of the space group [by the shape]",
     "sync: wait until the file is on disk; False is faster, but a crash of the machine soon afterwards can leave an "
     "incomplete file"],
    "Write an array to a file.\n\nThe file appears under its name only when it is complete.")
