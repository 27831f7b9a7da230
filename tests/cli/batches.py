"""Operations with parameters for each batch go batch by batch: the same bytes under a small --mem as in one piece."""
import os

import numpy as np

from command import check, fails, finish, tessera

rng = np.random.default_rng(11)
B, H, W = 24, 64, 60
image = rng.normal(size=(B, 1, H, W)).astype(np.float32)
spectrum = np.fft.rfft2(image).astype(np.complex64)
np.save('image.npy', image)
np.save('other.npy', rng.normal(size=(B, 1, H, W)).astype(np.float32))
np.save('one.npy', image[3:4])
np.save('spectrum.npy', spectrum)
np.save('spectrum_b.npy', np.fft.rfft2(np.load('other.npy')).astype(np.complex64))
np.save('spectrum_one.npy', spectrum[5:6])
np.save('shifts.npy', rng.normal(size=(B, 1, 1, 2)))
np.save('table.npy', np.load('shifts.npy').reshape(B, 2))
np.save('shift.npy', np.array([1.5, -2.25]).reshape(1, 1, 1, 2))
np.save('doses.npy', rng.uniform(1, 50, (B, 1, 1, 1)))
np.save('curves.npy', rng.uniform(0, 2, (B, 1, 1, 9)))
np.save('curve.npy', rng.uniform(0, 2, (1, 1, 1, 9)))
np.save('cutoffs.npy', np.stack([rng.uniform(0.1, 0.4, B), rng.uniform(0, 0.1, B)], -1).reshape(B, 1, 1, 2))
np.save('bands.npy', np.tile([0.05, 0.2, 0.02, 0.03], (B, 1)) * rng.uniform(0.9, 1.1, (B, 4)))
np.save('bfactors.npy', rng.uniform(10, 80, (B, 1)))
np.save('angles.npy', np.stack([rng.uniform(-1, 0, B), rng.uniform(0, 1, B)], -1))
np.save('apertures.npy', rng.uniform(0.1, 1.5, (B, 1)))
np.save('radii.npy', rng.uniform(0.1, 0.5, (B, 3)))
ctfs = np.zeros((B, 9))
ctfs[:, :8] = [1.2, 1.2, 1, 0.1, 0.3, 300, 0.1, 2.7]
ctfs[:, 2] = rng.uniform(0.5, 2, B)
ctfs[:, 8] = rng.uniform(0, 1, B)
np.save('ctfs.npy', ctfs.reshape(B, 1, 1, 9))
np.save('ctfs_table.npy', ctfs)
np.save('weights.npy', rng.uniform(0, 1, (B, 1, H, W)))
np.save('weight.npy', rng.uniform(0, 1, (1, 1, H, W)))
np.save('templ.npy', rng.normal(size=(B, 1, 9, 7)).astype(np.float32))
np.save('mask.npy', rng.uniform(0, 1, (1, 1, 9, 7)).astype(np.float32))
np.save('masks.npy', rng.uniform(0, 1, (B, 1, 9, 7)).astype(np.float32))
np.save('markers.npy', (rng.uniform(0, 1, (B, 1, H, W)) < 0.01).astype(np.int32) * rng.integers(1, 9, (B, 1, H, W), np.int32))
np.save('planes.npy', rng.normal(size=(B, 1, 2, 2)))
np.save('lags.npy', np.array([9.0, 12.0]).reshape(1, 1, 1, 2))
np.save('fsc.npy', rng.uniform(-1, 1, (2000, 1, 1, 31)))
np.save('fsc_b.npy', rng.uniform(-1, 1, (2000, 1, 1, 31)))
np.save('counts.npy', np.arange(1.0, 32).reshape(1, 1, 1, 31))
np.save('directions.npy', rng.normal(size=(1, 1, 4, 3)))
np.save('volumes.npy', rng.normal(size=(6, 8, 20, 24)).astype(np.float32))
np.save('piece.npy', rng.normal(size=(6, 3, 5, 7)).astype(np.float32))
with open('filter.op', 'w') as file:
    file.write('op f(in f64 z, in f64 y, in f64 x, view f64 p, out f64 m) { m = 1 - p[0,0,0,0]*x - y*y; }')
np.save('p.npy', np.array([0.5]).reshape(1, 1, 1, 1))
CTF = '--ctf pixel_size=1.2,defocus=1.1,astigmatism=0.1,angle=0.3,amplitude=0.1,cs=2.7'
S = f'--shape {H},{W}'


def load(name):
    data = np.load(name)
    os.remove(name)
    return data


def both(words, outputs=('-o',), mem='1M', cut=True):
    """Whole and in parts; the whole, or None."""
    results = []
    for limit in ('64M', mem):
        more = [part for n, flag in enumerate(outputs) for part in (flag, f'out{n}.npy')]
        result = tessera(*words.split(), *more, '--mem', limit, '-v')
        if not check(result.code == 0, f'{words} with {limit}', result):
            return None
        check(('in parts of' in result.err) == (cut and limit == mem), f'{words} with {limit}: is it cut?', result)
        results.append([load(f'out{n}.npy') for n in range(len(outputs))])
    for a, b in zip(*results):
        check(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), f'{words}: the same bytes')
    return results[0][0]


# ---- Numbers for each batch: arguments ----
moved = both(f'phase_shift spectrum.npy shifts.npy {S} --to hc')
check(moved is not None and np.array_equal(moved, both(f'phase_shift spectrum.npy table.npy {S} --to hc')), 'a table {n,m}')
for name, between, head in (('table.txt', ' ', ''), ('table.tsv', '\t', '# shifts\n'), ('table.CSV', ', ', 'h, w\n')):
    with open(name, 'w') as file:
        file.write(head + ''.join(between.join(map(repr, row)) + '\n' for row in np.load('table.npy').tolist()))
    check(moved is not None and np.array_equal(moved, both(f'phase_shift spectrum.npy {name} {S} --to hc')), f'a text, {name}')
both(f'phase_shift spectrum.npy shift.npy {S}')
both(f'fft_phase_shift spectrum.npy shifts.npy {S}')
both(f'fft_phase_shift spectrum.npy shift.npy {S} --cutoff 0.3')
both(f'dose_weight spectrum.npy doses.npy {S} --pixel-size 1.5')
both(f'dose_weight spectrum.npy doses.npy {S} --apix 1.5')
both(f'filter_curve spectrum.npy curves.npy {S}')
both(f'filter_curve spectrum.npy curve.npy {S} --last 0.6')

# ---- and options ----
both(f'lowpass spectrum.npy {S} --cutoff 0.1 --parameters cutoffs.npy')
high = both('highpass_image image.npy --cutoff 0.1 --parameters cutoffs.npy')
np.savetxt('cutoffs.dat', np.load('cutoffs.npy').reshape(B, 2), '%r')
check(high is not None and np.array_equal(high, both('highpass_image image.npy --cutoff 0.1 --parameters cutoffs.dat')),
      'options in a text')
both(f'bandpass spectrum.npy {S} --low 0 --high 0.1 --parameters bands.npy --edge gaussian')
both(f'bfactor spectrum.npy {S} --bfactor 0 --pixel-size 1.1 --parameters bfactors.npy')
both('fourier_wedge_image image.npy --first -0.5 --last 0.5 --width 0.1')
both('fourier_wedge_image image.npy --first 0 --last 0 --axis d --parameters angles.npy')
both(f'fourier_cone spectrum.npy {S} --aperture 0.5 --parameters apertures.npy')
both('fourier_ellipsoid_image image.npy --radius-d 1 --radius-h 1 --radius-w 1 --parameters radii.npy')
both(f'fourier_cross spectrum.npy {S} --half-width 0.1 --parameters cutoffs.npy')
for name in ('ctf_apply', 'ctf_flip', 'ctf_wiener'):
    snr = ' --snr 4' if name == 'ctf_wiener' else ''
    both(f'{name} spectrum.npy {S} --parameters ctfs.npy{snr}')
    both(f'{name} spectrum.npy {S} {CTF}{snr}')
ctf = both(f'ctf_image {S} --parameters ctfs_table.npy')
check(ctf is not None and ctf.shape == (B, 1, H, W // 2 + 1) and ctf.dtype == np.float32, 'an image for each row')
both(f'symmetrize_spectrum spectrum.npy {S} --name C3 --shifts shifts.npy --after planes.npy --centre-h 32 --to hc')
both(f'correlate_score image.npy other.npy --weights weights.npy --center --normalize')
both(f'correlate_score image.npy one.npy --weights weight.npy')

np.save('few.npy', np.zeros((5, 1, 1, 2)))
fails(tessera('phase_shift', 'spectrum.npy', 'few.npy', *S.split(), '-o', 'n.npy'), 2,
      f'shifts has shape {{5,1,1,2}} and --shape is {{{B},1,{H},{W}}}')

# ---- Two stacks, or a stack and one ----
for second in ('spectrum_b.npy', 'spectrum_one.npy'):
    both(f'correlate_map spectrum.npy {second} {S} --mode phase')
    both(f'op fsc spectrum.npy {second} {S}', ('-o', '--counts'))
both(f'correlate_map spectrum_one.npy spectrum.npy {S} --centred')
both(f'op fsc spectrum.npy spectrum_b.npy {S} --directions directions.npy')
both('correlate image.npy other.npy --pad')
both('correlate one.npy image.npy')
both('correlate_peak image.npy --maximum-lag lags.npy', ('-o', '--values'))
both('match_template image.npy templ.npy --mask masks.npy')
both('match_template image.npy templ.npy --mask mask.npy --periodic')
both('match_template volumes.npy piece.npy')
both('fsc_resolution fsc.npy --shape 60,60 --counts counts.npy')
both('fsc_corrected fsc.npy fsc_b.npy --shape 60,60 --frequency 0.1')
both('average_power image.npy --patch 16,16 --window hann')
both('fft_r2r image.npy --kind dct2 --sign forward')
both('remove_outliers image.npy --threshold 3', ('-o', '--count'))
both('grey_open image.npy --window 5,5')
both('white_tophat image.npy --footprint mask.npy')
both('fill_holes image.npy --full')
both('morph_reconstruct other.npy image.npy')
both('watershed image.npy --markers markers.npy --line')
both('uniform_filter image.npy --window 5,5 --border mirror')
both('sobel image.npy')
both('estimate_noise image.npy')
both('bilateral image.npy --sigma-value 1 --sigma-space 1')
both('nl_means image.npy --strength 1 --search 2')
both('anisotropic_diffusion image.npy --kappa 1 --iterations 3')
both('richardson_lucy image.npy mask.npy --iterations 3')
both('wiener_deconvolve image.npy mask.npy --balance 0.1')
both('centre_of_mass weights.npy')

# ---- Operators, and batches that are counted ----
a = both(f'filter_spectrum spectrum.npy {S} --op @filter.op --parameters p.npy')
fh, fw = np.fft.fftfreq(H)[:, None], np.fft.rfftfreq(W)
check(a is not None and np.allclose(a, spectrum * (1 - 0.5 * fw - fh * fh), atol=1e-4), 'an operator from a file')
both(f'phase_randomize spectrum.npy {S} --frequency 0.1 --seed 5')
both(f'phase_randomize spectrum.npy {S} --frequency 0.1 --seed 5 --first-batch 7')

# ---- With these, a batch depends on others: all are needed at once ----
both('average_power image.npy --patch 16,16 --together', cut=False)
both(f'dose_weight spectrum.npy doses.npy {S} --pixel-size 1.5 --normalize', cut=False)
both(f'filter_spectrum spectrum.npy {S} --op @filter.op --parameters p.npy --batched', mem='2M', cut=False)

# ---- Structs ----
named = both(f'ctf_apply spectrum.npy {S} {CTF}')
in_order = both(f'ctf_apply spectrum.npy {S} --ctf 1.2,0,1.1,0.1,0.3,300,0.1,2.7')
check(named is not None and np.array_equal(named, in_order), 'fields by name or in order')
apix = both(f'ctf_apply spectrum.npy {S} --apix 1.2 --ctf defocus=1.1,astigmatism=0.1,angle=0.3,amplitude=0.1,cs=2.7')
check(apix is not None and np.array_equal(named, apix), 'the pixel size of the file')
for text, message in (('1 2\n3\n', '0 words and 1 lines of another length'), ('1 2\n3 x\n', '1 words and 0 lines'),
                      ('# none\n', 'no rows of numbers'), ('1 2 3 4\n', 'shifts has shape {1,1,1,4}')):
    with open('bad.txt', 'w') as file:
        file.write(text)
    fails(tessera('phase_shift_image', 'image.npy', 'bad.txt', '-o', 'n.npy'), 2 if 'shape' in message else 3, message)
fails(tessera('phase_shift_image', 'image.npy', 'none.txt', '-o', 'n.npy'), 3, 'none.txt')
words = ('ctf_apply', 'spectrum.npy', '--shape', f'{H},{W}', '-o', 'n.npy')
fails(tessera(*words, '--ctf', 'defocuss=1'), 2, '--ctf has "defocuss"', 'pixel_size, pixel_size_w, defocus')
fails(tessera(*words, '--ctf', 'defocus=x'), 2, '--ctf has "x" as defocus; a number is needed')
fails(tessera(*words, '--ctf', 'voltage=-3'), 2, '--ctf has -3 as voltage; a number above 0 is allowed')
fails(tessera(*words, '--ctf', 'amplitude=3'), 2, '--ctf has 3 as amplitude; 0 to 1 is allowed')
fails(tessera(*words, '--ctf', ','.join(['1'] * 18)), 2, 'more numbers than it has fields', 'trefoil_angle')
fails(tessera(*words, '--ctf', 'defocus=1'), 2, 'ctf_apply: --ctf pixel_size[0] is 0')
fails(tessera(*words), 2, 'ctf_apply: --ctf is not given; it is required')
fails(tessera(*words, '--parameters', 'shifts.npy'), 2, '--parameters has shape {24,1,1,2}')
help_text = tessera('help', 'ctf_apply').out
check('Fields of --ctf' in help_text and 'voltage, acceleration voltage, in kilovolt [300]' in ' '.join(help_text.split()), 'fields in help')

# ---- Frequencies as resolutions ----
one = both(f'lowpass spectrum.npy {S} --cutoff 0.175 --width 0.05')
for cutoff in ('8A', '0.8nm', '0.175/px'):
    again = both(f'lowpass spectrum.npy {S} --cutoff {cutoff} --width 0.05/px --apix 1.4')
    check(again is not None and np.allclose(one, again, rtol=1e-6), f'--cutoff {cutoff}')
words = ('lowpass', 'spectrum.npy', '--shape', f'{H},{W}', '-o', 'n.npy', '--cutoff')
fails(tessera(*words, '8A'), 2, '--cutoff is in', '--apix')
fails(tessera(*words, '8kg'), 2, '--cutoff is "8kg"')
fails(tessera(*words, '3sh'), 2, '--cutoff is "3sh"; cycles per pixel or a resolution')
fails(tessera(*words, '-1'), 2, 'lowpass: --cutoff is -1')

# ---- Inputs that may be left out, operators, printed numbers ----
fails(tessera('filter_spectrum', 'spectrum.npy', '--shape', f'{H},{W}', '-o', 'n.npy', '--op', '@none.op'), 3, '--op', 'none.op')
fails(tessera('filter_spectrum', 'spectrum.npy', '--shape', f'{H},{W}', '-o', 'n.npy', '--op', 'op f('), 2, 'op')
fails(tessera('dose_weight', 'spectrum.npy', 'doses.npy', '--shape', f'{H},{W}', '-o', 'n.npy'), 2, '--pixel-size is needed')
line = tessera('linspace', '--shape', '1,1,1,5', '--start', 0, '--stop', 2, '-o', 'line.npy', '--step', '--tsv')
check(line.code == 0 and line.out.split() == ['step', '0.5'], 'a number among the options', line)
weights = np.array([1, 2, 1], np.float32) / 4
np.save('short.npy', weights)
got = both('convolve_separable image.npy --filter-w short.npy --border periodic')
want = sum(np.roll(image, k - 1, -1) * weights[k] for k in range(3))
check(got is not None and np.allclose(got, want, atol=1e-6), 'one filter of three')
finish()
