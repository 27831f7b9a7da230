"""B-factors: every verb that takes one multiplies by exp(-B s^2 / 4), so that positive ones damp, negative ones sharpen."""
import re

import numpy as np

from command import check, finish, tessera
from images import close, random, read, write

N, APIX = 32, 1.5
volume = write('v.mrc', random.normal(size=(N, N, N)).astype('f4'), APIX)
S2 = sum(g * g for g in np.meshgrid(*[np.fft.fftfreq(N, APIX)] * 3, indexing='ij'))
BAND = (S2 > 0) & (S2 < (0.3 / APIX)**2)  # far from the low-pass of `sharpen`
CTF = ('--defocus', '1um', '--amplitude', 0.1)
CALL = 'pixel_size=1.5,defocus=1,cs=2.7,amplitude=0.1'


def gain(*arguments, plain=None):
    """What coefficients are multiplied by, beside those of the same verb without a B-factor."""
    spectra = []
    for out, extra in (('with.mrc', arguments), ('without.mrc', plain)):
        if extra is not None:
            result = tessera(*extra, '-o', out, '-f')
            check(result.code == 0, 'it runs', result)
        spectra.append(np.fft.fftn(volume if extra is None else read(out)))
    there = BAND if spectra[0].ndim == 3 else (BAND[0] & (np.abs(spectra[1]) > 1))
    return (spectra[0][there] / spectra[1][there]).real, S2[0 if spectra[0].ndim == 2 else slice(None)][there]


write('image.mrc', volume[0], APIX)
for b in (40, -30):
    for name, arguments, plain in (
            ('filter', ('filter', '--bfactor', b, 'v.mrc'), None),
            ('bfactor_image', ('bfactor_image', '--bfactor', b, '--pixel-size', APIX, 'v.mrc'), None),
            ('sharpen', ('sharpen', 'v.mrc', '--bfactor', b, '--lowpass', 3.1), None),
            ('ctf apply', ('ctf', 'apply', *CTF, '--bfactor', b, 'image.mrc'), ('ctf', 'apply', *CTF, 'image.mrc')),
            ('ctf_apply_image', ('ctf_apply_image', '--ctf', f'{CALL},bfactor={b}', 'image.mrc'),
             ('ctf_apply_image', '--ctf', CALL, 'image.mrc'))):
        got, s2 = gain(*arguments, plain=plain)
        close(got, np.exp(-b * s2 / 4), f'{name} of B = {b}', 2e-3)
# What `radial --guinier` finds is what `filter` and `sharpen` take to bring the map back.
tessera('filter', '--bfactor', 60, 'v.mrc', '-o', 'faded.mrc')
found = float(re.search(r'B = (-?[\d.]+)', tessera('radial', '--guinier', 'faded.mrc').err).group(1))
check(abs(found + 60) < 3, f'a map that has faded by 60 has a B-factor of -60: {found}')
# An envelope in a STAR file is RELION's.
with open('p.star', 'w') as file:
    file.write('data_\nloop_\n_rlnImageName\n_rlnDefocusU\n_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\n'
               '_rlnCtfBfactor\n1@image.mrc 10000 300 2.7 0.1 40\n')
got, s2 = gain('ctf', 'apply', 'p.star', '--apix', APIX, plain=('ctf', 'apply', *CTF, 'image.mrc'))
close(got, np.exp(-10 * s2), 'rlnCtfBfactor', 2e-3)
finish()
