"""Examples of functions of elements; see __init__.py."""
TEXT = """
abs
>>> ts.abs([-3, 2])
Array([3, 2], dtype='i64')
>>> ts.abs([3 + 4j])
Array([5.], dtype='f64')

abs2
>>> ts.abs2([3 + 4j, 2])
Array([25.,  4.], dtype='f64')

acos
>>> ts.acos([1.0, 0.0, -1.0])
Array([0.        , 1.57079633, 3.14159265], dtype='f64')

acosh
>>> ts.acosh([1.0, 2.0])
Array([0.       , 1.3169579], dtype='f64')

add
>>> ts.add([1, 2], [10, 20])
Array([11, 22], dtype='i64')
>>> ts.add([1, 2], 0.5)
Array([1.5, 2.5], dtype='f64')

arg
>>> ts.arg([1, 1j, -1])
Array([0.        , 1.57079633, 3.14159265], dtype='f64')

asin
>>> ts.asin([0.0, 0.5, 1.0])
Array([0.        , 0.52359878, 1.57079633], dtype='f64')

asinh
>>> ts.asinh([0.0, 1.0])
Array([0.        , 0.88137359], dtype='f64')

atan
>>> ts.atan([0.0, 1.0])
Array([0.        , 0.78539816], dtype='f64')

atan2
>>> ts.atan2([1.0, 1.0], [1.0, -1.0])
Array([0.78539816, 2.35619449], dtype='f64')

atanh
>>> ts.atanh([0.0, 0.5])
Array([0.        , 0.54930614], dtype='f64')

bit_and
>>> ts.bit_and([6, 7], 3)
Array([2, 3], dtype='i64')

bit_not
>>> ts.bit_not([0, 5])
Array([-1, -6], dtype='i64')

bit_or
>>> ts.bit_or([6, 8], 3)
Array([ 7, 11], dtype='i64')

bit_xor
>>> ts.bit_xor([6, 7], 3)
Array([5, 4], dtype='i64')

cast
>>> ts.cast([1.9, -1.9, 300], "u8")
Array([  1,   0, 255], dtype='u8')
>>> ts.cast([257], "u8", mode="wrap")
Array([1], dtype='u8')

cbrt
>>> ts.cbrt([8.0, -27.0])
Array([ 2., -3.], dtype='f64')

ceil
>>> ts.ceil([1.2, -1.2])
Array([ 2., -1.], dtype='f64')

cis
>>> ts.cis([0.0, np.pi / 4])
Array([1.        +0.j        , 0.70710678+0.70710678j], dtype='c64')

clamp
>>> ts.clamp([-1, 0.5, 9], 0, 1)
Array([0. , 0.5, 1. ], dtype='f64')

clip
>>> ts.clip([-1, 0.5, 9], 0, 1)
Array([0. , 0.5, 1. ], dtype='f64')
>>> ts.clip([-1, 0.5, 9], a_min=0)
Array([0. , 0.5, 9. ], dtype='f64')

complex
>>> ts.complex([1, 2], [0, -1])
Array([1.+0.j, 2.-1.j], dtype='c64')

complex_polar
>>> ts.complex_polar([1.0, 2.0], [0.0, np.pi / 4])
Array([1.        +0.j        , 1.41421356+1.41421356j], dtype='c64')

conj
>>> ts.conj([1 + 2j])
Array([1.-2.j], dtype='c64')

copy
>>> x = ts.zeros(3)
>>> y = ts.copy(x)
>>> y[0] = 7
>>> x
Array([0., 0., 0.], dtype='f64')

copysign
>>> ts.copysign([1.0, 2.0], [-1.0, 1.0])
Array([-1.,  2.], dtype='f64')

cos
>>> ts.cos([0.0, np.pi])
Array([ 1., -1.], dtype='f64')

cosh
>>> ts.cosh([0.0, 1.0])
Array([1.        , 1.54308063], dtype='f64')

deg2rad
>>> ts.deg2rad([0.0, 180.0])
Array([0.        , 3.14159265], dtype='f64')

div
>>> ts.div([7, -7], 2)
Array([ 3, -3], dtype='i64')
>>> ts.div([7, 1], 0)
Array([0, 0], dtype='i64')

div_safe
>>> ts.div_safe([1.0, 1.0], [2.0, 0.0])
Array([0.5, 0. ], dtype='f64')

equal
>>> ts.equal([1, 2, 3], 2)
Array([False,  True, False], dtype='bool')

erf
>>> ts.erf([0.0, 1.0])
Array([0.        , 0.84270079], dtype='f64')

erfc
>>> ts.erfc([0.0, 1.0])
Array([1.        , 0.15729921], dtype='f64')

exp
>>> ts.exp([0.0, 1.0])
Array([1.        , 2.71828183], dtype='f64')

exp10
>>> ts.exp10([0.0, 2.0])
Array([  1., 100.], dtype='f64')

exp2
>>> ts.exp2([0.0, 3.0])
Array([1., 8.], dtype='f64')

expm1
>>> ts.expm1([0.0, 1e-10])
Array([0.e+00, 1.e-10], dtype='f64')

floor
>>> ts.floor([1.8, -1.2])
Array([ 1., -2.], dtype='f64')

floor_div
>>> ts.floor_div([7, -7], 2)
Array([ 3, -4], dtype='i64')

floor_mod
>>> ts.floor_mod([7, -7], 3)
Array([1, 2], dtype='i64')

fma
>>> ts.fma([2.0, 3.0], 10.0, 1.0)
Array([21., 31.], dtype='f64')

fmax
>>> ts.fmax([1.0, np.nan], [2.0, 0.0])
Array([2., 0.], dtype='f64')

fmin
>>> ts.fmin([1.0, np.nan], [2.0, 0.0])
Array([1., 0.], dtype='f64')

fmod
>>> ts.fmod([7, -7], 3)
Array([ 1, -1], dtype='i64')

greater
>>> ts.greater([1, 2, 3], 2)
Array([False, False,  True], dtype='bool')

greater_equal
>>> ts.greater_equal([1, 2, 3], 2)
Array([False,  True,  True], dtype='bool')

hypot
>>> ts.hypot([3.0], [4.0])
Array([5.], dtype='f64')

imag
>>> ts.imag([1 + 2j, 3])
Array([2., 0.], dtype='f64')

is_finite
>>> ts.is_finite([1.0, np.inf, np.nan])
Array([ True, False, False], dtype='bool')

is_inf
>>> ts.is_inf([1.0, np.inf, np.nan])
Array([False,  True, False], dtype='bool')

is_nan
>>> ts.is_nan([1.0, np.inf, np.nan])
Array([False, False,  True], dtype='bool')

isclose
>>> ts.isclose([1.0, 1.0], [1.0 + 1e-9, 1.1])
Array([ True, False], dtype='bool')

less
>>> ts.less([1, 2, 3], 2)
Array([ True, False, False], dtype='bool')

less_equal
>>> ts.less_equal([1, 2, 3], 2)
Array([ True,  True, False], dtype='bool')

log
>>> ts.log([1.0, np.e])
Array([0., 1.], dtype='f64')

log10
>>> ts.log10([1.0, 1000.0])
Array([0., 3.], dtype='f64')

log1p
>>> ts.log1p([0.0, 1e-10])
Array([0.e+00, 1.e-10], dtype='f64')

log2
>>> ts.log2([1.0, 8.0])
Array([0., 3.], dtype='f64')

logaddexp
>>> ts.logaddexp([0.0, 1000.0], [0.0, 1000.0])
Array([6.93147181e-01, 1.00069315e+03], dtype='f64')

logical_and
>>> ts.logical_and([0, 1, 2], [1, 1, 0])
Array([False,  True, False], dtype='bool')

logical_not
>>> ts.logical_not([0, 1, 2])
Array([ True, False, False], dtype='bool')

logical_or
>>> ts.logical_or([0, 1, 0], [1, 1, 0])
Array([ True,  True, False], dtype='bool')

logical_xor
>>> ts.logical_xor([0, 1, 2], [1, 1, 0])
Array([ True, False,  True], dtype='bool')

maximum
>>> ts.maximum([1, 5], 3)
Array([3, 5], dtype='i64')

minimum
>>> ts.minimum([1, 5], 3)
Array([1, 3], dtype='i64')

mod
>>> ts.mod([7, -7], 3)
Array([1, 2], dtype='i64')

mul
>>> ts.mul([1, 2], [10, 20])
Array([10, 40], dtype='i64')

mul_conj
>>> ts.mul_conj([1 + 1j], [2 + 1j])
Array([3.+1.j], dtype='c64')

neg
>>> ts.neg([1, -2])
Array([-1,  2], dtype='i64')

not_equal
>>> ts.not_equal([1, 2, 3], 2)
Array([ True, False,  True], dtype='bool')

pow
>>> ts.pow([2, 3], 2)
Array([4, 9], dtype='i64')
>>> ts.pow([2.0], -1)
Array([0.5], dtype='f64')

rad2deg
>>> ts.rad2deg([0.0, np.pi])
Array([  0., 180.], dtype='f64')

real
>>> ts.real([1 + 2j, 3])
Array([1., 3.], dtype='f64')

reciprocal
>>> ts.reciprocal([2.0, 4.0])
Array([0.5 , 0.25], dtype='f64')

rint
>>> ts.rint([0.5, 1.5, -1.7])
Array([ 0.,  2., -2.], dtype='f64')

round
>>> ts.round([1.234, 5.678], 1)
Array([1.2, 5.7], dtype='f64')
>>> ts.round([0.5, 1.5])
Array([0., 2.], dtype='f64')

round_half_away
>>> ts.round_half_away([0.5, 1.5, -0.5])
Array([ 1.,  2., -1.], dtype='f64')

rsqrt
>>> ts.rsqrt([4.0, 16.0])
Array([0.5 , 0.25], dtype='f64')

shift_left
>>> ts.shift_left([1, 3], 2)
Array([ 4, 12], dtype='i64')

shift_right
>>> ts.shift_right([8, -3], 1)
Array([ 4, -2], dtype='i64')

shift_scale
>>> ts.shift_scale([3.0, 5.0], 1.0, 2.0)
Array([1., 2.], dtype='f64')

sign
>>> ts.sign([-2.5, 0.0, 3.0])
Array([-1.,  0.,  1.], dtype='f64')

signbit
>>> ts.signbit([-2.5, 0.0, 3.0])
Array([ True, False, False], dtype='bool')

sin
>>> ts.sin([0.0, np.pi / 2])
Array([0., 1.], dtype='f64')

sinc
>>> ts.sinc([0.0, 0.5])
Array([1.        , 0.63661977], dtype='f64')

sinc_radians
>>> ts.sinc_radians([0.0, np.pi / 2])
Array([1.        , 0.63661977], dtype='f64')

sinh
>>> ts.sinh([0.0, 1.0])
Array([0.        , 1.17520119], dtype='f64')

sqrt
>>> ts.sqrt([4.0, 2.0])
Array([2.        , 1.41421356], dtype='f64')

square
>>> ts.square([-3, 4])
Array([ 9, 16], dtype='i64')

square_diff
>>> ts.square_diff([1, 5], [3, 2])
Array([4, 9], dtype='i64')

sub
>>> ts.sub([10, 20], [1, 2])
Array([ 9, 18], dtype='i64')

tan
>>> ts.tan([0.0, np.pi / 4])
Array([0., 1.], dtype='f64')

tanh
>>> ts.tanh([0.0, 1.0])
Array([0.        , 0.76159416], dtype='f64')

true_div
>>> ts.true_div([7, -7], 2)
Array([ 3.5, -3.5], dtype='f64')

trunc
>>> ts.trunc([1.8, -1.8])
Array([ 1., -1.], dtype='f64')

where
>>> ts.where([True, False], [1, 2], [10, 20])
Array([ 1, 20], dtype='i64')
"""
