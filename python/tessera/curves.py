"""Functions of samples along an axis: differences, gradients and interpolation, as NumPy has them."""
from . import _tessera as _ts
from .described import described
from .numpylike import _axes, _axis, _flat, _kind, _near, _view, asarray
from .shapes import moveaxis

__all__ = ["diff", "gradient", "interp"]


# ---- Differences ----


def _edge_of(x, value, axis):
    """prepend= or append=: a number counts as one slice."""
    value = _near(value, x)
    return value._broadcast(tuple(1 if k == axis else n for k, n in enumerate(x.shape))) if value.ndim == 0 else value


@described
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Compute differences of neighbours along an axis.

    Arguments:
        a: numbers; of bools, the result tells whether neighbours differ
        n: number of times; each makes the axis shorter by 1
        axis: axis along which to subtract
        prepend: number, or array with the other sizes of a, put in front of a first (default: nothing)
        append: number or array put behind a first (default: nothing)
    """
    if n < 0:
        raise ValueError(f"diff: n is {n}; expected 0 or more")

    def work(x):
        k = _axis("diff", axis, x.ndim)
        parts = [_edge_of(x, prepend, k)] if prepend is not None else []
        parts += [x] + ([_edge_of(x, append, k)] if append is not None else [])
        made, cut = _ts.concatenate(parts, k) if len(parts) > 1 else x, (slice(None),) * k
        for _ in range(n):
            work = _ts.not_equal if made.dtype == "bool" else _ts.sub
            made = work(made[cut + (slice(1, None),)], made[cut + (slice(None, -1),)])
        return made
    return _view(a, work)


# ---- Gradients ----


def _ends(x, steps, edge_order):
    """The derivatives at the first element, and at the last."""
    first, last = steps
    if edge_order == 1:
        return (x[1:2] - x[:1]) / first[0], (x[-1:] - x[-2:-1]) / last[0]
    made = []
    for at, (h, k), sign in ((x[:3], first, 1), (x[:-4:-1], last, -1)):  # h and k: the first two steps from the end
        weights = -(2 * h + k) / (h * (h + k)), (h + k) / (h * k), -h / (k * (h + k))
        made.append((at[:1] * weights[0] + at[1:2] * weights[1] + at[2:3] * weights[2]) * sign)
    return tuple(made)


def _derivative(x, spacing, edge_order):
    """Along the first axis; `spacing` is a number, or the coordinates."""
    n = x.shape[0]
    if n < edge_order + 1:
        raise ValueError(f"gradient: an axis has {n} elements; expected at least {edge_order + 1}")
    if isinstance(spacing, float):
        steps = (spacing, spacing), (spacing, spacing)
        middle = (x[2:] - x[:-2]) / (2 * spacing)
    else:
        d = spacing[1:] - spacing[:-1]
        h, k = (part.reshape((part.size,) + (1,) * (x.ndim - 1)) for part in (d[:-1], d[1:]))
        steps = d[:2].tolist(), d[:-3:-1].tolist()
        middle = x[:-2] * (-k / (h * (h + k))) + x[1:-1] * ((k - h) / (h * k)) + x[2:] * (h / (k * (h + k)))
    first, last = _ends(x, steps, edge_order)
    return _ts.concatenate([first, middle, last], 0)


def _spacing(value, n, device):
    given = asarray(value, "f64", device)
    if given.ndim == 0:
        return given.item()
    if given.shape != (n,):
        raise ValueError(f"gradient: spacing has the shape {given.shape}; expected a number, or {n} coordinates")
    return given


@described
def gradient(f, *spacing, axis=None, edge_order=1):
    """Compute derivatives by central differences, which at the ends are one-sided.

    Arguments:
        f: numbers, with at least two elements along each axis; integers give f64
        *spacing: step, or coordinates (n,), of the samples: one for all axes, or one for each (default: 1)
        axis: axis, or tuple of axes, along which to derive (default: all)
        edge_order: order of accuracy at the ends, 1 or 2; 2 needs three elements

    Returns an array in the shape of f, or a tuple of them for several axes.
    """
    x = _ts.asarray(f)
    axes = range(x.ndim) if axis is None else _axes("gradient", axis, x.ndim)
    if len(spacing) not in (0, 1, len(axes)):
        raise TypeError(f"gradient: {len(spacing)} spacings are given; expected 1, or {len(axes)}, one for each axis")
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order is {edge_order}; expected 1 or 2")
    spacing = list(spacing or (1.0,)) * (1 if len(spacing) > 1 else len(axes))
    x = x if x.dtype.kind in "fc" else x.astype("f64")
    made = []
    for k, value in zip(axes, spacing):
        derivative = _derivative(moveaxis(x, k, 0), _spacing(value, x.shape[k], x.device), edge_order)
        made.append(_ts._of_kind(moveaxis(derivative.astype(x.dtype, copy=False), 0, k), f))
    return made[0] if len(made) == 1 else tuple(made)


# ---- Interpolation ----


def _periodic(x, xp, fp, period):
    """Samples in ascending order within one period, with one more at each end."""
    if period == 0:
        raise ValueError("interp: period must not be 0")
    period = abs(period)
    xp = _ts.floor_mod(xp, period)
    order = _ts.argsort(xp, 0)
    xp, fp = _ts.take(xp, order, 0), _ts.take(fp, order, 0)
    xp = _ts.concatenate([xp[-1:] - period, xp, xp[:1] + period])
    return _ts.floor_mod(x, period), xp, _ts.concatenate([fp[-1:], fp, fp[:1]])


def _between(x, xp, fp):
    """On the line through the two samples around x."""
    i = _ts.clamp(_ts.searchsorted(xp, x.reshape(x.size), right=True) - 1, 0, max(xp.size - 2, 0)).reshape(x.size)
    at, value = _ts.take(xp, i, 0), _ts.take(fp, i, 0)
    if xp.size > 1:
        value = value + (_ts.take(fp, i + 1, 0) - value) / (_ts.take(xp, i + 1, 0) - at) * (x.reshape(x.size) - at)
    return value.reshape(x.shape)


@described
def interp(x, xp, fp, left=None, right=None, period=None):
    """Interpolate linearly between samples.

    Arguments:
        x: positions at which to interpolate, of any shape
        xp: positions of the samples, (n,), in ascending order; in any order with period
        fp: values of the samples, (n,), real or complex
        left: result below the first position (default: the first sample)
        right: result above the last position (default: the last sample)
        period: period with which the samples repeat; left and right have no effect then (default: none)

    Returns f64 or c64 in the shape of x.
    """
    like = _kind(x, xp, fp)
    at = asarray(_near(x, like), "f64")
    xp, fp = asarray(_flat(xp), "f64", at.device), asarray(_flat(fp), None, at.device)
    fp = fp.astype("c64" if fp.dtype.kind == "c" else "f64", copy=False)
    if xp.size != fp.size or xp.size == 0:
        raise ValueError(f"interp: xp has {xp.size} elements and fp {fp.size}; expected equal numbers, and at least one")
    if period is not None:
        at, xp, fp = _periodic(at, xp, fp, period)
    made = _ts.where(_ts.greater_equal(at, xp[-1]), fp[-1], _between(at, xp, fp))
    made = _ts.where(_ts.less(at, xp[0]), fp[0] if left is None or period is not None else left, made)
    if right is not None and period is None:
        made = _ts.where(_ts.greater(at, xp[-1]), right, made)
    return _ts._of_kind(made, like)
