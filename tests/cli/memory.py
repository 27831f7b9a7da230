"""Jobs that go slab by slab keep to a --mem that is smaller than the file; others say what they need."""
import numpy as np

from command import check, fails, finish, tessera
from images import read, write

random = np.random.default_rng(4)
volume = write('v.mrc', random.normal(size=(120, 200, 200)).astype('f4'), 1.5)  # 18.3 MiB
jobs = (('reduce',), ('reduce', '--over', 'h'), ('reduce', '--over', 'w', '--method', 'sd'),
        ('convert', '--scale', 'full', '--mode', '0'), ('convert', '--scale', 'sigma=3', '--mode', '0u'),
        ('convert', '--dtype', 'i16'), ('convert', '--dtype', 'f16'))
for words in jobs:
    whole = tessera(*words, 'v.mrc', '-f', '-q', '-o', 'whole.mrc')
    check(whole.code == 0, 'it runs', whole)
    for mem in ('4M', '8M', '12M', '16M', '20M', '32M', '48M'):
        result = tessera(*words, 'v.mrc', '-f', '-q', '--mem', mem, '-o', 'part.mrc')
        if check(result.code == 0, f'{mem} are enough', result):
            check(np.array_equal(read('whole.mrc'), read('part.mrc')), f'the same with {mem}', result)
for expression in ('median(a)', 'median(a*2)', 'mean(a*a)', 'std(a)'):
    want = tessera('calc', expression, 'a=v.mrc').out
    for mem in ('4M', '8M', '16M', '20M'):
        result = tessera('calc', expression, 'a=v.mrc', '--mem', mem)
        check(result.code == 0 and result.out == want, f'{expression} with {mem}', result)

# ---- One image that is too large ----
write('big.mrcs', np.zeros((2, 1500, 1500), 'f4'), 1, stack=True)
for words in (('calc', 'median(a)', 'a=big.mrcs'), ('calc', 'a*2', 'a=big.mrcs', '-o', 'n.mrcs'),
              ('reduce', 'big.mrcs', '-o', 'n.mrc'), ('convert', 'big.mrcs', '--dtype', 'i16', '-o', 'n.mrcs')):
    result = tessera(*words, '--mem', '4M')
    fails(result, 4, '--mem')
    check('tess_set' not in result.err, 'no name of the library', result)
finish()
