"""Functions of single elements."""
from .. import _tessera as _ts


def _summary(name):
    return getattr(_ts, name).__doc__.split("\n")[0]


def _unary(name, of):
    def function(x, /):
        return getattr(_ts, of)(_ts.asarray(x))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _summary(of)
    return function


def _binary(name, of):
    def function(x1, x2, /):
        return getattr(_ts, of)(_operand(x1), _operand(x2))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _summary(of)
    return function


def _operand(x):
    """Numbers take on the type of the array that they meet."""
    return x if isinstance(x, (bool, int, float, complex)) else _ts.asarray(x)


abs = _unary("abs", "abs")
acos = _unary("acos", "acos")
acosh = _unary("acosh", "acosh")
asin = _unary("asin", "asin")
asinh = _unary("asinh", "asinh")
atan = _unary("atan", "atan")
atanh = _unary("atanh", "atanh")
conj = _unary("conj", "conj")
cos = _unary("cos", "cos")
cosh = _unary("cosh", "cosh")
exp = _unary("exp", "exp")
imag = _unary("imag", "imag")
isfinite = _unary("isfinite", "is_finite")
isinf = _unary("isinf", "is_inf")
isnan = _unary("isnan", "is_nan")
log = _unary("log", "log")
log2 = _unary("log2", "log2")
log10 = _unary("log10", "log10")
logical_not = _unary("logical_not", "logical_not")
negative = _unary("negative", "neg")
positive = _unary("positive", "copy")
real = _unary("real", "real")
sign = _unary("sign", "sign")
sin = _unary("sin", "sin")
sinh = _unary("sinh", "sinh")
sqrt = _unary("sqrt", "sqrt")
square = _unary("square", "square")
tan = _unary("tan", "tan")
tanh = _unary("tanh", "tanh")
ceil = _unary("ceil", "ceil")
floor = _unary("floor", "floor")
trunc = _unary("trunc", "trunc")

add = _binary("add", "add")
atan2 = _binary("atan2", "atan2")
bitwise_and = _binary("bitwise_and", "bit_and")
bitwise_left_shift = _binary("bitwise_left_shift", "shift_left")
bitwise_or = _binary("bitwise_or", "bit_or")
bitwise_right_shift = _binary("bitwise_right_shift", "shift_right")
bitwise_xor = _binary("bitwise_xor", "bit_xor")
divide = _binary("divide", "true_div")
equal = _binary("equal", "equal")
floor_divide = _binary("floor_divide", "floor_div")
greater = _binary("greater", "greater")
greater_equal = _binary("greater_equal", "greater_equal")
less = _binary("less", "less")
less_equal = _binary("less_equal", "less_equal")
logaddexp = _binary("logaddexp", "logaddexp")
logical_and = _binary("logical_and", "logical_and")
logical_or = _binary("logical_or", "logical_or")
logical_xor = _binary("logical_xor", "logical_xor")
multiply = _binary("multiply", "mul")
not_equal = _binary("not_equal", "not_equal")
pow = _binary("pow", "pow")
remainder = _binary("remainder", "floor_mod")
subtract = _binary("subtract", "sub")


def bitwise_invert(x, /):
    """All bits inverted; of truth values the opposite."""
    return ~_ts.asarray(x)


# ---- Complex numbers by their parts ----


def _is_complex(x):
    return x.dtype.kind == "c"


def round(x, /):
    """Round to the nearest integer, ties to even; of complex numbers both parts."""
    x = _ts.asarray(x)
    return _ts.complex(_ts.rint(x.real), _ts.rint(x.imag)) if _is_complex(x) else _ts.rint(x)


def expm1(x, /):
    """exp(x) - 1, accurate near 0."""
    x = _ts.asarray(x)
    if not _is_complex(x):
        return _ts.expm1(x)
    a, b = x.real, x.imag
    return _ts.complex(_ts.expm1(a) * _ts.cos(b) - 2 * _ts.square(_ts.sin(b / 2)), _ts.exp(a) * _ts.sin(b))


def log1p(x, /):
    """log(1 + x), accurate near 0."""
    x = _ts.asarray(x)
    if not _is_complex(x):
        return _ts.log1p(x)
    a, b = x.real, x.imag
    return _ts.complex(_ts.log1p(a * (2 + a) + b * b) / 2, _ts.atan2(b, 1 + a))
