"""A structure of Gaussians, its projections as particles with CTF and shifts, and STAR files of them: for tests."""
import shutil
import subprocess

import numpy as np

from images import write

SIGMA = 1.0
VOLTAGE, CS, AMPLITUDE, APIX = 300.0, 2.7, 0.1, 1.5
RELION = shutil.which('relion_project') and shutil.which('relion_reconstruct')


def structure(n=60, radius=10, seed=1):
    """Centres x, y, z from the middle, in half a ball with an arm: nothing of it is symmetric."""
    rng = np.random.default_rng(seed)
    p = rng.normal(size=(n, 3))
    p *= radius * rng.uniform(0, 1, (n, 1)) ** (1 / 3) / np.linalg.norm(p, axis=1, keepdims=True)
    p[:, 2] = np.abs(p[:, 2])
    p[::5, :2] = 0.3 * p[::5, :2] + [-4, 3]
    return p


def bells(at, size, sigma=SIGMA):
    """exp of each centre along an axis: {centres, size}."""
    return np.exp(-(np.arange(size)[None] - size // 2 - at[:, None]) ** 2 / (2 * sigma ** 2))


def volume(atoms, size, sigma=SIGMA):
    x, y, z = (bells(atoms[:, k], size, sigma) for k in range(3))
    return np.einsum('az,ay,ax->zyx', z, y, x)


def matrix(rot, tilt, psi):
    """RELION's matrix, from coordinates x, y, z of the map to those of the image, as cli.md writes it."""
    a, b, c = np.radians([rot, tilt, psi])
    z = lambda t: np.array([[np.cos(t), np.sin(t), 0], [-np.sin(t), np.cos(t), 0], [0, 0, 1]])
    y = lambda t: np.array([[np.cos(t), 0, -np.sin(t)], [0, 1, 0], [np.sin(t), 0, np.cos(t)]])
    return z(c) @ y(b) @ z(a)


def projections(atoms, size, angles, origins, sigma=SIGMA):
    """Sums along z of the turned structure, at minus the origin (pixels) of each."""
    out = []
    for angle, origin in zip(angles, origins):
        p = atoms @ matrix(*angle).T
        out.append(np.einsum('ay,ax->yx', bells(p[:, 1] - origin[1], size, sigma), bells(p[:, 0] - origin[0], size, sigma))
                   * sigma * np.sqrt(2 * np.pi))
    return np.array(out)


def random_angles(n, rng):
    return np.stack([rng.uniform(-180, 180, n), np.degrees(np.arccos(rng.uniform(-1, 1, n))), rng.uniform(-180, 180, n)], 1)


def ctf(size, u, v, angle, apix=APIX):
    """Of all coefficients of a half spectrum; RELION's formula, defoci in A."""
    volts = VOLTAGE * 1e3
    wavelength = 12.2642598 / np.sqrt(volts * (1 + volts * 0.978475598e-6))
    y, x = np.meshgrid(np.fft.fftfreq(size) / apix, np.fft.rfftfreq(size) / apix, indexing='ij')
    r2, phi = x * x + y * y, np.arctan2(y, x)
    defocus = (u + v) / 2 + (u - v) / 2 * np.cos(2 * (phi - np.radians(angle)))
    phase = -np.pi * wavelength * defocus * r2 + np.pi / 2 * CS * 1e7 * wavelength ** 3 * r2 ** 2
    return -np.sin(phase - np.arctan(AMPLITUDE / np.sqrt(1 - AMPLITUDE ** 2)))


def beam_tilt(size, x, y, apix=APIX):
    """What a beam tilt in mrad does to the coefficients of a half spectrum, as RELION has it."""
    volts = VOLTAGE * 1e3
    wavelength = 12.2642598 / np.sqrt(volts * (1 + volts * 0.978475598e-6))
    fy, fx = np.meshgrid(np.fft.fftfreq(size) / apix, np.fft.rfftfreq(size) / apix, indexing='ij')
    return np.exp(-2j * np.pi * CS * 1e7 * wavelength ** 2 * (fx ** 2 + fy ** 2) * 1e-3 * (fx * x + fy * y))


def without_nyquist(images):
    """Coefficients of images of an even size whose sign does not matter."""
    f = np.fft.rfft2(images)
    return np.delete(f[..., :-1], images.shape[-2] // 2, -2)


def apply(images, ctfs):
    return np.fft.irfft2(np.fft.rfft2(images) * ctfs, images.shape[-2:])


def star(name, stack, columns, optics=True, size=32):
    """A table of particles of RELION 3.1; columns by their names without rln."""
    n = len(next(iter(columns.values())))
    with open(name, 'w') as file:
        if optics:
            file.write('\n# version 30001\n\ndata_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnOpticsGroupName #2\n'
                       '_rlnImagePixelSize #3\n_rlnImageSize #4\n_rlnImageDimensionality #5\n_rlnVoltage #6\n'
                       f'_rlnSphericalAberration #7\n_rlnAmplitudeContrast #8\n1 one {APIX} {size} 2 {VOLTAGE} {CS} '
                       f'{AMPLITUDE}\n\n')
        file.write('\n# version 30001\n\ndata_particles\n\nloop_\n_rlnImageName #1\n_rlnOpticsGroup #2\n')
        file.writelines(f'_rln{label} #{i + 3}\n' for i, label in enumerate(columns))
        for i in range(n):
            file.write(f'{i + 1:06d}@{stack} 1 ' + ' '.join(repr(float(c[i])) if np.asarray(c).dtype.kind == 'f'
                                                           else str(c[i]) for c in columns.values()) + '\n')


def columns_of(angles, origins, defoci=None, apix=APIX):
    out = dict(zip(('AngleRot', 'AngleTilt', 'AnglePsi'), angles.T))
    out.update(OriginXAngst=origins[:, 0] * apix, OriginYAngst=origins[:, 1] * apix)
    if defoci is not None:
        out.update(DefocusU=defoci[:, 0], DefocusV=defoci[:, 1], DefocusAngle=defoci[:, 2])
    return out


def particles(name, atoms, size, n, seed=0, noise=0.0, with_ctf=True, sigma=SIGMA, shift=2.0):
    """Write name.mrcs and name.star; returns angles, origins, defoci and images."""
    rng = np.random.default_rng(seed)
    angles, origins = random_angles(n, rng), rng.uniform(-shift, shift, (n, 2))
    u = rng.uniform(6000, 16000, n)
    defoci = np.stack([u, u - rng.uniform(0, 600, n), rng.uniform(0, 180, n)], 1)
    images = projections(atoms, size, angles, origins, sigma)
    if with_ctf:
        images = np.stack([apply(image, ctf(size, *d)) for image, d in zip(images, defoci)])
    images = images + noise * images.std() * rng.normal(size=images.shape)
    write(name + '.mrcs', images.astype('f4'), APIX, stack=True)
    star(name + '.star', name + '.mrcs', columns_of(angles, origins, defoci if with_ctf else None), size=size)
    return angles, origins, defoci, images


def fsc(a, b):
    """In shells of round(|k|), up to Nyquist."""
    n = a.shape[0]
    k = np.fft.fftfreq(n) * n
    shell = np.rint(np.sqrt(k[:, None, None] ** 2 + k[None, :, None] ** 2 + k ** 2)).astype(int).ravel()
    sums = lambda x: np.bincount(shell, x.ravel())[:n // 2 + 1]
    x, y = np.fft.fftn(a), np.fft.fftn(b)
    return sums((x * y.conj()).real) / np.sqrt(sums(np.abs(x) ** 2) * sums(np.abs(y) ** 2))


def rows(name):
    """The particles of a STAR file as a dictionary of columns of text, without rln."""
    labels, out, inside = [], [], False
    for line in open(name):
        words = line.split()
        if line.startswith('data_'):
            inside = line.strip() == 'data_particles'
        elif inside and line.startswith('_rln'):
            labels.append(words[0][4:])
        elif inside and len(words) == len(labels) and labels:
            out.append(words)
    return dict(zip(labels, zip(*out)))


def angles_of(name):
    table = rows(name)
    return np.stack([np.array(table[k], float) for k in ('AngleRot', 'AngleTilt', 'AnglePsi')], 1)


def relion(command, *arguments):
    """Run a program of RELION; True if it went well."""
    return subprocess.run([command, *map(str, arguments)], capture_output=True).returncode == 0
