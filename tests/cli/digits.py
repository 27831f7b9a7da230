"""Significant digits of tables for people; all digits for programs."""
import json
import re

import numpy as np

from command import check, fails, finish, tessera
from images import write

rng = np.random.default_rng(2)
data = {name: write(name, rng.normal(3, 1, (8, 8)).astype('f4')) for name in ('a.mrc', 'b.mrc')}


def numbers(*words):
    """The longest row of digits in each number with a point."""
    out = tessera(*words).out
    return [len(re.sub(r'^-?0*\.?0*|\.|e.*', '', n)) for n in re.findall(r'-?\d+\.\d+(?:e-?\d+)?', out)]


mean = data['a.mrc'].astype('f8').mean()
for words in (['stats', 'a.mrc'], ['radial', 'a.mrc', '--apix', 1.1], ['corr', 'a.mrc', 'b.mrc'],
              ['ctf', 'sim', '--apix', 1.4, '--defocus', '1.5um'], ['mean', '--axes', 'w', 'a.mrc']):
    check(max(numbers(*words)) == 6, f'{words}: 6 digits', numbers(*words))
    check(max(numbers(*words, '--tsv')) > 6 and max(numbers(*words, '--json')) > 6, f'{words}: all digits with --tsv')
    check(max(numbers(*words, '--digits', 3)) == 3 and max(numbers(*words, '--digits', 17)) > 6, f'{words}: --digits')
check(f'{mean:.6g}' in tessera('stats', 'a.mrc').out.split(), 'rounded', tessera('stats', 'a.mrc'))
check(float(tessera('stats', 'a.mrc', '--field', 'mean').out) == mean, '--field has all digits')
check(json.loads(tessera('stats', 'a.mrc', '--json').out)[0]['mean'] == mean, '--json has all digits')
np.save('large.npy', np.array([[1234567.0, 1234567.0, 2.5e-9]]))
check(tessera('stats', 'large.npy').out.split('\n')[1].split()[1:3] == ['2.5e-9', '1234567'], 'whole numbers keep all digits',
      tessera('stats', 'large.npy'))
fails(tessera('stats', 'a.mrc', '--digits', 0), 2, '--digits is 0; 1 to 17')
fails(tessera('stats', 'a.mrc', '--digits', 18), 2, '--digits is 18')
for other in (['--json'], ['--tsv'], ['--field', 'mean']):
    fails(tessera('stats', 'a.mrc', '--digits', 5, *other), 2, '--digits', 'all digits')

check(max(numbers('mean', 'a.mrc')) > 6 and max(numbers('mean', 'a.mrc', '--digits', 4)) == 4, 'one bare number')
finish()
