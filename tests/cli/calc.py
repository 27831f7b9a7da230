"""tessera calc against NumPy."""
import json

import numpy as np

from command import check, fails, finish, tessera
from images import WAYS, close, equal, facts, random, read, run, write

image = write('x.mrc', random.normal(size=(40, 36)).astype('f4') + 1, 1.5)
mask = write('m.mrc', (random.random((40, 36)) > 0.5).astype('f4'), 1.5)
stack = write('s.mrcs', random.normal(size=(9, 40, 36)).astype('f4') * 2 + 3, 1.5, stack=True)
volume = write('v.mrc', random.normal(size=(11, 20, 16)).astype('f4'), 2, origin=(1, 2, 3))
several = write('vs.mrc', random.normal(size=(3, 11, 20, 16)).astype('f4'), 2, volumes=True)
whole = write('i.mrcs', random.integers(-300, 300, (7, 40, 36)).astype('i2'), 1.5, stack=True)
X = image.astype('f8')
S = stack.astype('f8')
V = volume.astype('f8')


def calc(expression, *arguments, out='out.mrc'):
    return run('calc', expression, *arguments, out=out)


def number(expression, *arguments):
    """What is printed, the same in all ways."""
    first = None
    for slab, *way in WAYS:
        result = tessera('calc', expression, *arguments, *way, environment={'TESS_SLAB': slab})
        if not check(result.code == 0, 'it runs', result):
            return np.nan
        first = first or result.out
        check(result.out == first, f'{expression}: the same with {slab} {way}', result)
    values = [float(v) for v in first.split()]
    return values[0] if len(values) == 1 else np.array(values)


# ---- Arithmetic, broadcasting, numbers ----
equal(calc('a*mask - mean(a)', 'a=x.mrc', 'mask=m.mrc'), X * mask - X.mean(), 'the example', 1e-6)
close(facts('out.mrc')[0][:2], [1.5, 1.5], 'pixel size')
equal(calc('a*mask', 'a=s.mrcs', 'mask=m.mrc'), S * mask, 'an image with a stack', 1e-6)
check(facts('out.mrc')[3], 'a stack')
equal(calc('mask*a', 'a=s.mrcs', 'mask=m.mrc'), S * mask, 'a stack with an image', 1e-6)
equal(calc('a - b', 'a=vs.mrc', 'b=v.mrc'), several - V, 'a volume with volumes', 1e-6)
equal(calc('a*k + 0.25', 'a=v.mrc', 'k=2.5'), V * 2.5 + 0.25, 'a number', 1e-6)
close(facts('out.mrc')[1], [1, 2, 3], 'origin')
equal(calc('a + k', 'a=x.mrc', 'k=-3'), X - 3, 'a number below 0', 1e-6)
equal(calc('a - k*1e-3', 'a=x.mrc', 'k=-1.5e2'), X + 0.15, 'exponents', 1e-6)
equal(calc('sqrt(abs(a)) + exp(-a*a) - min(a, b)', 'a=x.mrc', 'b=m.mrc'),
      np.sqrt(np.abs(X)) + np.exp(-X * X) - np.minimum(X, mask), 'functions', 2e-6)
equal(calc('a > 1 ? a : 0', 'a=x.mrc'), np.where(image > 1, image, 0), 'a choice')
equal(calc('a > 1', 'a=x.mrc', '--dtype', 'f32'), (image > 1).astype('f4'), 'a comparison')
equal(calc('t = a*b; u = t + 1; t*u', 'a=x.mrc', 'b=m.mrc'), X * mask * (X * mask + 1), 'statements', 2e-6)
equal(calc('t = a - mean(a); t/std(t);', 'a=x.mrc'), (X - X.mean()) / X.std(), 'a reduction of a statement', 1e-5)

# ---- Indices ----
b, h, w = np.meshgrid(np.arange(9), np.arange(40), np.arange(36), indexing='ij')
equal(calc('a + 100*$b + 10*$h + $w', 'a=s.mrcs'), S + 100 * b + 10 * h + w, 'indices of a stack', 1e-6)
equal(calc('a*0 + size(0) + 2*size(1) + 3*size(2) + 5*size(3)', 'a=s.mrcs'),
      np.full(S.shape, 9 + 2 + 120 + 180.0), 'sizes')
d = np.arange(11)[:, None, None]
equal(calc('a + $d', 'a=v.mrc'), V + d, 'sections', 1e-6)
equal(calc('a + b', 'a=s.mrcs', 'b=m.mrc'), S + mask, 'a file of the name b', 1e-6)
equal(calc('hypot($h - 20, $w - 18) < 10 ? a : 0', 'a=x.mrc'),
      np.where(np.hypot(h[0] - 20, w[0] - 18) < 10, image, 0), 'a disc')

# ---- Reductions ----
reducers = {'mean': np.mean, 'sum': np.sum, 'min': np.min, 'max': np.max, 'std': np.std, 'var': np.var,
            'norm': lambda a, axis=None: np.sqrt((a * a).sum(axis=axis)), 'median': np.median}
for name, data in (('x.mrc', X), ('s.mrcs', S), ('v.mrc', V), ('vs.mrc', several.astype('f8')), ('i.mrcs', whole.astype('f8'))):
    for word, f in reducers.items():
        close(number(f'{word}(a)', f'a={name}'), f(data), f'{word} of {name}', 1e-9)
        close(number(f'{word}(a*a - 1)', f'a={name}'), f(data * data - 1), f'{word} of an expression, {name}', 1e-5)
        if name == 's.mrcs':
            close(number(f'{word}(a)', f'a={name}', '--per', 'image'), f(data, axis=(1, 2)), f'{word} per image', 1e-9)
            want = np.broadcast_to(f(data, axis=(1, 2)).reshape(-1, 1, 1), data.shape)
            equal(calc(f'a*0 + {word}(a)', f'a={name}', '--per', 'image'), want, f'{word} per image', 1e-6)
        if name == 'vs.mrc':
            close(number(f'{word}(a)', f'a={name}', '--per', 'volume'), f(data, axis=(1, 2, 3)), f'{word} per volume', 1e-9)
            close(number(f'{word}(a)', f'a={name}', '--per', 'image'), f(data, axis=(2, 3)).ravel(), f'{word} of sections', 1e-9)
centred = S - S.mean(axis=(1, 2), keepdims=True)
equal(calc('(a - mean(a))/std(a)', '--per', 'image', 'a=s.mrcs'), centred / S.std(axis=(1, 2), keepdims=True), 'z-score', 1e-5)
close(number('mean(abs(a - mean(a)))', 'a=s.mrcs'), np.abs(S - S.mean()).mean(), 'a nested reduction', 1e-6)
close(number('max(abs(a - median(a)))/std(a - mean(a))', 'a=s.mrcs'), np.abs(S - np.median(S)).max() / S.std(), 'more', 1e-6)
close(number('mean(abs(a - mean(a)))', '--per', 'image', 'a=s.mrcs'), np.abs(centred).mean(axis=(1, 2)), 'nested, per image', 1e-6)
close(number('sum(m)', 'm=m.mrc'), mask.sum(), 'of one image')
close(number('sum(a*m)/sum(m)', 'a=x.mrc', 'm=m.mrc'), (X * mask).sum() / mask.sum(), 'a masked mean')
equal(calc('a/sum(m)', 'a=s.mrcs', 'm=m.mrc'), S / mask.sum(), 'the sum of the mask alone', 1e-6)
close(number('max(a) - min(a)', 'a=v.mrc'), V.max() - V.min(), 'a range')
close(number('min(min(a), max(b))', 'a=v.mrc', 'b=x.mrc'), V.min(), 'min of one and of two')
odd = random.normal(size=1001)
np.save('odd.npy', odd)
close(number('median(a)', 'a=odd.npy'), np.median(odd), 'an odd number, f64', 1e-15)
holes = image.copy()
holes[3, 4] = np.nan
write('nan.mrc', holes)
for word in reducers:
    check(np.isnan(number(f'{word}(a)', 'a=nan.mrc')), f'{word} with a NaN')

# ---- Types ----
more = np.random.default_rng(7)
wide = more.integers(0, 65536, (30, 20)).astype('u2')
np.save('u.npy', wide)
W = wide.astype('f8')
close(number('mean(a*a)', 'a=u.npy'), (W * W).mean(), 'squares of u16', 1e-6)
got = calc('a*a', 'a=u.npy', out='out.npy')
check(got is not None and got.dtype == np.float32, 'whole numbers become f32')
equal(got.reshape(wide.shape), W * W, 'a product of u16', 1e-6)
equal(calc('a/2', 'a=i.mrcs'), whole / 2.0, 'half of i16', 1e-6)
close(number('median(a/2)', 'a=i.mrcs'), np.median(whole / 2.0), 'median of halves')
for kind in ('?', 'i1', 'u1', 'i2', 'u2', 'f2', 'i4', 'u4', 'i8', 'u8'):
    data = more.integers(0, 2 if kind == '?' else 100, (12, 10)).astype(kind)
    np.save('k.npy', data)
    got = calc('a*a/4 - 1', 'a=k.npy', out='out.npy')
    want = np.float64 if np.dtype(kind).kind in 'iu' and np.dtype(kind).itemsize > 2 else np.float32
    check(got is not None and got.dtype == want, f'{kind} is computed as {want}')
    equal(got.reshape(data.shape), data.astype('f8')**2 / 4 - 1, f'of {kind}', 1e-6)
np.save('big.npy', np.array([[2**31 - 1, 3]], 'i4'))
close(number('sum(a*a)', 'a=big.npy'), float(2**31 - 1)**2 + 9, 'squares of i32', 1e-15)
got = calc('a*2 + 1', 'a=i.mrcs', '--integers', out='out.npy')
check(got is not None and got.dtype == np.int32, '--integers: whole numbers stay whole')
equal(calc('(a & 255) ^ 3', 'a=i.mrcs', '--integers', out='out.npy').reshape(whole.shape), (whole & 255) ^ 3, 'bits')
equal(calc('a/2', 'a=i.mrcs', '--integers', out='out.npy').reshape(whole.shape), np.trunc(whole / 2), 'a quotient as in C')
np.save('t.npy', wide > 30000)
equal(calc('m != 0 ? a : 0', 'a=u.npy', 'm=t.npy').reshape(wide.shape), np.where(wide > 30000, wide, 0), 'a mask of bool')
got = calc('a*2 + 1', 'a=i.mrcs', '--integers', out='out.npy')
equal(got.reshape(whole.shape), whole * 2 + 1, 'whole numbers')
got = calc('a % 7', 'a=i.mrcs', '--integers', out='out.npy')
equal(got.reshape(whole.shape), np.fmod(whole, 7), 'a remainder as in C')
equal(calc('a*0.5', 'a=i.mrcs'), whole * 0.5, 'whole times real')
got = calc('a + 1', 'a=odd.npy', out='out.npy')
check(got is not None and got.dtype == np.float64, 'f64 stays f64')
got = calc('a*100', 'a=x.mrc', '--dtype', 'i16')
check(got is not None and got.dtype == np.int16, '--dtype')
c = (random.normal(size=(12, 10)) + 1j * random.normal(size=(12, 10))).astype('c8')
np.save('c.npy', c)
got = calc('a*2', 'a=c.npy', out='out.npy')
equal(got.reshape(c.shape), c * 2, 'complex')
got = calc('abs(a)', 'a=c.npy', out='out.npy')
check(got is not None and got.dtype == np.float32, 'abs of complex is real')
equal(got.reshape(c.shape), np.abs(c), 'abs', 1e-6)
close(number('mean(real(a)*0.5)', 'a=c.npy'), c.real.mean() / 2, 'of real parts')

# ---- Random expressions ----
def expression(depth):
    """The same in both languages."""
    k = random.integers(0, 9 if depth else 3)
    if k == 0:
        return 'a', 'A'
    if k == 1:
        return 'm', 'M'
    if k == 2:
        v = f'{random.uniform(0.1, 3):.3f}'
        return v, v
    x, y = expression(depth - 1), expression(depth - 1)
    if k < 6:
        op = '+-*'[k - 3]
        return f'({x[0]} {op} {y[0]})', f'({x[1]} {op} {y[1]})'
    if k == 6:
        return f'({x[0]})/(2 + abs({y[0]}))', f'({x[1]})/(2 + np.abs({y[1]}))'
    if k == 7:
        return f'cos({x[0]})', f'np.cos({x[1]})'
    word = ['mean', 'max', 'std', 'median'][random.integers(0, 4)]
    return f'{word}({x[0]} + a)', f'np.{word}({x[1]} + A)'


for trial in range(40):
    ours, theirs = expression(4)
    want = np.broadcast_to(eval(f'({theirs}) + A*0', {'np': np, 'A': S, 'M': mask.astype('f8')}), S.shape)
    equal(calc(f'{ours} + a*0', 'a=s.mrcs', 'm=m.mrc'), want, ours, 2e-4)

# ---- Mistakes ----
def wrong(text, *arguments, place=None, length=1, message='', code=2):
    result = tessera('calc', text, *arguments, '-o', 'n.mrc')
    fails(result, code, message)
    if place is not None:
        caret = f"    {text}\n    {' ' * place}^{'~' * (length - 1)}\n"
        check(caret in result.err, f'the caret is under {text[place:place + length]!r}', result)


wrong('a*coz(a) + 1', 'a=x.mrc', place=2, length=3, message="unknown function 'coz'; did you mean 'cos'?")
wrong('a*0.5 + 2.25*mean(a*1.5)*coz(a)', 'a=x.mrc', place=25, length=3, message="unknown function 'coz'")
wrong('1.5*mean(0.5*coz(a))', 'a=x.mrc', place=13, length=3, message="unknown function 'coz'")
wrong('t = 0.5*coz(a); t + 1', 'a=x.mrc', place=8, length=3, message="unknown function 'coz'")
wrong('a*x + 1', 'a=x.mrc', place=2, message="unknown name 'x'", code=2)
wrong('a*(2 + 1', 'a=x.mrc', place=2, message='not closed')
wrong('a*2) + 1', 'a=x.mrc', place=3, message='not opened')
wrong('a + ', 'a=x.mrc', message='expected')
wrong('a $ 2', 'a=x.mrc', place=2, message="'$'")
wrong('a^2', 'a=x.mrc', place=1, message='pow(')
wrong('a^2', 'a=i.mrcs', place=1, message='pow(')
wrong('mean(a^2)', 'a=u.npy', place=6, message='pow(')
wrong('a+', 'a=x.mrc', place=2, message='found the end of the expression')
wrong('2*mean(a + ) + 1', 'a=x.mrc', place=11, message="found ')'")
wrong('1 + mean(a, b)', 'a=x.mrc', 'b=m.mrc', place=4, length=4, message='mean takes one argument, but 2 are given')
wrong('std()', 'a=x.mrc', place=0, length=3, message='std takes one argument, but 0 are given')
wrong('mean(a)', 'a=x.mrc', '--json', message='--json applies only to printed results')
wrong('mean(a) +* 2', 'a=x.mrc', place=9)
wrong('', message='expression is missing')
wrong('a; a + 1', 'a=x.mrc', place=0, message='only the last expression may have no name')
wrong('a = 2; a', 'a=x.mrc', place=0, message='is a file or a number')
wrong('mean(a)', 'a=c.npy', message='complex numbers cannot be reduced')
wrong('a + b', 'a=x.mrc', 'b=v.mrc', message='sizes must be equal, or 1')
wrong('a + b', 'a=s.mrcs', 'b=v8.mrc', code=3, message='v8.mrc')
write('vol9.mrc', np.ones((9, 40, 36), 'f4'), 1.5)
wrong('a + b', 'a=s.mrcs', 'b=vol9.mrc', message='--as stack')
wrong('a', 'x.mrc', message='NAME=FILE or NAME=NUMBER')
wrong('a', 'a=x.mrc', 'a=x.mrc', message='given twice')
wrong('a', '2a=x.mrc', message='NAME=FILE')
wrong('pi', 'pi=x.mrc', message='reserved word')
wrong('f32', 'f32=x.mrc', message='reserved word')
wrong('a**2', 'a=x.mrc', place=1, length=2, message='did you mean pow(a, 2)?')
wrong('1 + mean(a ** b)', 'a=x.mrc', 'b=m.mrc', place=11, length=2, message='did you mean pow(a, b)?')
wrong('(a + 1)**0.5', 'a=x.mrc', place=7, length=2, message='did you mean pow(x, y)?')
wrong('a**', 'a=x.mrc', place=1, length=2, message='did you mean pow(x, y)?')
fails(tessera('calc', 'a + 1', 'a=x.mrc'), 2, 'the result has 36 x 40 x 1 pixels', 'with -o')
result = tessera('calc', 'a', 'a=x.mrc', 'k=2', '-o', 'n.mrc', '-f')
check(result.code == 0 and 'k=2 is not used' in result.err, 'what is not used', result)
write('other.mrc', image, 3)
result = tessera('calc', 'a + b', 'a=x.mrc', 'b=other.mrc', '-o', 'n.mrc', '-f')
check(result.code == 0 and 'pixel size of 3 A; the result takes 1.5 A' in result.err, 'pixel sizes differ', result)

# ---- Letters that are indices ----
fails(tessera('calc', 'a - b', 'a=s.mrcs', '-o', 'n.mrcs', '-f'), 2, "no file is given for 'b'", 'b=FILE', '$b')
fails(tessera('calc', 'c - d', 'c=v.mrc', '-o', 'n.mrc', '-f'), 2, "no file is given for 'd'", 'section is $d')
fails(tessera('calc', 'a*$x', 'a=x.mrc', '-o', 'n.mrc', '-f'), 2, "'$x' is not an index", '$w')
equal(calc('b + 100*$b + $h - w', 'b=s.mrcs', 'w=m.mrc'), S + 100 * b + h - mask, 'files that are called as indices', 1e-6)
equal(calc('im + 100*b + 10*h + w', 'im=s.mrcs'), S + 100 * b + 10 * h + w, 'plain indices, no letter is a file', 1e-6)
equal(calc('im + k*b', 'im=s.mrcs', 'k=2'), S + 2 * b, 'a letter that is a number', 1e-6)

# ---- JSON ----
got = json.loads(tessera('calc', 'mean(a)', 'a=x.mrc', '--json').out)
check(got['expression'] == 'mean(a)' and abs(got['value'] - X.mean()) < 1e-6, f'--json: {got}')
got = json.loads(tessera('calc', 'max(a)', 'a=s.mrcs', '--per', 'image', '--json').out)
close(got['values'], S.max(axis=(1, 2)), '--json of each image')
check(json.loads(tessera('calc', 'mean(a)', 'a=nan.mrc', '--json').out)['value'] is None, '--json of a NaN')
finish()
