"""Files of cryoSPARC, structured NPY arrays written and read by NumPy: as tables, as particles, and as STAR files; poses
against SciPy's rotations."""
import json
import os

import command
import mrcfile
import numpy as np
from command import fails, finish, tessera
from scipy.spatial.transform import Rotation

random = np.random.default_rng(39)
N, BOX, APIX = 12, 16, 1.5
os.mkdir('J1')


def check(holds, name, *found):
    command.check(bool(holds), name, found)


def relion_matrix(rot, tilt, psi):
    """RELION's Euler matrix, from the volume to the image."""
    def z(a):
        return np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
    b = np.deg2rad(tilt)
    y = np.array([[np.cos(b), 0, -np.sin(b)], [0, 1, 0], [np.sin(b), 0, np.cos(b)]])
    return z(np.deg2rad(psi)) @ y @ z(np.deg2rad(rot))


fields = [('uid', '<u8'), ('blob/path', 'S40'), ('blob/idx', '<u4'), ('blob/shape', '<u4', (2,)), ('blob/psize_A', '<f4'),
          ('blob/sign', '<f4'), ('ctf/type', 'S9'), ('ctf/exp_group_id', '<u4'), ('ctf/accel_kv', '<f4'),
          ('ctf/cs_mm', '<f4'), ('ctf/amp_contrast', '<f4'), ('ctf/df1_A', '<f4'), ('ctf/df2_A', '<f4'),
          ('ctf/df_angle_rad', '<f4'), ('ctf/phase_shift_rad', '<f4'), ('ctf/tilt_A', '<f4', (2,)),
          ('alignments3D/split', '<u4'), ('alignments3D/shift', '<f4', (2,)), ('alignments3D/pose', '<f4', (3,)),
          ('alignments3D/psize_A', '<f4'), ('alignments3D/error', '<f4'), ('alignments3D/class', '<u4'),
          ('location/micrograph_uid', '<u8'), ('location/micrograph_path', 'U20'),
          ('location/micrograph_shape', '<u4', (2,)), ('location/center_x_frac', '<f4'),
          ('location/center_y_frac', '<f4'), ('extra/flag', '?'), ('extra/count', '>i2')]
cs = np.zeros(N, fields)
cs['uid'] = random.integers(2**63, 2**64 - 1, N, dtype='u8')
cs['blob/path'] = [b'>J1/stack.mrc' if i % 2 else b'J1/stack.mrc' for i in range(N)]
cs['blob/idx'] = random.permutation(N)
cs['blob/shape'], cs['blob/psize_A'], cs['blob/sign'] = BOX, APIX, -1
cs['ctf/type'] = b'imported'
cs['ctf/exp_group_id'] = np.arange(N) % 2 + 3
cs['ctf/accel_kv'], cs['ctf/cs_mm'], cs['ctf/amp_contrast'] = 300, 2.7, 0.1
cs['ctf/df1_A'] = random.uniform(8000, 20000, N)
cs['ctf/df2_A'] = cs['ctf/df1_A'] - 300
cs['ctf/df_angle_rad'] = random.uniform(-3, 3, N)
cs['ctf/phase_shift_rad'] = random.uniform(0, 1, N)
cs['alignments3D/split'] = np.arange(N) % 2
cs['alignments3D/shift'] = random.normal(size=(N, 2))
cs['alignments3D/pose'] = Rotation.random(N, random_state=1).as_rotvec()
cs['alignments3D/pose'][:4] = [[0, 0, 0], [0, 0, 1.25], [0, np.pi, 0], [np.pi, 0, 0]]
cs['alignments3D/psize_A'] = APIX
cs['alignments3D/error'] = random.normal(size=N) * 1e5
cs['alignments3D/class'] = random.integers(0, 3, N)
cs['location/micrograph_uid'] = random.integers(0, 2**64 - 1, N, dtype='u8')
cs['location/micrograph_path'] = 'J1/micrograf\u00eda.mrc'
cs['location/micrograph_shape'] = (3838, 3710)
cs['location/center_x_frac'], cs['location/center_y_frac'] = random.uniform(size=(2, N))
cs['extra/flag'] = np.arange(N) % 3 == 0
cs['extra/count'] = np.arange(N) - 5


def save(name, values):
    with open(name, 'wb') as file:
        np.save(file, values)


save('p.cs', cs)
with mrcfile.new('J1/stack.mrc') as m:
    m.set_data(random.normal(size=(N, BOX, BOX)).astype('f4'))
    m.set_image_stack()

# ---- As a table ----
rows = json.loads(tessera('star', 'p.cs', '--json').out, parse_float=np.float64)
check(len(rows) == N, 'rows')
for name in cs.dtype.names:
    parts = [name] if cs.dtype[name].shape == () else [f'{name}_{k}' for k in range(cs.dtype[name].shape[0])]
    for k, label in enumerate(parts):
        wanted = cs[name] if cs.dtype[name].shape == () else cs[name][:, k]
        got = [row[label] for row in rows]
        if wanted.dtype.kind == 'S':
            check(got == [w.decode() for w in wanted], 'texts', label, got)
        elif wanted.dtype.kind == 'U':
            check(got == list(wanted), 'Unicode', label, got)
        elif wanted.dtype.kind in 'iub':
            check([int(g) for g in got] == [int(w) for w in wanted], 'integers', label, got)
        else:
            check(np.array_equal(np.array(got, 'f4'), wanted), 'floats to the last bit', label, got)
result = tessera('star', 'p.cs', '--list')
check('alignments3D/pose_2' in result.out and 'cryosparc' in result.out, 'list', result)
result = tessera('star', 'p.cs', '--rows', '2,5', '-o', 'some.cs')
some = np.load('some.cs')
for name in ('uid', 'blob/path', 'blob/idx', 'blob/shape', 'ctf/df1_A', 'alignments3D/pose', 'alignments3D/error',
             'location/micrograph_shape', 'location/micrograph_uid'):
    check(some.dtype[name] == (cs.dtype[name] if cs.dtype[name].kind != 'S' else some.dtype[name]) and
          np.array_equal(some[name], cs[name][[2, 5]]), 'a .cs file of a .cs file', name, some[name])

result = tessera('star', 'p.cs', '--where', 'ctf/df1_A/2 > 6500 && ctf/exp_group_id == 3', '--set',
                 'ctf/df2_A=ctf/df1_A - 1', '-o', 'where.cs')
chosen = (cs['ctf/df1_A'] / 2 > 6500) & (cs['ctf/exp_group_id'] == 3)
where = np.load('where.cs')
check(np.array_equal(where['uid'], cs['uid'][chosen]) and np.allclose(where['ctf/df2_A'], cs['ctf/df1_A'][chosen] - 1),
      'expressions with names of fields', result)
result = tessera('star', 'p.cs', '--where', 'blob/path == ">*"', '-o', 'text.cs')
check(np.array_equal(np.load('text.cs')['uid'], cs['uid'][1::2]), 'texts of fields', result)

# ---- To RELION ----
result = tessera('star', 'p.cs', '-o', 'p.star')
check(result.code == 0, 'to STAR', result)
star = json.loads(tessera('star', 'p.star', '--json').out)
optics = json.loads(tessera('star', 'p.star', '--table', 'optics', '--json').out)
check(len(optics) == 2 and [o['rlnOpticsGroup'] for o in optics] == [1, 2] and optics[0]['rlnVoltage'] == 300 and
      optics[0]['rlnSphericalAberration'] == 2.7 and optics[0]['rlnImagePixelSize'] == APIX and
      optics[0]['rlnImageSize'] == BOX and optics[0]['rlnAmplitudeContrast'] == 0.1, 'optics', optics)


def column(label):
    return np.array([row[label] for row in star], float)


check([row['rlnImageName'] for row in star] == [f'{i + 1:06d}@J1/stack.mrc' for i in cs['blob/idx']], 'images', star[0])
check(star[0]['rlnMicrographName'] == 'J1/micrograf\u00eda.mrc', 'micrographs')
check(np.allclose(column('rlnCoordinateX'), cs['location/center_x_frac'].astype('f8') * 3710, rtol=1e-6) and
      np.allclose(column('rlnCoordinateY'), cs['location/center_y_frac'].astype('f8') * 3838, rtol=1e-6), 'coordinates')
check(np.allclose(column('rlnDefocusAngle'), np.rad2deg(cs['ctf/df_angle_rad'].astype('f8')), rtol=1e-6), 'angle')
check(np.allclose(column('rlnPhaseShift'), np.rad2deg(cs['ctf/phase_shift_rad'].astype('f8')), rtol=1e-6), 'phase')
check(np.array_equal(column('rlnDefocusU').astype('f4'), cs['ctf/df1_A']), 'defocus')
check(np.array_equal(column('rlnRandomSubset'), cs['alignments3D/split'] + 1), 'half sets')
check(np.array_equal(column('rlnClassNumber'), cs['alignments3D/class'] + 1), 'classes')
check(np.array_equal(column('rlnOpticsGroup'), np.arange(N) % 2 + 1), 'groups')
check(np.allclose(column('rlnOriginXAngst'), cs['alignments3D/shift'][:, 0].astype('f8') * APIX, rtol=1e-6) and
      np.allclose(column('rlnOriginYAngst'), cs['alignments3D/shift'][:, 1].astype('f8') * APIX, rtol=1e-6), 'origins')
for i, row in enumerate(star):
    matrix = relion_matrix(row['rlnAngleRot'], row['rlnAngleTilt'], row['rlnAnglePsi'])
    wanted = Rotation.from_rotvec(cs['alignments3D/pose'][i].astype('f8')).as_matrix().T
    check(np.allclose(matrix, wanted, atol=3e-7), 'pose', i, row)
check(np.array_equal(column('alignments3D/error').astype('f4'), cs['alignments3D/error']) and
      [row['uid'] for row in star] == [int(u) for u in cs['uid']], 'what has no label is kept')

# ---- And back ----
result = tessera('star', 'p.star', '-o', 'back.cs')
check(result.code == 0, 'to cryoSPARC', result)
back = np.load('back.cs')
for name in cs.dtype.names:
    if name.startswith('extra'):
        continue
    wanted = np.char.lstrip(cs[name], b'>') if name == 'blob/path' else cs[name]
    if wanted.dtype.kind in 'SU':
        wanted = wanted if wanted.dtype.kind == 'S' else np.char.encode(wanted, 'utf-8')
        check(np.array_equal(back[name], wanted), 'text', name, back[name])
        continue
    check(back.dtype[name].base == cs.dtype[name].base and back[name].shape == wanted.shape, 'type', name, back.dtype[name])
    near = np.isclose(back[name], wanted, rtol=3e-7, atol=1e-7) if wanted.dtype.kind == 'f' else back[name] == wanted
    if name == 'alignments3D/pose':  # pi about an axis is pi about its opposite
        near = [np.allclose(Rotation.from_rotvec(a).as_matrix(), Rotation.from_rotvec(b).as_matrix(), atol=1e-6)
                for a, b in zip(back[name], wanted)]
    check(np.all(near), 'round trip', name, back[name], wanted)

# ---- A STAR file of RELION's ----
with open('r.star', 'w') as file:
    file.write('data_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnVoltage #2\n_rlnSphericalAberration #3\n'
               '_rlnAmplitudeContrast #4\n_rlnImagePixelSize #5\n_rlnBeamTiltX #6\n1 200 1.4 0.07 2 0.5\n\n'
               'data_particles\n\nloop_\n_rlnImageName #1\n_rlnAngleRot #2\n_rlnAngleTilt #3\n_rlnAnglePsi #4\n'
               '_rlnOriginXAngst #5\n_rlnOriginYAngst #6\n_rlnOpticsGroup #7\n_rlnNormCorrection #8\n'
               '000003@a.mrcs 10 20 30 4 -6 1 0.9\n000001@a.mrcs 0 0 0 0 0 1 1.1\n')
check(tessera('star', 'r.star', '-o', 'r.cs').code == 0, 'a file of RELION')
made = np.load('r.cs')
check(list(made['blob/path']) == [b'a.mrcs'] * 2 and list(made['blob/idx']) == [2, 0], 'path and number', made)
check(len(set(made['uid'])) == 2 and made.dtype['uid'] == 'u8', 'uid', made['uid'])
check(np.allclose(made['alignments3D/shift'], [[2, -3], [0, 0]]), 'pixels', made['alignments3D/shift'])
check(np.allclose(Rotation.from_rotvec(made['alignments3D/pose'][0]).as_matrix(), relion_matrix(10, 20, 30).T, atol=1e-6),
      'pose', made['alignments3D/pose'])
check(np.allclose(made['ctf/accel_kv'], 200) and np.allclose(made['blob/psize_A'], 2) and
      np.allclose(made['relion/rlnBeamTiltX'], 0.5) and np.allclose(made['relion/rlnNormCorrection'], [0.9, 1.1]), 'rest')
tessera('star', 'r.cs', '-o', 'r2.star')
again = json.loads(tessera('star', 'r2.star', '--json').out)
check(again[0]['rlnNormCorrection'] == 0.9 and again[0]['rlnImageName'] == '000003@a.mrcs' and
      np.isclose(again[0]['rlnAngleTilt'], 20, atol=1e-4), 'and back', again)

# ---- As particles ----
result = tessera('info', '--field', 'format,shape,apix', 'p.cs')
check(result.out == 'star 12 1 16 16 1.5 1.5 1.5\n', 'images of a .cs file', result)
for name in ('p.cs', 'p.star'):
    result = tessera('reconstruct', name, '-o', name + '.mrc', '-q')
    check(result.code == 0, 'reconstruct', name, result)
    check('not used' not in result.err, 'no warning of zeros', result)
check(np.array_equal(mrcfile.read('p.cs.mrc'), mrcfile.read('p.star.mrc')), 'the same map of both')
tilted = cs.copy()
tilted['ctf/tilt_A'][3] = 0, 12
save('tilted.cs', tilted)
result = tessera('reconstruct', 'tilted.cs', '-o', 't.mrc')
check('ctf/tilt_A is not used' in result.err, 'a warning of beam tilt', result)
result = tessera('select', 'p.cs', '--slices', '3,1', '-o', 's.mrcs', '--star', 's.cs')
chosen = np.load('s.cs')
check(list(chosen['blob/idx']) == [0, 1] and list(chosen['blob/path']) == [b's.mrcs'] * 2 and
      list(chosen['uid']) == list(cs['uid'][[3, 1]]), 'a .cs file of the new stack', result, chosen)

# Verbs that make particles write .cs files, and project reads them.
mrcfile.write('m.mrc', np.random.default_rng(4).normal(0, 1, (64, 64)).astype('f4'), voxel_size=1.5)
open('m.star', 'w').write('data_\nloop_\n_rlnMicrographName\n_rlnCoordinateX\n_rlnCoordinateY\nm.mrc 20 30\nm.mrc 40 24\n')
result = tessera('extract', '--box', 16, 'm.star', '-o', 'e.mrcs', '--star', 'e.cs')
made = np.load('e.cs') if result.code == 0 else None
check(made is not None and list(made['blob/idx']) == [0, 1] and list(made['blob/path']) == [b'e.mrcs'] * 2 and
      np.allclose(made['blob/psize_A'], 1.5), 'extract writes a .cs file', result, made)
for name in ('p.cs', 'p.star'):
    result = tessera('project', 'p.cs.mrc', '--angles', name, '-o', name + '_views.mrcs', '--star', 'views_of_' + name)
    check(result.code == 0, 'project', name, result)
check(np.array_equal(mrcfile.read('p.cs_views.mrcs'), mrcfile.read('p.star_views.mrcs')), 'the same projections of both')
check(list(np.load('views_of_p.cs')['blob/path']) == [b'p.cs_views.mrcs'] * len(cs), 'project writes a .cs file')
fails(tessera('pick', '--diameter', '20px', 'm.mrc', '-o', 'x.cs'), 2, 'pick: -o is x.cs; coordinates are written as .star or .box')

# ---- What is wrong ----
def with_header(text):
    head = text.encode() + b' ' * (-(len(text) + 11) % 64) + b'\n'
    with open('x.cs', 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little') + head + bytes(64))


for text, message in (("{'descr': [('a', '<f4'), 'fortran_order': False, 'shape': (1,)}", 'a field in parentheses'),
                      ("{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (1,)}", 'Python objects'),
                      ("{'descr': [('a', '<c8')], 'fortran_order': False, 'shape': (1,)}", "type '<c8'"),
                      ("{'descr': [('a', '<f4'), ('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 'duplicate field a'),
                      ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 'plain numbers'),
                      ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (99,)}", '99 rows of 4 bytes'),
                      ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2)}", 'one axis'),
                      ("{'descr': [('a', '<f4', (0,))], 'fortran_order': False, 'shape': (1,)}", 'without values'),
                      ("{'descr': [('a', '<f4')], 'shape': (1,)}", 'fortran_order')):
    with_header(text)
    fails(tessera('star', 'x.cs'), 3, 'x.cs', message)
with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}")
check(tessera('star', 'x.cs').code == 0, 'a table without particles')
fails(tessera('star', 'x.cs', '-o', 'x.star'), 3, 'neither blob/path nor')
open('x.cs', 'wb').write(b'\x94CSDAT' + bytes(100))
fails(tessera('star', 'x.cs'), 3, 'compressed columns', 'NUMPY_FORMAT')
fails(tessera('star', 'r.star', '--columns', 'rlnNormCorrection', '-o', 'y.cs'), 3, 'rlnImageName or rlnMicrographName')
finish()
