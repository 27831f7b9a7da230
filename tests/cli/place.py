"""Where a map is after its pixels were moved or scaled: one of origin and start, by the rule of docs/files.md."""
import numpy as np

from command import check, finish, tessera
from images import close, facts, random, write

VALUES = random.normal(size=(24, 24, 24)).astype('f4')
SIZE = 2.0


def place(origin, start, size):
    """The first pixel in A, as programs find it."""
    return np.array(origin) if any(origin) else np.array(start) * np.array(size)


def moved(arguments, origin, start, factor, shift, what):
    write('x.mrc', VALUES, SIZE, origin=origin, start=start)
    result = tessera(*arguments, 'x.mrc', '-f', '-o', 'y.mrc')
    if not check(result.code == 0, what, result):
        return
    size, got_origin, got_start, _ = facts('y.mrc')
    close(size, SIZE * np.array(factor), f'{what}: pixel size')
    close(place(got_origin, got_start, size), place(origin, start, [SIZE] * 3) + np.array(shift) * SIZE,
          f'{what} of {origin} {start}: place')
    if any(origin):
        check(got_start == list(start), f'{what}: the start is not in use, and stays')
    elif any(start):
        whole = all((s + q) % f == 0 for s, f, q in zip(start, factor, shift))
        check(any(got_start) == whole and not (any(got_start) and any(got_origin)), f'{what} of {start}: one field')


PLACES = [((0, 0, 0), (5, 6, 7)), ((0, 0, 0), (6, -9, 12)), ((3, 0, -8), (5, 6, 7)), ((0, 0, 0), (0, 0, 0)),
          ((1, 2, 3), (0, 0, 0)), ((0, 0, 0), (0, 0, 8))]
for origin, start in PLACES:
    for f in (2, 3):
        middle = ((f - 1) / 2,) * 3
        moved(['bin', '--factor', f], origin, start, (f,) * 3, middle, f'bin {f}')
        moved(['op', 'bin', '--factors', f'{f},{f},{f}'], origin, start, (f,) * 3, middle, f'op bin {f}')
        moved(['rescale', '--factor', f], origin, start, (f,) * 3, (0,) * 3, f'rescale {f}')
    moved(['crop', '--box', 8, '--at', '1,2,3'], origin, start, (1,) * 3, (1, 2, 3), 'crop')
    moved(['op', 'crop', '--before', '3,2,1', '--after', '1,1,1'], origin, start, (1,) * 3, (1, 2, 3), 'op crop')
    moved(['pad', '--box', '30,32,34'], origin, start, (1,) * 3, (-3, -4, -5), 'pad')
    moved(['convert', '--slices', '4-9'], origin, start, (1,) * 3, (0, 0, 4), 'slices')
write('u.mrc', VALUES, 0, start=(5, 6, 7))
check(tessera('crop', '--box', 8, '--at', '1,2,3', 'u.mrc', '-o', 'v.mrc').code == 0, 'without a pixel size')
check(facts('v.mrc')[1:3] == ([0, 0, 0], [6, 8, 10]), 'the start moves')
write('b.mrc', VALUES, 2, origin=(-2, 0, 0), start=(5, 6, 7))
check(tessera('crop', '--box', 8, '--at', '1,0,0', 'b.mrc', '-o', 'c.mrc').code == 0, 'an origin that becomes 0')
check(facts('c.mrc')[1:3] == ([0, 0, 0], [0, 0, 0]), 'does not bring the start into use')
finish()
