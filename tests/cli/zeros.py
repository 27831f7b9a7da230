"""A 0 on the command line is 0: every numeric option of the operations of one input whose default is another value.

Whether an option matters for the input is found without 0: by a number very near to it. Where that does not give what
leaving it out gives, neither may 0.
"""
import json
import os

import numpy as np

from command import check, fails, finish, tessera

SMALL = '1e-9'
np.save('image.npy', np.random.default_rng(3).uniform(0.1, 0.9, (2, 1, 12, 10)))
spectrum = np.fft.rfft2(np.load('image.npy')).astype(np.complex64)
np.save('spectrum.npy', spectrum)


def run(*words):
    """The bytes of the output, or the message of the error."""
    if os.path.exists('out.npy'):
        os.remove('out.npy')
    result = tessera(*words, '-o', 'out.npy')
    if result.code:
        return result.err
    return np.load('out.npy').tobytes() if os.path.exists('out.npy') else result.out


def inputs_of(op):
    """Arguments with which it can be called, or None."""
    roles = [(a['role'], a['type']) for a in op['args'] if a['role'] != 'option']
    if roles == [('out', 'array'), ('in', 'array')]:
        return ['image.npy']
    if roles == [('out', 'array'), ('in', 'array'), ('required', 'shape')]:
        return ['spectrum.npy', '--shape', '2,1,12,10']
    return None


tried = told = 0
operations = json.loads(tessera('ops', '--json').out)
for op in operations:
    arguments = inputs_of(op)
    if arguments is None or isinstance(run(op['name'], *arguments), str):
        continue
    for row in op['args']:
        if row['role'] != 'option' or row['type'] not in ('number', 'integer') or row.get('default', None) == 0:
            continue
        option = '--' + row['name'].replace('_', '-')
        words = [op['name'], *arguments]
        zero = run(*words, option, '0')
        tried += 1
        if row.get('min', 0) > 0:
            check(isinstance(zero, str) and f'{option} is 0' in zero, f'{" ".join(words)} {option} 0', zero)
        elif row['type'] == 'number':
            default = run(*words)
            if run(*words, option, SMALL) != default:
                told += 1
                check(zero != default, f'{" ".join(words)} {option} 0', 'as if it were left out')
check(tried > 15 and told > 3, f'{tried} options were tried, {told} of them with effect')

image = np.load('image.npy')
tessera('taper', '--fraction', '0', 'image.npy', '-o', 'same.npy')
check(np.array_equal(np.load('same.npy'), image), 'taper --fraction 0 changes nothing')
tessera('gaussian_filter', '--sigma-d', '0', '--sigma-h', '2', '--sigma-w', '2', '--truncate', '0', 'image.npy', '-o', 'g.npy')
check(np.array_equal(np.load('g.npy'), image), 'gaussian_filter --truncate 0 changes nothing')
fails(tessera('cartesian_to_polar', '--height', '0', 'image.npy', '-o', 'p.npy'), 2, '--height is 0; 1 to 2147483647')
finish()
