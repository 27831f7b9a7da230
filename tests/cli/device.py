"""Verbs and operations with --device gpu, on the simulated libraries beside the command, give what they do on the CPU."""
import json
import os

import numpy as np

from command import COMMAND, FOLDER, check, fails, finish, skip, tessera

SIMULATED = os.path.join(os.path.dirname(COMMAND), 'simulated')
GPU = {'TESS_CUDA_PATH': SIMULATED, 'TESS_SIM_LAZY': '1', 'TESS_SLAB': '20000',
       'XDG_CACHE_HOME': os.path.join(FOLDER.name, 'kernels')}
rng = np.random.default_rng(5)
a = rng.normal(1, 2, (5, 1, 32, 24)).astype('f4')
b = rng.normal(0, 1, (5, 1, 32, 24)).astype('f4')
np.save('a.npy', a)
np.save('b.npy', b)
np.save('image.npy', b[0])


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
    both('calc', 'a*2 + mean(b) - w + median(a)', 'a=a.npy', 'b=b.npy')
    both('calc', 'a - max(a)', 'a=a.npy', '--per', 'image')
    both('fft', 'a.npy', bound=1e-6)
    both('filter', '--lowpass', '0.2/px', 'a.npy', bound=1e-6)
    both('bin', '--method', 'median', 'a.npy')
    both('norm', '--bg-radius', '9px', 'a.npy', bound=1e-6)
    both('power', '--average', 'a.npy', bound=1e-6)
    both('rescale', '--factor', '2', 'a.npy', bound=1e-6)


def test_operations():
    both('add', 'a.npy', 'b.npy', '--mem', '1M')
    both('mul', 'a.npy', 'image.npy', '--mem', '1M')
    both('add', 'a.npy', '2.5')
    both('concatenate', 'a.npy', 'b.npy', '--axis', 'b')
    both('full', '--shape', '3,4', '--value', '2')
    here, there = (tessera('sum', 'a.npy', '--device', d, environment=GPU) for d in ('cpu', 'gpu:1'))
    check(here.code == 0 and here.out == there.out, 'a sum that is printed', there)


def test_others():
    out = tessera('devices', environment=GPU).out
    check('gpu:0         Simulated GPU 0' in out and 'capability 9.0' in out and 'nvrtc' in out, 'devices', out)
    check('cufft       12.1\n' in out and 'cublas      13.2\n' in out, 'devices tells versions', out)
    table = json.loads(tessera('devices', '--json', environment=GPU).out)
    check(table[1]['device'] == 'gpu:0' and table[1]['compute_capability'] == 90, 'devices --json')
    out = tessera('warm', '--device', 'gpu', '32,32', 'neg', 'op f(in T x, out T y) { y = x*x; }', environment=GPU)
    check(out.code == 0 and 'r2c f32 by cufft' in out.out and 'neg in' in out.out and 'operator in' in out.out, 'warm', out)
    fails(tessera('warm', 'nothing'), 2, 'nothing', 'neither')
    unknown = tessera('neg', 'a.npy', '--device', 'gpu', '-o', 'n.npy', environment={**GPU, 'TESS_SIM_CC': '101'})
    check(unknown.code == 0, 'a GPU that the compiler does not know', unknown)
    old = {**GPU, 'TESS_SIM_CC': '61'}
    fails(tessera('neg', 'a.npy', '--device', 'gpu', '-o', 'c.npy', environment=old), 4, 'capability 6.1', '7.0 or later')
    fails(tessera('crop', '--box', 8, '--device', 'gpu', 'a.npy', '-o', 'c.npy', environment=GPU), 2, 'crop', 'calc', 'fft')
    fails(tessera('add', 'a.npy', '1', '--device', 'gpu:7', '-o', 'c.npy', environment=GPU), 4, 'gpu:7')


if os.path.exists(os.path.join(SIMULATED, 'libcuda.so.1')):
    test_verbs()
    test_operations()
    test_others()
else:
    skip('--device gpu', 'no simulated libraries were built')
finish()
