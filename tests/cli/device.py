"""Verbs and operations with --device gpu, on the simulated libraries beside the command, give what they do on the CPU."""
import json
import os
import re
import shutil

import numpy as np

from command import COMMAND, FOLDER, check, fails, finish, skip, tessera

SIMULATED = os.path.join(os.path.dirname(COMMAND), 'simulated')
KERNELS = os.path.join(FOLDER.name, 'kernels')
GPU = {'TESS_CUDA_PATH': SIMULATED, 'TESS_SIM_LAZY': '1', 'TESS_SLAB': '20000',
       'XDG_CACHE_HOME': KERNELS}
rng = np.random.default_rng(5)
a = rng.normal(1, 2, (5, 1, 32, 24)).astype('f4')
b = rng.normal(0, 1, (5, 1, 32, 24)).astype('f4')
np.save('a.npy', a)
np.save('b.npy', b)
np.save('image.npy', b[0])
np.save('noise.npy', rng.normal(size=(3, 1, 96, 80)).astype('f4'))


def both(*arguments, bound=0.0):
    """The same command on both devices, within `bound` of the largest number."""
    results = []
    for device in ('cpu', 'gpu'):
        out = f'{device}.npy'
        result = tessera(*arguments, '--device', device, '-f', '-o', out, environment=GPU)
        if not check(result.code == 0, f'it runs on the {device}', result):
            return
        results.append(np.load(out))
    here, there = results
    check(here.dtype == there.dtype and here.shape == there.shape, f'{arguments}: dtype and shape')
    check(np.abs(here - there).max() <= bound * np.abs(here).max(), f'{arguments}: numbers')


def test_verbs():
    both('calc', 'a*2 + mean(b) - $w + median(a)', 'a=a.npy', 'b=b.npy')
    both('calc', 'a - max(a)', 'a=a.npy', '--per', 'image')
    both('fft', 'a.npy', bound=1e-6)
    both('filter', '--lowpass', '0.2/px', 'a.npy', bound=1e-6)
    both('bin', '--method', 'median', 'a.npy')
    both('norm', '--bg-radius', '9px', 'a.npy', bound=1e-6)
    both('power', '--average', 'a.npy', bound=1e-6)
    both('rescale', '--factor', '2', 'a.npy', bound=1e-6)
    both('transform', '--rotate', '30', '--shift', '1.5,-2', '--interp', 'cubic', 'a.npy')
    both('sym', '--group', 'c3', 'a.npy')
    both('mask', '--threshold', '3', '--lowpass', 'none', '--largest', '--extend', '2', '--soft', '3', 'a.npy')
    both('mask', '--sphere', '8', '--shell', '10,12', '--soft', '2', '--apply', '--outside', '1', 'a.npy')
    both('ctf', 'sim', '--apix', '1.3', '--defocus', '1.2um,1um', '--size', '32', bound=1e-6)
    both('ctf', 'flip', '--apix', '1.3', '--defocus', '1.2um,1um', 'a.npy', bound=1e-5)
    both('ctf', 'wiener', '--apix', '1.3', '--defocus', '1.2um,1um', '--snr', '5', 'a.npy', bound=1e-5)
    both('simulate', 'atoms', '--box', '16', '--atoms', '20', '--apix', '2', bound=1e-6)
    tessera('simulate', 'atoms', '--box', '16', '--atoms', '20', '--apix', '2', '-o', 'map.mrc')
    both('simulate', 'particles', 'map.mrc', '--count', '5', '--star', 'views.star', bound=1e-5)
    both('simulate', 'movie', 'map.mrc', '--size', '48', '--frames', '3', '--defocus', '1um', '--gain', 'gain.mrc', '--noise',
         'gaussian', '--star', 'movie.star', bound=1e-5)
    fit = ('ctf', 'fit', '--tile', '32', '--apix', '2', '--max-defocus', '1um', '--high', '5', '--movie', '--json')
    here, there = (tessera(*fit, 'noise.npy', '--device', d, environment=GPU) for d in ('cpu', 'gpu'))
    if check(here.code == 0 and there.code == 0, 'fits run', there):
        here, there = (json.loads(result.out)[0] for result in (here, there))
        check(abs(here['score'] - there['score']) < 1e-3 and abs(here['defocus_u'] - there['defocus_u']) < 5,
              f'fits: {here}, {there}')


def test_particles():
    from support.particles import particles, structure, volume, write
    atoms = structure(20, 5)
    write('map.mrc', volume(atoms, 16).astype('f4'), 1.5)
    particles('p', atoms, 16, 9)
    for options in ((), ('--method', 'real')):
        both('project', 'map.mrc', '--angles', 'p.star', '--ctf', *options, bound=1e-5)
    both('reconstruct', 'p.star', bound=1e-4)
    both('reconstruct', 'p.star', '--sym', 'C2', '--half-maps', 'half{half}.npy', '--ewald', 'front', bound=1e-4)
    both('refine', 'p.star', '--reference', 'map.mrc', '--lowpass', 6, '--step', 40, '--iterations', 1, bound=1e-3)
    with open('p.tlt', 'w') as file:
        file.writelines(f'{10 * n}\n' for n in range(9))
    both('backproject', 'p.mrcs', '--angles', 'p.tlt', bound=1e-5)
    with open('coordinates.star', 'w') as file:
        file.write('data_\n\nloop_\n_rlnMicrographName\n_rlnCoordinateX\n_rlnCoordinateY\n')
        file.writelines(f'{n}@a.npy {10 + n}.25 {15 - n}\n' for n in range(1, 6))
    both('extract', '--box', '12', 'coordinates.star')
    both('extract', '--box', '12', '--subpixel', '--rescale', '8', '--bg-radius', '3', '--ramp', 'coordinates.star', bound=1e-6)


def test_maps():
    volume = np.indices((16, 16, 16)).sum(0) % 7 + rng.normal(size=(16, 16, 16))
    for name in ('one.npy', 'two.npy'):
        np.save(name, (volume + 0.2 * rng.normal(size=volume.shape)).astype('f4'))
    both('locres', 'one.npy', 'two.npy', '--as', 'volume', '--apix', '2', '--radius', '3', '--soft', '2', bound=1e-3)
    both('sharpen', 'one.npy', 'two.npy', '--as', 'volume', '--apix', '2', '--bfactor', '-40', '--lowpass', '5', bound=1e-5)


def test_curves():
    """Numbers that are printed: the same on both devices, to a part of 1."""
    np.save('disc.npy', (np.hypot(*(np.mgrid[:32, :24] - 14)) < 9).astype('f4'))
    np.save('near.npy', a + b)
    curves = []
    for device in ('cpu', 'gpu'):
        result = tessera('fsc', 'a.npy', 'near.npy', '--mask', 'disc.npy', '--apix', '1.5', '--device', device,
                         environment=GPU)
        if check(result.code == 0, f'fsc on the {device}', result):
            curves.append(np.array([[float(v) for v in line.split('\t')] for line in result.out.splitlines()[1:]]))
    check(len(curves) == 2 and np.allclose(*curves, atol=1e-5), 'fsc: numbers')


def test_movies():
    both('corr', 'a.npy', 'b.npy', bound=1e-5)
    both('dose', '--dose', '2', '--apix', '1.5', 'a.npy', bound=1e-6)
    both('dose', '--dose', '2', '--apix', '1.5', '--sum', 'a.npy', bound=1e-6)
    drifting = np.stack([np.roll(np.exp(-((np.mgrid[:64, :72] - 30) ** 2).sum(0) / 40), (n, -n), (0, 1)) for n in range(4)])
    np.save('drifting.npy', (drifting + rng.normal(0, 0.01, drifting.shape)).astype('f4'))
    both('align', 'drifting.npy', '--as', 'stack', bound=1e-4)
    both('motion', 'drifting.npy', '--as', 'stack', '--apix', '1.5', '--resolution', '3', '--patches', '2,2', bound=1e-4)


def test_alignment():
    np.save('square.npy', np.fft.irfft2(np.fft.rfft2(rng.normal(size=(3, 1, 24, 24))) * np.exp(-np.arange(13) / 3)).astype('f4'))
    both('align2d', '--step', '30', '--iterations', '1', 'square.npy', bound=1e-4)


def test_lists():
    """Peaks and picks: rows of numbers that are near each other."""
    tables = []
    for device in ('cpu', 'gpu'):
        result = tessera('peaks', '--sigma', '2', 'a.npy', '--tsv', '--device', device, environment=GPU)
        picked = tessera('pick', '--diameter', '8', '--bin', '1', '--threshold', '2', 'image.npy', '-f', '-o', 'p.star',
                         '--device', device, environment=GPU)
        if check(result.code == 0 and picked.code == 0, f'lists on the {device}', result):
            lines = [line.split()[1:] for line in open('p.star') if line.startswith('image.npy')]
            tables.append([np.array([line.split() for line in result.out.splitlines()[1:]], float), np.array(lines, float)])
    for here, there in zip(*tables):
        check(here.shape == there.shape and len(here) > 0 and np.abs(here - there).max() < 1e-4, 'the same rows')


def test_operations():
    both('add', 'a.npy', 'b.npy', '--mem', '1M')
    both('mul', 'a.npy', 'image.npy', '--mem', '1M')
    both('add', 'a.npy', '2.5')
    both('concatenate', 'a.npy', 'b.npy', '--axis', 'b')
    both('full', '--shape', '3,4', '--value', '2')
    # Numbers for each batch, cut with the stack; what must stay in host memory does.
    many = rng.normal(size=(40, 1, 64, 64))
    np.save('many.npy', many.astype('f4'))
    np.save('spectra.npy', np.fft.rfft2(many).astype('c8'))
    np.save('ctfs.npy', np.tile([1.2, 0, 1, 0, 0, 300, 0.05, 2.7], (40, 1)) * np.linspace(1, 2, 40)[:, None])
    np.save('lags.npy', np.array([5.0, 5.0]).reshape(1, 1, 1, 2))
    both('ctf_apply', 'spectra.npy', '--shape', '64,64', '--parameters', 'ctfs.npy', '--mem', '1M')
    both('correlate_peak', 'many.npy', '--maximum-lag', 'lags.npy', '--mem', '1M', bound=1e-9)
    here, there = (tessera('sum', 'a.npy', '--device', d, environment=GPU) for d in ('cpu', 'gpu:1'))
    check(here.code == 0 and here.out == there.out, 'a sum that is printed', there)


def test_others():
    out = tessera('devices', environment=GPU).out
    check('gpu:0         Simulated GPU 0' in out and 'capability 9.0' in out and 'nvrtc' in out, 'devices', out)
    check('cufft       12.1\n' in out and 'cublas      13.2\n' in out, 'devices tells versions', out)
    check(re.search('^kernels +cached in ' + KERNELS + '/tessera$', out, re.M), 'the folder of kernels', out)
    out = tessera('warm', '--device', 'gpu', '32,32', 'neg', 'op f(in T x, out T y) { y = x*x; }', environment=GPU)
    check(out.code == 0 and 'r2c f32 by cufft' in out.out and 'neg in' in out.out and 'operator in' in out.out, 'warm', out)
    check(out.err == '', 'warm has nothing to warn of', out)
    fails(tessera('warm', 'nothing'), 2, 'nothing', 'neither')
    unknown = tessera('neg', 'a.npy', '--device', 'gpu', '-o', 'n.npy', environment={**GPU, 'TESS_SIM_CC': '101'})
    check(unknown.code == 0, 'a GPU that the compiler does not know', unknown)
    old = {**GPU, 'TESS_SIM_CC': '61'}
    fails(tessera('neg', 'a.npy', '--device', 'gpu', '-o', 'c.npy', environment=old), 4, 'capability 6.1', '7.0 or later')
    for bad in ('nosuchop', '3,x', 'op f(in T x, out T y) { y = z; }'):
        out = tessera('warm', '--device', 'gpu', 'sort', bad, environment=GPU)
        check(out.code == 2 and out.out == '', 'warm looks at all arguments first', out)
    os.makedirs('open/tessera', exist_ok=True)
    os.chmod('open/tessera', 0o777)
    reached = {**GPU, 'XDG_CACHE_HOME': os.path.abspath('open')}
    out = tessera('warm', '--device', 'gpu', 'neg', environment=reached)
    check(out.code == 0 and 'warning: compiled kernels are not kept in' in out.err and 'open/tessera' in out.err and
          'mode is 777' in out.err, 'warm tells of kernels that are not kept', out)
    out = tessera('devices', environment=reached).out
    check(re.search('^kernels +compiled kernels are not kept in .*open/tessera: ', out, re.M), 'devices tells it too', out)
    result = tessera('add', 'a.npy', '1', '--device', 'gpu:7', '-o', 'c.npy', environment=GPU)
    fails(result, 4, 'there is no gpu:7; gpu:0 and gpu:1 are available')
    check('device_parse' not in result.err, 'no name of a function', result)


def test_table():
    cpu, gpu, _ = json.loads(tessera('devices', '--json', environment=GPU).out)
    check(gpu['device'] == 'gpu:0' and gpu['compute_capability'] == 90 and gpu['threads'] is None, 'a GPU', gpu)
    check(gpu['fft'] == 'cufft' and gpu['memory_bytes'] >= gpu['free_bytes'] > 0 and gpu['why'] is None, 'a GPU', gpu)
    check(gpu['kernels'] == KERNELS + '/tessera', 'the folder of kernels', gpu)
    for column in ('compute_capability', 'driver', 'nvrtc', 'cufft', 'cublas', 'kernels', 'why'):
        check(column in cpu and cpu[column] is None, f'{column} of the CPU', cpu)
    check(cpu['memory_bytes'] // 2**30 == int(cpu['memory_GiB']) and cpu['fft'] == 'native', 'the CPU', cpu)
    os.makedirs('some')
    shutil.copy(os.path.join(SIMULATED, 'libcuda.so.1'), 'some')
    gpu = json.loads(tessera('devices', '--json', environment={**GPU, 'TESS_CUDA_PATH': 'some'}).out)[1]
    if gpu['cufft'] is None:
        check(gpu['fft'] is None, 'no cuFFT, no transforms', gpu)
    none = json.loads(tessera('devices', '--json', environment={**GPU, 'TESS_CUDA_PATH': '', 'CUDA_VISIBLE_DEVICES': ''}).out)
    check(len(none) == 2 and none[1]['device'] == 'gpu' and 'driver' in none[1]['why'], 'why there is no GPU', none)


def test_verbs_without():
    """What a verb cannot do is said before a driver is looked for."""
    for environment in (GPU, {'TESS_CUDA_PATH': ''}):
        fails(tessera('stats', '--device', 'gpu', 'a.npy', environment=environment), 2,
              'stats runs on the CPU only', 'corr, ctf, dose, extract, fft', 'transform', 'operations (tessera ops)')
    check(tessera('stats', '--device', 'cpu', 'a.npy').code == 0, '--device cpu is for all verbs')
    check('--device' not in tessera('help', 'stats').out, 'help of a verb for the CPU')
    check('--device' in tessera('help', 'calc').out and '--device' in tessera('help', 'sqrt').out, 'help of others')
    check('--device auto: gpu' in tessera('sqrt', 'a.npy', '--device', 'auto', '-v', environment=GPU).err, 'auto takes a GPU')
    fails(tessera('sqrt', 'a.npy', '--device', 'tpu'), 2, '--device is "tpu"; cpu, gpu, gpu:N, gpu:free or auto')


def why(path):
    """What `tessera devices` says of a driver that is not there, with this TESS_CUDA_PATH."""
    out = tessera('devices', environment={'TESS_CUDA_PATH': path, 'CUDA_VISIBLE_DEVICES': ''}).out
    return out[out.index('gpu'):].split('\n')[0]


def test_libraries():
    """Folders of TESS_CUDA_PATH are tried in turn, and the message says what was tried, or why a file is no use."""
    for path in (f'/nowhere:{SIMULATED}', f'{SIMULATED}:/nowhere', f':{SIMULATED}:'):
        out = tessera('devices', environment={**GPU, 'TESS_CUDA_PATH': path}).out
        check('Simulated GPU 0' in out and 'cufft       12.1' in out, f'TESS_CUDA_PATH={path}', out)
    os.makedirs('broken')
    open('broken/libcuda.so.1', 'w').write('this is no library')
    if 'none: libcuda (the NVIDIA driver) was not found' not in why(''):
        skip('messages of a driver that is missing', 'there is one')
        return
    said = why('')
    check('TESS_CUDA_PATH' not in said and 'libcuda.so.1' in said and "install the NVIDIA driver" in said, 'no driver', said)
    check('TESS_CUDA_PATH (/nowhere:/either)' in why('/nowhere:/either'), 'folders that were tried', why('/nowhere:/either'))
    said = why('/nowhere:broken')
    check('cannot be opened' in said and 'broken/libcuda.so.1' in said, 'the reason of the loader', said)


if os.path.exists(os.path.join(SIMULATED, 'libcuda.so.1')):
    test_verbs()
    test_particles()
    test_maps()
    test_curves()
    test_movies()
    test_lists()
    test_alignment()
    test_operations()
    test_others()
    test_table()
    test_verbs_without()
    test_libraries()
else:
    skip('--device gpu', 'no simulated libraries were built')
finish()
