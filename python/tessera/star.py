"""STAR files as dicts of tables, and tables as dicts of columns."""
import copy

from . import _tessera

__all__ = ["Star", "read_star", "write_star"]


class Star(dict):
    """The tables of a STAR file by name. It remembers the file it came from, so that writing it keeps comments and the text of
    unchanged values."""

    _document = None
    _sources = {}  # by name: number of the table in the document

    def __copy__(self):
        return _restore(self, self._sources, self._document)

    def copy(self):
        """A Star of the same tables."""
        return self.__copy__()

    def __deepcopy__(self, memo):
        return _restore({copy.deepcopy(name, memo): copy.deepcopy(table, memo) for name, table in self.items()},
                        self._sources, self._document)

    def __reduce__(self):
        return _restore, (dict(self), self._sources, self._document and _text(self._document))


def _text(document):
    import os
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tables.star")
        _tessera._star_write(document, path, False)
        with open(path, "rb") as file:
            return file.read()


def _restore(tables, sources, document):
    """A Star of these tables that come from a document, or from the text of one."""
    star = Star(tables)
    star._sources = dict(sources)
    star._document = _tessera._star_parse(document) if isinstance(document, bytes) else document
    return star


def _objects(texts):
    import numpy
    made = numpy.empty(len(texts), object)
    made[:] = texts
    return made


def _columns(document, i, labels, is_pairs):
    table = {}
    for k, label in enumerate(labels):
        column = _tessera._star_column(document, i, k)
        if is_pairs:
            table[label] = column[0] if isinstance(column, list) else column.item()
        else:
            table[label] = _objects(column) if isinstance(column, list) else column.numpy()
    return table


def read_star(path, as_pandas=False):
    """Read a STAR file, or a .cs file of cryoSPARC.

    Arguments:
        path: file name
        as_pandas: return tables as pandas.DataFrame instead of dict

    Returns a Star: a dict of tables by name, in file order. A table is a dict of NumPy arrays by label, without the underscore:
    integers, floats or, where some values are not numbers, str objects. A table of label-value pairs is a dict of single
    values. A second table of the same name is called "name.2".
    """
    star = Star()
    star._document, star._sources = _tessera._star_read(path), {}
    for i, (name, is_pairs, _, labels) in enumerate(_tessera._star_tables(star._document)):
        key, n = name, 2
        while key in star:
            key, n = f"{name}.{n}", n + 1
        star[key] = _columns(star._document, i, labels, is_pairs)
        star._sources[key] = i
        if as_pandas and not is_pairs:
            import pandas
            star[key] = pandas.DataFrame(star[key])
    return star


# ---- Writing ----


def _is_number(value):
    return isinstance(value, (int, float)) or (hasattr(value, "dtype") and value.dtype.kind in "biuf")


def _is_single(value):
    return isinstance(value, str) or (_is_number(value) and getattr(value, "ndim", 0) == 0)


def _column(values):
    """(whether they are numbers, the array or list of str)"""
    import numpy
    array = numpy.asarray(values) if not isinstance(values, str) else numpy.asarray([values])
    if array.ndim == 0:
        array = array.reshape(1)
    if array.ndim != 1:
        raise ValueError(f"column has the shape {array.shape}; expected one axis")
    if array.dtype.kind in "biuf":
        return True, array
    if array.dtype.kind == "S":
        array = numpy.char.decode(array, "utf-8", "surrogateescape")
    return False, [value if isinstance(value, str) else f"{value}" for value in array.tolist()]


def _table_columns(name, table):
    columns = {}
    for label in table:
        try:
            columns[str(label)] = _column(table[label])
        except ValueError as error:
            raise ValueError(f"write_star: table {name!r}, {label!r}: {error}") from None
    lengths = {len(values) for _, values in columns.values()}
    if len(lengths) > 1:
        listed = ", ".join(f"{label!r} {len(values)}" for label, (_, values) in columns.items())
        raise ValueError(f"write_star: columns of table {name!r} have different lengths: {listed}")
    return columns, lengths.pop() if lengths else 0


def _is_same(document, i, k, is_numbers, values):
    """Whether the column of the original file has these values."""
    import numpy
    before = _tessera._star_column(document, i, k)
    if isinstance(before, list):
        return not is_numbers and before == values
    return is_numbers and numpy.array_equal(before.numpy(), values, equal_nan=values.dtype.kind == "f")


def _source_of(tables, name, is_pairs, n_rows):
    """(document, number, labels) of the table that this one was read from, if the number of rows is unchanged."""
    i = getattr(tables, "_sources", {}).get(name)
    if i is None:
        return None
    _, pairs, rows, labels = _tessera._star_tables(tables._document)[i]
    return (tables._document, i, labels) if pairs == is_pairs and rows == n_rows else None


def _add_table(document, tables, name, table):
    is_pairs = isinstance(table, dict) and len(table) > 0 and all(_is_single(value) for value in table.values())
    columns, n_rows = _table_columns(name, table)
    source = _source_of(tables, name, is_pairs, n_rows)
    if source:
        target = _tessera._star_copy(document, source[0], source[1])
    else:
        target = _tessera._star_add(document, name, is_pairs, n_rows)
    for label, (is_numbers, values) in columns.items():
        known = label in source[2] if source else False
        if known and _is_same(source[0], source[1], source[2].index(label), is_numbers, values):
            continue
        if is_numbers:
            _tessera._star_set_numbers(document, target, label, values)
        else:
            _tessera._star_set_texts(document, target, label, values)
    if source and list(columns) != source[2]:
        _tessera._star_select(document, target, list(columns))


def write_star(path, tables, overwrite=False):
    """Write a STAR file, or a .cs file of cryoSPARC.

    Numbers are written with the fewest digits that read back equal; floats that are all whole are written as 1.0, so that
    they are read as floats again.

    Arguments:
        path: file name; the extension .cs selects the format of cryoSPARC
        tables: dict of tables by name: dicts of columns, pandas.DataFrame, or dicts of single values; those of a Star keep the
            comments and unchanged texts of their file
        overwrite: replace an existing file, which otherwise raises ExistsError
    """
    if not isinstance(tables, dict):
        raise TypeError(f"write_star: tables is a {type(tables).__name__}; expected a dict of tables by name")
    document = _tessera._star_new()
    for name, table in tables.items():
        if not hasattr(table, "keys"):
            raise TypeError(f"write_star: table {name!r} is a {type(table).__name__}; expected a dict of columns")
        _add_table(document, tables, name, table)
    _tessera._star_write(document, path, overwrite)
