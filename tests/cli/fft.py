"""tessera fft and power against NumPy."""
import numpy as np

from command import check, fails, finish, tessera
from images import close, equal, facts, random, run, write


def transform(a, layout, axes, **how):
    if layout[0] == 'h':
        f = np.fft.rfftn(a, axes=axes, **how)
        return np.fft.fftshift(f, axes=axes[:-1]) if layout == 'hc' else f
    f = np.fft.fftn(a, axes=axes, **how)
    return np.fft.fftshift(f, axes=axes) if layout == 'fc' else f


stack = write('s.mrcs', random.normal(size=(7, 30, 25)).astype('f4'), 1.5, stack=True)
even = write('e.mrc', random.normal(size=(32, 40)).astype('f4'), 1.5)
volume = write('v.mrc', random.normal(size=(11, 20, 16)).astype('f4'), 2)
files = {'s.mrcs': (stack, (-2, -1)), 'e.mrc': (even, (-2, -1)), 'v.mrc': (volume, (-3, -2, -1))}
for name, (data, axes) in files.items():
    for layout in ('h', 'hc', 'f', 'fc'):
        for norm in ('backward', 'ortho', 'forward'):
            want = transform(data.astype('f8'), layout, axes, norm=norm)
            got = run('fft', '--layout', layout, '--norm', norm, name, out='out.npy')
            equal(got.reshape(want.shape) if got is not None and got.size == want.size else got, want,
                  f'{name} {layout} {norm}', 2e-6)
            odd = ['--odd'] if layout[0] == 'h' and data.shape[-1] % 2 else []
            back = run('fft', '--inverse', '--layout', layout, '--norm', norm, *odd,
                       *(['--as', 'stack'] if name == 's.mrcs' else []), 'out.npy', out='back.npy')
            equal(back.reshape(data.shape) if back is not None and back.size == data.size else back, data,
                  f'{name} {layout} {norm} and back', 2e-6)
got = run('fft', '--layout', 'hc', 'e.mrc', out='spectrum.mrc')
check(got is not None and got.dtype == np.complex64, 'MRC mode 4')
equal(got, transform(even.astype('f8'), 'hc', (-2, -1)), 'hc in MRC', 2e-6)
equal(run('fft', '--inverse', '--layout', 'hc', 'spectrum.mrc'), even, 'and back', 2e-6)
close(facts('out.mrc')[0][:2], [1.5, 1.5], 'pixel size comes back')
for name, shape in (('e.mrc', even.shape), ('v.mrc', volume.shape)):
    run('fft', name, out='by_verb.mrc')
    run('fft_r2c', name, out='by_operation.mrc')
    check(facts('by_verb.mrc') == facts('by_operation.mrc'), f'{name}: verb and operation agree')
    size = ','.join(str(n) for n in (1,) * (4 - len(shape)) + shape)
    run('fft_c2r', '--shape', size, 'by_operation.mrc', out='back.mrc')
    close(facts('back.mrc')[0], facts(name)[0], f'{name}: the pixel size comes back')
c = (random.normal(size=(1, 1, 12, 10)) + 1j * random.normal(size=(1, 1, 12, 10))).astype('c8')
np.save('c.npy', c)
got = run('fft', '--layout', 'f', 'c.npy', out='out.npy')
equal(got.reshape(12, 10), np.fft.fft2(c[0, 0].astype('c16')), 'complex', 2e-6)
got = run('fft', '--inverse', '--complex', '--layout', 'f', 'out.npy', out='back.npy')
equal(got.reshape(12, 10), c[0, 0], 'complex and back', 2e-6)
fails(tessera('fft', '--inverse', 'e.mrc', '-o', 'n.npy'), 2, 'e.mrc has real numbers', '--inverse')
fails(tessera('fft', 'c.npy', '-o', 'n.npy'), 2, 'f or fc')
fails(tessera('fft', '--layout', 'x', 'e.mrc', '-o', 'n.npy'), 2, 'hc')
fails(tessera('fft', '--mem', '1M', '--as', 'volume', 'big.npy', '-o', 'n.npy'), 3, 'big.npy')
write('big.mrc', np.zeros((64, 80, 80), 'f4'), 1)
fails(tessera('fft', '--mem', '1M', 'big.mrc', '-o', 'n.npy'), 4, 'fft: a volume of 80 x 80 x 64', '--mem allows 1 MiB')
finish()
