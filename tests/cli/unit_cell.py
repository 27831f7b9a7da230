"""Cells with angles other than 90 degrees, and maps that are a part of their cell: what each verb makes of them."""
import json
import os

import mrcfile
import numpy as np

from command import check, fails, finish, tessera
from images import close, equal, random, read, run

SKEW = ((90, 94.33, 90), (90, 90, 120), (83.5, 97.25, 108))


def crystal(name, shape, pixel=(3.54, 2.1, 1.7), angles=SKEW[0], group=5, start=(0, 0, 0), grid=None):
    """A map of pixels x, y, z and samples x, y, z of the cell."""
    data = random.normal(size=shape).astype('f4')
    with mrcfile.new(name, overwrite=True) as file:
        file.set_data(data)
        h = file.header
        h.mx, h.my, h.mz = grid or shape[::-1]
        h.cella = tuple(n * p for n, p in zip((h.mx, h.my, h.mz), pixel))
        h.cellb = angles
        h.ispg = group
        h.nxstart, h.nystart, h.nzstart = start
    return data


def cell(name='out.mrc'):
    """Cell edges, angles, samples, start, space group and origin of a header."""
    with mrcfile.open(name, permissive=True, header_only=True) as file:
        h = file.header
        return ([float(h.cella[k]) for k in 'xyz'], [float(h.cellb[k]) for k in ('alpha', 'beta', 'gamma')],
                [int(h.mx), int(h.my), int(h.mz)], [int(h.nxstart), int(h.nystart), int(h.nzstart)], int(h.ispg),
                [float(h.origin[k]) for k in 'xyz'])


def vectors(pixel, angles):
    """Pixel vectors along x, y, z as rows, by the formulas of the PDB."""
    ca, cb, cg = np.cos(np.radians(angles))
    sg = np.sqrt(1 - cg * cg)
    v = np.sqrt(1 - ca * ca - cb * cb - cg * cg + 2 * ca * cb * cg)
    return np.diag(pixel) @ np.array([[1, 0, 0], [cg, sg, 0], [cb, (ca - cb * cg) / sg, v / sg]])


def by_shells(values, distance, printed):
    """Values of the shells that a table has, as it has them and as they should be."""
    lines = [line.split('\t') for line in printed.splitlines()]
    column = lines[0].index('1/A' if '1/A' in lines[0] else 'A')
    places = [float(line[column]) for line in lines[1:]]
    number = np.floor(distance / places[1] + 0.5 + 1e-9)
    check(len(places) > 4, f'{len(places)} shells')
    return [float(line[-1]) for line in lines[1:]], [values[number == i].mean() for i in range(len(places))]


# ---- Verbs that keep the grid keep all of the cell ----
for angles in SKEW:
    for grid, start in ((None, (0, 0, 0)), ((40, 30, 32), (-3, 5, 7))):
        crystal('c.map', (20, 24, 28), angles=angles, grid=grid, start=start)
        before = cell('c.map')
        check(tessera('check', 'c.map').code == 0, 'check finds nothing', tessera('check', 'c.map'))
        for verb in (('convert',), ('convert', '--dtype', 'f16'), ('filter', '--lowpass', 9), ('norm',),
                     ('filter', '--median', 3), ('abs',)):
            result = tessera(*verb, 'c.map', '-o', 'out.mrc', '-f')
            check(result.code == 0 and cell() == before, f'{verb} keeps {before}, not {cell()}', result)
            check(mrcfile.validate('out.mrc', print_file=open('/dev/null', 'w')), f'{verb}: valid')
        result = tessera('calc', 'a*2', 'a=c.map', '-o', 'out.mrc', '-f')
        check(result.code == 0 and cell() == before, f'calc keeps {before}, not {cell()}', result)
        result = tessera('fft', '--layout', 'hc', 'c.map', '-o', 'f.mrc', '-f')
        result = tessera('fft', '--inverse', '--layout', 'hc', 'f.mrc', '-o', 'out.mrc', '-f')
        check(result.code == 0 and cell() == before, f'fft and back keeps {before}, not {cell()}', result)
        check(tessera('edit', 'out.mrc', '--label', 'x').code == 0 and cell() == before, 'edit keeps it')

crystal('turned.map', (20, 24, 28), angles=SKEW[2], grid=(24, 28, 20), start=(1, 2, 3))  # columns along y
with mrcfile.open('turned.map', 'r+') as file:
    file.header.mapc, file.header.mapr = 2, 1
before = cell('turned.map')
result = tessera('convert', 'turned.map', '-o', 'out.mrc', '-f')
check(result.code == 0 and cell()[:3] == before[:3] and cell()[3] == [2, 1, 3], f'axes in order: {cell()}', result)
equal(read('out.mrc'), read('turned.map').swapaxes(1, 2), 'and the data with them')

# ---- Verbs that change the grid ----
for angles in SKEW:
    crystal('c.map', (20, 24, 28), angles=angles, start=(4, -6, 8))
    edges, kept = cell('c.map')[:2]
    run('crop', '--box', '8,6,4', '--at', '2,4,6', 'c.map')
    check(cell() == (edges, kept, [28, 24, 20], [6, -2, 14], 5, [0, 0, 0]), f'crop: {cell()}')
    run('pad', '--box', '32,32,32', '--at=-1,-2,-3', '--fill', 'zero', 'c.map')
    check(cell() == (edges, kept, [28, 24, 20], [3, -8, 5], 5, [0, 0, 0]), f'pad: {cell()}')
    run('rescale', '--factor', 2, 'c.map')
    check(cell() == (edges, kept, [14, 12, 10], [2, -3, 4], 5, [0, 0, 0]), f'rescale: {cell()}')
    run('rescale', '--box', '42,36,30', 'c.map')
    check(cell()[:3] == (edges, kept, [42, 36, 30]) and cell()[4] == 5, f'rescale to a finer grid: {cell()}')
    run('bin', '--factor', '2,3,5', 'c.map')
    moved = (np.array([0.5, 1, 2]) + [4, -6, 8]) @ vectors((3.54, 2.1, 1.7), angles)
    check(cell()[:5] == (edges, kept, [14, 8, 4], [0, 0, 0], 5), f'bin: {cell()}')
    close(cell()[5], moved, 'the origin of bin is a point in space', 1e-5)
    run('bin', '--factor', '8,8,8', 'c.map')
    check(cell()[1:3] == (kept, [3, 3, 2]) and cell()[4] == 1, f'bin without a whole cell: {cell()}')
    result = tessera('bin', '--factor', '8,8,8', 'c.map', '-o', 'out.mrc', '-f')
    check('28 x 24 x 20' in result.err and 'space group 5' in result.err, 'which is told', result)
    run('select', '--slices', '3-10', 'c.map')
    check(cell() == (edges, kept, [28, 24, 20], [4, -6, 11], 5, [0, 0, 0]), f'select: {cell()}')
    run('select', '--every', 2, 'c.map')
    check(cell() == (edges, kept, [28, 24, 10], [4, -6, 4], 5, [0, 0, 0]), f'each second section: {cell()}')
    run('select', '--slices', '3,9,4', 'c.map')
    check(cell()[1:3] == (kept, [28, 24, 3]) and cell()[4] == 1, f'sections in no order: {cell()}')
    run('permute_copy', '--axes', 'bwdh', 'c.map')
    check(cell()[1:3] == ([kept[k] for k in (1, 2, 0)], [24, 20, 28]), f'permute_copy: {cell()}')
    check(cell()[4] == 1, f'permute_copy: {cell()}')
    result = tessera('permute_copy', '--axes', 'bwdh', 'c.map', '-o', 'out.mrc', '-f')
    check('space group 5' in result.err, 'which is told', result)
    run('permute_copy', '--axes', 'bdhw', 'c.map')
    check(cell() == cell('c.map'), f'permute_copy that changes nothing: {cell()}')
    for operation in (('reduce', '--over', 'w', 'c.map'), ('reduce', '--over', 'h', 'c.map'),
                      ('concatenate', '--axis', 'd', 'c.map', 'c.map'), ('max', '--axes', 'w', 'c.map'),
                      ('permute_copy', '--axes', 'dbhw', 'c.map')):
        result = tessera(*operation, '-o', 'out.mrc', '-f')
        check(result.code == 0 and cell()[4] <= 1, f'{operation}: {cell()}', result)
        check('28 x 24 x 20' in result.err and 'space group 5' in result.err, 'which is told', result)
    run('flip', '--x', 'c.map')
    close(cell()[1], [kept[0], 180 - kept[1], 180 - kept[2]], 'angles of flip --x')
    check(cell()[2] == [28, 24, 20] and cell()[4] == 1, f'flip: {cell()}')
    check(cell()[3] == [-4, -6, 8], f'start of flip --x: {cell()}')
    run('flip', '--x', '--x', 'c.map')
    check(cell()[:4] == cell('c.map')[:4], f'flip --x twice: {cell()}')
    run('flip', '--transpose', 'xz', 'c.map')
    check(cell()[1:4] == (kept[::-1], [20, 24, 28], [8, -6, 4]), f'flip --transpose: {cell()}')
    run('power', 'c.map')
    check(cell()[:2] == ([0, 0, 0], [90, 90, 90]), f'power: {cell()}')
    tessera('split', 'c.map', '-o', 's.mrc', '-f')
    check(cell('s_0003.mrc')[1:3] == (kept, [28, 24, 1]), f"split: {cell('s_0003.mrc')}")
    tessera('stack', 'c.map', 'c.map', '-o', 'out.mrc', '-f')
    check(cell()[1:3] == (kept, [28, 24, 20]) and cell()[4] == 405, f'stack: {cell()}')
# Operators of the space group are of the cell, and not of its sections.
operators = b''.join(text.ljust(80) for text in (b'X,Y,Z', b'-X,Y,-Z', b'1/2+X,1/2+Y,Z', b'1/2-X,1/2+Y,-Z'))
crystal('sym.map', (20, 24, 28))
with mrcfile.open('sym.map', 'r+') as file:
    file.set_extended_header(np.frombuffer(operators, 'S80'))
    file.header.exttyp = b'CCP4'
for verb, kept in (('convert', True), ('norm', True), ('crop --box 8', True), ('bin', True), ('rescale --factor 2', True),
                   ('select --slices 3-9', True), ('select --every 2', True), ('select --slices 3,9,4', False),
                   ('bin --factor 8', False), ('flip --x', False),
                   ('permute_copy --axes bhdw', False), ('max --axes w', False), ('permute_copy --axes bdhw', True),
                   ('reduce --over d', False)):
    run(*verb.split(), 'sym.map')
    with open('out.mrc', 'rb') as file:
        size = np.frombuffer(file.read(1024)[92:96], '<i4')[0]
        check((file.read(size) == operators) if kept else size == 0, f'operators and {verb}: {size} bytes')
# Parts of a cell are mirrored with it: a part of the mirrored map is the mirrored part.
for angles in SKEW + ((90, 90, 90),):
    crystal('whole.map', (20, 24, 28), angles=angles)
    run('crop', '--box', '9,6,5', '--at', '5,4,3', 'whole.map')
    os.replace('out.mrc', 'part.map')
    for turns in (['--x'], ['--y'], ['--z'], ['--rot90', '1'], ['--rot90', '2'], ['--transpose', 'xz', '--x', '--z']):
        whole = run('flip', *turns, 'whole.map')
        part = run('flip', *turns, 'part.map')
        x, y, z = cell()[3]
        equal(part, whole[z:z + part.shape[0], y:y + part.shape[1], x:x + part.shape[2]], f'flip {turns} of a part')
    # By its origin it goes to the same point in space.
    crystal('start.map', (5, 6, 9), angles=angles, grid=(28, 24, 20), start=(5, 4, 3))
    crystal('origin.map', (5, 6, 9), angles=angles, grid=(28, 24, 20))
    with mrcfile.open('origin.map', 'r+') as file:
        file.header.origin = tuple(np.array([5, 4, 3]) @ vectors((3.54, 2.1, 1.7), angles))
    for turns in (['--x'], ['--y'], ['--z'], ['--hand'], ['--rot90', '1'], ['--transpose', 'xz', '--x', '--z']):
        run('flip', *turns, 'start.map')
        edges, turned, samples, start = cell()[:4]
        run('flip', *turns, 'origin.map')
        close(cell()[5], start @ vectors(np.divide(edges, samples), turned), f'the origin of flip {turns}', 1e-4)
crystal('own.mrc', (8, 10, 12), angles=(90, 90, 90), group=1, start=(5, -4, 3))
run('flip', '--x', 'own.mrc')
check(cell()[3] == [5, -4, 3], f'a box is mirrored where it is: {cell()}')
crystal('hand.map', (5, 6, 8), grid=(28, 24, 20), start=(5, 4, 3))
run('flip', '--hand', 'hand.map')
check(cell()[3] == [28 - 8 - 5, 4, 3], f'flip --hand about pixel 14: {cell()}')
# A part of a cell that is a box, and a box that is its own cell.
crystal('part.mrc', (8, 10, 12), angles=(90, 90, 90), group=1, grid=(40, 40, 40), start=(1, 2, 3))
run('crop', '--box', '4,4,4', '--at', '1,1,1', 'part.mrc')
check(cell()[2:4] == ([40, 40, 40], [2, 3, 4]), f'a part of a part: {cell()}')
crystal('box.mrc', (8, 10, 12), angles=(90, 90, 90), group=1)
run('crop', '--box', '4,4,4', '--at', '1,1,1', 'box.mrc')
check(cell()[2] == [4, 4, 4], f'a part of a box is a box: {cell()}')

# ---- Lengths in space ----
for angles in SKEW:
    data = crystal('c.map', (20, 24, 28), angles=angles)
    k = np.stack(np.meshgrid(*[np.fft.fftfreq(n) for n in data.shape], indexing='ij')[::-1], -1)
    s = np.sqrt(((k @ np.linalg.inv(vectors((3.54, 2.1, 1.7), angles)).T) ** 2).sum(-1))
    inside = (np.abs(k) < 0.49).all(-1)  # at Nyquist itself both signs are one coefficient
    got = np.fft.fftn(run('filter', '--bfactor', 40, 'c.map'))[inside]
    equal(got, (np.fft.fftn(data) * np.exp(-10 * s * s))[inside], f'B-factor, {angles}', 1e-5)
    got = np.fft.fftn(run('filter', '--lowpass', 8, '--edge', 0, 'c.map'))
    check(np.abs(got[inside & (s > 0.1251)]).max() < 1e-3 * np.abs(got).max(), f'low-pass, {angles}')
    text = ', '.join(f'{a:g}' for a in angles)
    shells = by_shells(np.abs(np.fft.fftn(data)) ** 2 / data.size, s, tessera('radial', '--power', '--tsv', 'c.map').out)
    close(*shells, f'radial --power, {angles}', 1e-4)
    centred = np.stack(np.meshgrid(*[np.arange(n) - n // 2 for n in data.shape], indexing='ij')[::-1], -1)
    r = np.sqrt(((centred @ vectors((3.54, 2.1, 1.7), angles)) ** 2).sum(-1))
    close(*by_shells(data, r, tessera('radial', '--tsv', 'c.map').out), f'radial, {angles}', 1e-4)
    fails(tessera('norm', '--bg-radius', 8, 'c.map', '-o', 'n.mrc'), 3, '--bg-radius', 'right angles', text)
    fails(tessera('view', '--orth', '--lowpass', 8, 'c.map', '-o', 'n.png'), 3, '--lowpass', 'right angles', text)
    result = tessera('view', '--lowpass', 8, 'c.map', '-o', 'v.png', '-f')  # a section: only gamma counts
    check((result.code == 0) == (angles[2] == 90), f'a section with {angles}', result)
crystal('c.map', (20, 24, 28), angles=SKEW[1])
result = tessera('view', '--scalebar', 'c.map', '-o', 'v.png', '-f')
check(result.code == 0 and '90, 90, 120' in result.err and 'along x' in result.err, 'a scale bar', result)
for name in ('n.tif', 'n.npy'):
    result = tessera('convert', 'c.map', '-o', name)
    check(result.code == 0 and 'cell angles' in result.err and '90, 90, 120' in result.err, f'{name} tells', result)

# ---- info, diff, check ----
crystal('c.map', (20, 24, 28), angles=SKEW[0])
result = tessera('info', 'c.map')
check('90, 94.33, 90 degrees' in result.out and '3.54 2.1 1.7' in result.out, 'info', result)
facts = json.loads(tessera('info', '--json', 'c.map').out)[0]
check((facts['alpha'], facts['beta'], facts['gamma']) == (90, 94.33, 90), f'info --json: {facts}')
check(tessera('info', '--field', 'angles,sampling', 'c.map').out == '90 94.33 90 28 24 20\n', 'info --field')
check('cell' not in tessera('info', 'box.mrc').out, 'a box has no angles to tell')
tessera('convert', 'c.map', '-o', 'd.map')
with mrcfile.open('d.map', 'r+') as file:
    file.header.cellb.beta = 90
result = tessera('diff', '--header', 'c.map', 'd.map')
check(result.code == 1 and 'cell angles: 90, 94.33, 90 and 90, 90, 90' in result.err, 'diff', result)
with mrcfile.open('d.map', 'r+') as file:
    file.header.cellb.beta = 200
result = tessera('check', 'd.map')
check(result.code == 1 and '90, 200, 90' in result.out + result.err, 'angles of no cell', result)
result = tessera('convert', 'd.map', '-o', 'e.map')
check(result.code == 0 and '90, 200, 90' in result.err and cell('e.map')[1] == [90, 90, 90], 'they are told', result)
tessera('check', '--fix', '--in-place', 'd.map')
check(cell('d.map')[1] == [90, 90, 90] and tessera('check', 'd.map').code == 0, 'and mended')
result = tessera('edit', 'd.map', '--angles', '90,94.5,90')
check(result.code == 0 and cell('d.map')[1] == [90, 94.5, 90], 'edit --angles', result)
fails(tessera('edit', 'd.map', '--angles', '90,190,90'), 2, 'angles', '90, 190, 90', 'below 180')
fails(tessera('edit', 'd.map', '--angles', '90,80'), 2, '--angles', '90,80', 'three')
check(cell('d.map')[1] == [90, 94.5, 90], 'and stay')

# ---- Pixel sizes as they were meant ----
for size in (3.54, 1.0825, 0.66, 13.33, 0.825, 7.84, 1.3456, 2.7):
    for n in (10, 28, 96, 97, 360, 511):
        with mrcfile.new('p.mrcs', overwrite=True) as file:
            file.set_data(np.zeros((4, 8, n), 'f4'))
            file.set_image_stack()
            file.header.cella = (np.float32(size * n), np.float32(size * 8), np.float32(size * 40))
            file.header.mz = 40
        got = tessera('info', '--field', 'apix', 'p.mrcs').out
        check(got == f'{size:g} {size:g} {size:g}\n', f'{size} of {n} pixels: {got}')
data = random.normal(size=(6, 32, 48)).astype('f4')
for mz in (1, 6):
    with mrcfile.new('z.mrcs', overwrite=True) as file:
        file.set_data(data)
        file.set_image_stack()
        file.header.mz = mz
        file.header.cella = (48 * 3.54, 32 * 3.54, mz * 5.25)
    for verb in (('bin', '--factor', 2), ('rescale', '--factor', 2), ('rescale', '--box', '24,16')):
        tessera(*verb, 'z.mrcs', '-o', 'out.mrcs', '-f')
        got = tessera('info', '--field', 'apix', 'out.mrcs').out
        check(got == '7.08 7.08 5.25\n', f'{verb} of a stack keeps its z spacing: {got}')
finish()
