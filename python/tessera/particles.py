"""Particles of STAR and .cs files: images with their orientations, CTFs and half sets."""
from . import _tessera

__all__ = ["Particles", "Images"]


class Images:
    """Images of particles, read from their files on demand: `images[3]`, `images[10:20]`, `images[[5, 0]]`.

    As a source of a job they supply the images alone, without orientations, CTFs or half sets.
    """

    __slots__ = ("_images",)

    def __init__(self, particles):
        self._images = particles

    @property
    def shape(self):
        """(n, h, w)"""
        return self._images.images()[0]

    @property
    def dtype(self):
        """The common dtype of all files."""
        import numpy
        return numpy.dtype(self._images.images()[1])

    ndim = 3

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        import numpy
        n = len(self)
        if hasattr(index, "__index__"):
            i = index.__index__()
            if not -n <= i < n:
                raise IndexError(f"image {i} is out of range; there are {n} images")
            return self._images.read(i % n, 1).numpy()[0]
        if isinstance(index, slice) and index.indices(n)[2] == 1:
            first, last, _ = index.indices(n)
            return self._images.read(first, max(last - first, 0)).numpy()
        chosen = numpy.arange(n)[index]
        if chosen.ndim != 1:
            raise IndexError("images have one index: an integer, a slice, or a list of integers")
        made = numpy.empty((len(chosen), *self.shape[1:]), self.dtype)
        for k, i in enumerate(chosen):
            made[k] = self._images.read(int(i), 1).numpy()[0]
        return made

    def __array__(self, dtype=None, copy=None):
        images = self[:]
        return images if dtype is None else images.astype(dtype, copy=False)

    def __repr__(self):
        return f"Images {self.shape} {self.dtype}"


class Particles:
    """The particles of a STAR or .cs file.

        p = ts.jobs.Particles("particles.star")
        p.shifts[:, 0] += 1
        ts.jobs.reconstruct(p, sym="D7")          # with rotations, shifts, CTFs and half sets
        ts.jobs.reconstruct(p.images, p.rotations)   # with rotations alone
        p.write("moved.star")

    Files of all RELION versions are accepted. Image names are relative to the current folder or, failing that, to the folder of the
    file; `root` gives another folder. `pixel_size` in Å replaces that of the file.
    """

    __slots__ = ("_particles", "_before", "path")

    def __init__(self, path, *, root=None, pixel_size=None):
        if pixel_size is not None and not pixel_size > 0:
            raise ValueError(f"Particles: pixel_size is {pixel_size}; expected a size above 0 in Å")
        self._take(_tessera._particles_open(path, root, pixel_size or 0), path)

    @classmethod
    def from_arrays(cls, rotations, shifts=None, ctfs=None, halves=None, *, box, pixel_size=None):
        """Particles without images, from tables with one row per particle. `box` is the box size in pixels.
        `write(path, images=stack)` names their images."""
        made = cls.__new__(cls)
        made._take(_tessera._particles_new(rotations, shifts, ctfs, halves, pixel_size or 0, box), None)
        return made

    def _take(self, particles, path):
        self._particles, self.path = particles, path
        self._before = {name: None if self._get(name) is None else self._get(name).copy()
                        for name in ("rotations", "shifts", "halves")}

    def _get(self, name):
        table = self._particles.get(name)
        return None if table is None else table.numpy()

    # ---- Tables ----

    @property
    def rotations(self):
        """(n, 4): quaternions (z, y, x, w) from the image to the map; None if the file has no angles. Jobs use changes of the
        elements and assigned arrays, and `write` writes them; the same holds for shifts and halves."""
        return self._get("rotations")

    @rotations.setter
    def rotations(self, table):
        self._particles.set("rotations", table)

    @property
    def shifts(self):
        """(n, 2): shifts (y, x) in pixels that centre each particle."""
        return self._get("shifts")

    @shifts.setter
    def shifts(self, table):
        self._particles.set("shifts", table)

    @property
    def ctfs(self):
        """(n, k): fields of a CTF in the order of `tess_ctf`; None if the file has no defocus. The table is read-only, but
        `p.ctfs = None` makes jobs ignore CTFs."""
        table = self._get("ctfs")
        if table is not None:
            table.flags.writeable = False
        return table

    @ctfs.setter
    def ctfs(self, table):
        if table is not None:
            raise ValueError("Particles: CTFs are read-only; assign None to ignore them, or use from_arrays")
        self._particles.set("ctfs", None)

    @property
    def halves(self):
        """(n,): half sets, 1 or 2; None if the file has none."""
        return self._get("halves")

    @halves.setter
    def halves(self, table):
        self._particles.set("halves", table)

    # ---- Images and columns ----

    @property
    def images(self):
        """The images; None for particles made from arrays."""
        return Images(self._particles) if self._particles.images() else None

    @property
    def pixel_size(self):
        """Pixel size in Å; 0 if unknown."""
        return self._particles.pixel_size()

    @property
    def columns(self):
        """A copy of the particle table, as read_star returns it: columns by label, without the underscore."""
        from . import star
        document, i = self._particles.document()
        labels = _tessera._star_tables(document)[i][3]
        return star._columns(document, i, labels, False)

    def put_column(self, label, values):
        """Set a column of the particle table to numbers or texts, adding it if it is new."""
        from . import star
        document, i = self._particles.document()
        is_numbers, column = star._column(values)
        if len(column) != len(self):
            raise ValueError(f"Particles: column {label} has {len(column)} values for {len(self)} particles")
        set_column = _tessera._star_set_numbers if is_numbers else _tessera._star_set_texts
        set_column(document, i, label, column)

    def __len__(self):
        return self._particles.length()

    def __repr__(self):
        known = [name for name in ("rotations", "shifts", "ctfs", "halves") if self._particles.get(name) is not None]
        return f"{len(self)} particles of {self.pixel_size:.6g} Å per pixel, with {', '.join(known) or 'nothing known of them'}"

    # ---- Changing and writing ----

    def choose(self, rows):
        """Keep these particles, in this order: indices from 0, a slice, or an array of bool."""
        import numpy
        chosen = numpy.arange(len(self))[rows]
        if chosen.ndim != 1 or len(chosen) == 0:
            raise ValueError("Particles: the index must select one or more particles")
        self._particles.choose(numpy.ascontiguousarray(chosen, numpy.int64))
        self._before = {name: None if table is None else table[chosen] for name, table in self._before.items()}

    def _changed(self, name):
        import numpy
        table, before = self._get(name), self._before[name]
        return table is not None and (before is None or not numpy.array_equal(table, before))

    def write(self, path, *, images=None, overwrite=False):
        """Write a STAR file, or a .cs file if the name says so, with every column of the original file.

        Changed rotations, shifts and half sets are written to their columns. With `images`, the name of a stack, particle i is
        image i of it.
        """
        if self._changed("rotations") or self._changed("shifts"):
            self._particles.put_poses()
        if self._changed("halves"):
            self._particles.put_halves()
        if images is not None:
            self._particles.put_images(images)
        self._particles.write(path, bool(overwrite))
