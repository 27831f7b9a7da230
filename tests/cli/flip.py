"""tessera flip against NumPy."""
import numpy as np

from command import check, fails, finish, tessera
from images import close, equal, facts, random, run, write


def hand(a):
    """Mirror along x about n/2."""
    n = a.shape[-1]
    return a[..., (-(np.arange(n) - n // 2) + n // 2) % n]


def step(a, option, value):
    if option == 'x':
        return a[..., ::-1]
    if option == 'y':
        return a[..., ::-1, :]
    if option == 'z':
        return a[..., ::-1, :, :]
    if option == 'hand':
        return hand(a)
    if option == 'rot90':
        return np.rot90(a, -value, axes=(-2, -1))
    axes = {'x': -1, 'y': -2, 'z': -3}
    return np.swapaxes(a, axes[value[0]], axes[value[1]])


image = write('x.mrc', random.normal(size=(30, 41)).astype('f4'), 1.5)
stack = write('s.mrcs', random.normal(size=(7, 30, 24)).astype('f4'), 1.5, stack=True)
volume = write('v.mrc', random.normal(size=(11, 20, 16)).astype('f4'), (2, 3, 4), origin=(5, 6, 7))
several = write('vs.mrc', random.normal(size=(3, 9, 14, 16)).astype('f4'), 1.0, volumes=True)
choices = [('x', None), ('y', None), ('z', None), ('hand', None), ('rot90', 1), ('rot90', 2), ('rot90', -1),
           ('transpose', 'xy'), ('transpose', 'xz'), ('transpose', 'yz')]
for trial in range(40):
    name, want = [('x.mrc', image), ('s.mrcs', stack), ('v.mrc', volume), ('vs.mrc', several)][trial % 4]
    allowed = [c for c in choices if trial % 4 > 1 or (c[0] != 'z' and 'z' not in str(c[1]))]
    arguments = []
    for k in random.integers(0, len(allowed), random.integers(1, 5)):
        option, value = allowed[k]
        arguments += [f'--{option}'] + ([] if value is None else [value])
        want = step(want, option, value)
    equal(run('flip', *arguments, name), want, f'{name} {arguments}')
run('flip', '--transpose', 'xz', '--y', 'v.mrc')
close(facts('out.mrc')[0], [4, 3, 2], 'pixel sizes are swapped')
close(facts('out.mrc')[1], [7, 6, 5], 'origins are swapped')
run('flip', '--x', 's.mrcs')
check(facts('out.mrc')[3], 'a stack stays one')
fails(tessera('flip', 'x.mrc', '-o', 'n.mrc'), 2, 'nothing to do', '--rot90')
fails(tessera('flip', '--z', 'x.mrc', '-o', 'n.mrc'), 2, '--z needs a volume')
fails(tessera('flip', '--transpose', 'yz', 's.mrcs', '-o', 'n.mrc'), 2, '--transpose yz needs a volume')
fails(tessera('flip', '--transpose', 'zz', 'v.mrc', '-o', 'n.mrc'), 2, 'zz')
fails(tessera('flip', '--rot90', 'x', 'v.mrc', '-o', 'n.mrc'), 2, '--rot90')
finish()
