"""Measurements of labelled regions, as records, and their boxes as slices."""
from collections import namedtuple as _namedtuple

from . import _tessera as _ts
from .described import described
from .numpylike import _shape

__all__ = ["LabelProperties", "find_objects", "label_properties", "label_tables"]

LabelProperties = _namedtuple(
    "LabelProperties", "areas bounds centres covariances sums means minima maxima centres_of_mass")
LabelProperties.__doc__ = """Properties of labels 1 to n: row k - 1 of each array is that of label k.

rank is the number of axes of a signal, an image or a volume. With batches, arrays have an axis for them in front.
"""
for _name, _text in (
        ("areas", "number of elements of each label, (n,), int64"),
        ("bounds", "first indices, and those after the last, (n, 2, rank), int64; 0 without elements"),
        ("centres", "mean indices, (n, rank); NaN without elements"),
        ("covariances", "covariance matrices of the indices, (n, rank, rank); NaN without elements"),
        ("sums", "sums of the image, (n,); None without an image, as the following ones"),
        ("means", "means of the image, (n,); NaN without elements, as the following ones"),
        ("minima", "minima of the image, (n,)"),
        ("maxima", "maxima of the image, (n,)"),
        ("centres_of_mass", "mean indices weighted by the image, (n, rank)")):
    getattr(LabelProperties, _name).__doc__ = _text

_OF_LABELS, _OF_IMAGE = LabelProperties._fields[1:4], LabelProperties._fields[4:]
_AXES = {"bounds": (2, 3), "centres": (3,), "covariances": (3, 3), "centres_of_mass": (3,)}  # of a label, in the library


def _as_batches(function, labels, ndim):
    """Labels with the library's four axes, and how many of their own count batches and are those of a region."""
    shape = _shape(labels)
    rank = min(len(shape), 3) if ndim is None else ndim
    if rank not in (1, 2, 3):
        raise ValueError(f"{function}: labels have {rank} axes; expected 1, 2 or 3" if ndim is None
                         else f"{function}: ndim is {ndim}; expected 1, 2 or 3")
    leading = len(shape) - rank
    if leading not in (0, 1):
        raise ValueError(f"{function}: labels have {len(shape)} axes; expected {rank} or {rank + 1}")
    return shape[:leading] + (1,) * (4 - leading - rank) + shape[leading:], leading, rank


def _of_rank(name, a, rank):
    """The columns of the last axes of d, h and w."""
    if name not in _AXES:
        return a
    return a[..., 3 - rank:, 3 - rank:] if name == "covariances" else a[..., 3 - rank:]


def label_properties(labels, image=None, *, n=None, ndim=None):
    """Measure labelled regions: areas, bounds, centres, and sums over an image.

    Arguments:
        labels: integers: 1 to n are labels, others background; an image (h, w), a volume (d, h, w), or a signal
        image: real numbers in the shape of labels (default: properties of the image are None)
        n: number of labels (default: the largest one)
        ndim: number of axes of an image, volume or signal; one more axis in front counts batches (default: all, at most 3)

    Returns a LabelProperties, whose arrays have one row for each label. label_tables, the library's function, has a keyword for
    each property instead.
    """
    shape, leading, rank = _as_batches("label_properties", labels, ndim)
    options = {} if n is None else {"n": n}
    wanted = _OF_LABELS
    if image is not None:
        if _shape(image) != _shape(labels):
            raise ValueError(f"label_properties: image has shape {_shape(image)} and labels {_shape(labels)}; "
                             "they must be equal")
        wanted, options["image"] = _OF_LABELS + _OF_IMAGE, _ts.asarray(image).reshape(shape)
    found = _ts.label_properties(_ts.asarray(labels).reshape(shape), **options, **dict.fromkeys(wanted, True))
    n = _shape(found.out)[-1]
    properties = dict.fromkeys(LabelProperties._fields)
    for name in ("areas",) + wanted:
        a = found.out if name == "areas" else getattr(found, name)
        a = a.reshape(shape[:leading] + (n,) + _AXES.get(name, ()))
        properties[name] = _ts._of_kind(_of_rank(name, a, rank), labels)
    return LabelProperties(**properties)


label_properties = described(label_properties)
label_tables = _ts._alias("label_properties", "label_tables")


def find_objects(labels, max_label=0):
    """Find the box of each label, as scipy.ndimage.find_objects does.

    Arguments:
        labels: integers: 1 to n are labels, others background; at most three axes
        max_label: number of labels (default: the largest one)

    Returns a list with a tuple of slices for each label, None for one without elements.
    """
    if len(_shape(labels)) > 3:
        raise ValueError(f"find_objects: labels have {len(_shape(labels))} axes; expected at most 3")
    shape, _, rank = _as_batches("find_objects", labels, None)
    options = {"n": max_label} if max_label > 0 else {}
    found = _ts.label_properties(_ts.asarray(labels).reshape(shape), bounds=True, **options)
    rows = found.bounds.reshape((-1, 6)).tolist() if _shape(found.out)[-1] else []
    return [tuple(map(slice, row[3 - rank:3], row[6 - rank:])) if row[5] else None for row in rows]


find_objects = described(find_objects)
