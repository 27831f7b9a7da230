"""tessera norm against NumPy."""
import numpy as np

from command import check, fails, finish, tessera
from images import equal, facts, random, run, write

stack = write('s.mrcs', random.normal(size=(9, 40, 36)).astype('f4') * 3 + 7, 1.5, stack=True)
volume = write('v.mrc', random.normal(size=(21, 20, 26)).astype('f4') - 2, 2)
whole = write('i.mrcs', random.integers(0, 500, (5, 20, 22)).astype('u2'), 1, stack=True)


def each(data, f):
    data = data.astype('f8')
    return f(data) if data is volume or data.shape == volume.shape else np.stack([f(a) for a in data])


def outside(a, radius):
    grid = np.meshgrid(*[np.arange(n) - n // 2 for n in a.shape], indexing='ij')
    return sum(g * g for g in grid) > radius * radius


def clipped(a, s):
    return np.clip(a, a.mean() - s * a.std(), a.mean() + s * a.std())


methods = {'zscore': lambda a: (a - a.mean()) / a.std(), 'minmax': lambda a: (a - a.min()) / (a.max() - a.min()),
           'l2': lambda a: a / np.sqrt((a * a).sum()), 'none': lambda a: a}
for name, data in (('s.mrcs', stack), ('v.mrc', volume), ('i.mrcs', whole)):
    for method, f in methods.items():
        equal(run('norm', '--method', method, name), each(data, f), f'{name} {method}', 2e-6)
        equal(run('norm', '--method', method, '--invert', name), each(data, lambda a: -f(a)), f'{name} {method}', 2e-6)
        equal(run('norm', '--method', method, '--clip-sigma', 1.5, name), each(data, lambda a: f(clipped(a, 1.5))),
              f'{name} {method} clipped', 3e-6)
    for radius in (5, 8.5):
        def ring(a):
            o = a[outside(a, radius)]
            return (a - o.mean()) / o.std()
        equal(run('norm', '--bg-radius', radius, name), each(data, ring), f'{name} ring', 2e-6)


def ring15(a):
    o = a[outside(a, 15)]
    return (a - o.mean()) / o.std()


equal(run('norm', '--bg-radius', '22.5A', 's.mrcs'), each(stack, ring15), 'a radius in A', 2e-6)
check(facts('out.mrc')[3], 'a stack stays one')
equal(run('norm', '--mean', 100, '--sd', 20, 's.mrcs'), each(stack, lambda a: 100 + 20 * methods['zscore'](a)), 'mean and sd', 2e-6)
equal(run('norm', '--sd', 0.5, '--bg-radius', 15, '--invert', 's.mrcs'), each(stack, lambda a: -0.5 * ring15(a)), 'sd of a ring', 2e-6)
write('flat.mrc', np.full((20, 20), 4, 'f4'), 1)
equal(run('norm', 'flat.mrc'), np.zeros((20, 20)), 'equal pixels')
equal(run('norm', '--bg-radius', 6, 'flat.mrc'), np.zeros((20, 20)), 'equal pixels, ring')
equal(run('norm', '--mean', 3, 'flat.mrc'), np.full((20, 20), 3), 'equal pixels, and a mean')
fails(tessera('norm', '--sd', 0, 's.mrcs', '-o', 'n.mrc'), 2, '--sd is 0')
fails(tessera('norm', '--mean', 'inf', 's.mrcs', '-o', 'n.mrc'), 2, '--mean is inf')
fails(tessera('norm', '--mean', 1, '--method', 'minmax', 's.mrcs', '-o', 'n.mrc'), 2, '--mean requires --method zscore')
fails(tessera('norm', '--clip-sigma', 0, 's.mrcs', '-o', 'n.mrc'), 2, '--clip-sigma is 0')
fails(tessera('norm', '--bg-radius', 100, 's.mrcs', '-o', 'n.mrc'), 2, '--bg-radius is 100 pixels', 'lies beyond it')
fails(tessera('norm', '--bg-radius', 5, '--method', 'l2', 's.mrcs', '-o', 'n.mrc'), 2, '--method zscore, not l2')
fails(tessera('norm', '--method', 'max', 's.mrcs', '-o', 'n.mrc'), 2, 'minmax')
fails(tessera('norm', '--bg-radius', '5kg', 's.mrcs', '-o', 'n.mrc'), 2, '5kg')
write('big.mrc', np.zeros((64, 80, 80), 'f4'), 1)
fails(tessera('norm', '--mem', '2M', 'big.mrc', '-o', 'n.mrc'), 4, '--mem allows 2 MiB')
finish()
