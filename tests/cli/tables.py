"""tessera star: tables filtered, computed, joined, sorted, split, drawn and converted, against NumPy and plain Python."""
import csv
import json
import os
import xml.etree.ElementTree as ET

import numpy as np
from command import check, fails, finish, tessera

random = np.random.default_rng(28)
N = 200
u = random.uniform(5000, 30000, N).round(3)
v = (u + random.normal(0, 300, N)).round(3)
mic = [f'MotionCorr/mic{k}.mrc' for k in random.integers(0, 5, N)]
group = random.integers(1, 3, N)


def particles(name, optics='1 one 300 1.35\n2 two 200 1.06\n', extra=''):
    with open(name, 'w') as file:
        file.write('\n# version 30001\n\ndata_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnOpticsGroupName #2\n_rlnVoltage #3\n'
                   '_rlnImagePixelSize #4\n' + optics)
        file.write('\n# version 30001\n\ndata_particles\n\nloop_\n_rlnImageName #1\n_rlnDefocusU #2\n_rlnDefocusV #3\n'
                   '_rlnMicrographName #4\n_rlnOpticsGroup #5\n')
        for i in range(N):
            file.write(f'{i + 1:06d}@s.mrcs {u[i]:.3f} {v[i]:.3f} {mic[i]} {group[i]}\n' + (extra if i == 7 else ''))
    return name


def read(name, table='particles'):
    """Labels and rows of a table, by a reader of its own."""
    labels, rows, inside = [], [], False
    for line in open(name):
        word = line.split('#')[0].split()
        if word and word[0].startswith('data_'):
            inside = word[0] == 'data_' + table
        elif inside and word and word[0].startswith('_'):
            labels.append(word[0][1:])
        elif inside and word and word[0] != 'loop_':
            rows.append(word)
    return labels, rows


def column(name, label, table='particles'):
    labels, rows = read(name, table)
    return [row[labels.index(label)] for row in rows]


particles('p.star', extra='# after the eighth\n')

# Filters and computed columns.
result = tessera('star', 'p.star', '--where', 'rlnDefocusU > 10000 && rlnDefocusV < 20000', '-o', 'w.star')
chosen = (u > 10000) & (v < 20000)
check(result.code == 0 and column('w.star', 'rlnDefocusU') == [f'{x:.3f}' for x in u[chosen]], 'a range', result)
check(read('w.star', 'optics') == read('p.star', 'optics'), 'optics go with them')
check(open('w.star').read().count('# version 30001') == 2, 'comments stay')
result = tessera('star', 'p.star', '-o', 'same.star')
check(read('same.star') == read('p.star') and '# after the eighth\n000009' in open('same.star').read(), 'all as it was', result)
result = tessera('star', 'p.star', '--set', 'mean=(rlnDefocusU + rlnDefocusV)/2', '--set', 'z=(mean - mean(mean))/std(mean)',
                 '-o', 'c.star')
mean = (u + v) / 2
check(result.code == 0 and np.array_equal(np.array(column('c.star', 'mean'), float), mean), 'a computed column', result)
check(np.allclose(np.array(column('c.star', 'z'), float), (mean - mean.mean()) / mean.std(), rtol=1e-12), 'over all rows')
check(read('c.star')[0][:5] == read('p.star')[0], 'columns keep their order')
result = tessera('star', 'p.star', '--where', 'rlnMicrographName == "*mic1.mrc" || row < 2', '-o', 't.star')
want = [i for i in range(N) if mic[i].endswith('mic1.mrc') or i < 2]
check(result.code == 0 and column('t.star', 'rlnImageName') == [f'{i + 1:06d}@s.mrcs' for i in want], 'texts', result)
result = tessera('star', 'p.star', '--where', 'rlnMicrographName != "*mic?.mrc"', '-o', 'none.star')
check(result.code == 0 and read('none.star')[1] == [], 'no rows are left', result)
one = tessera('star', 'p.star', '-j', 1, '--set', 'x=sin(rlnDefocusU)', '--tsv')
two = tessera('star', 'p.star', '-j', 2, '--mem', '64M', '--set', 'x=sin(rlnDefocusU)', '--tsv')
check(one.code == 0 and one.out == two.out, 'the same for any threads', one)

# Order.
result = tessera('star', 'p.star', '--sort', 'rlnMicrographName,rlnDefocusU:down', '-o', 's.star')
want = sorted(range(N), key=lambda i: (mic[i], -u[i]))
check(result.code == 0 and column('s.star', 'rlnImageName') == [f'{i + 1:06d}@s.mrcs' for i in want], 'sorted', result)
result = tessera('star', 'p.star', '--sort', 'rlnDefocusU:down', '--rows', '0-2', '--columns', 'rlnDefocusU,rlnImageName', '--tsv')
want = sorted(range(N), key=lambda i: -u[i])[:3]
check(result.out == 'rlnDefocusU\trlnImageName\n' + ''.join(f'{u[i]:.3f}\t{i + 1:06d}@s.mrcs\n' for i in want), 'best', result)

# Join.
with open('m.csv', 'w') as file:
    file.write('rlnMicrographName,rlnCtfMaxResolution,note\n')
    file.writelines(f'MotionCorr/mic{k}.mrc,{3 + k / 10},"a, ""b"" {k}"\n' for k in range(4))
result = tessera('star', 'p.star', '--join', 'm.csv', '--by', 'rlnMicrographName', '--drop', 'note', '-o', 'j.star')
have = [i for i in range(N) if int(mic[i][14]) < 4]
check(result.code == 0 and f'{N - len(have)} of {N} rows have no match' in result.err, 'rows without a partner', result)
check(column('j.star', 'rlnCtfMaxResolution') == [str(3 + int(mic[i][14]) / 10) for i in have], 'joined', result)

# Other forms, and back.
result = tessera('star', 'p.star', '-o', 'p.csv')
check(result.code == 0 and list(csv.reader(open('p.csv'))) == [read('p.star')[0], *read('p.star')[1]], 'CSV', result)
check(tessera('star', 'p.csv', '--table', 'particles', '-o', 'b.star').code == 0 and read('b.star') == read('p.star'), 'back')
result = tessera('star', 'p.star', '--json')
rows = json.loads(result.out)
check([r['rlnDefocusU'] for r in rows] == list(u) and rows[0]['rlnMicrographName'] == mic[0], 'JSON', result)
result = tessera('star', 'p.star', '--list', '--json')
check([r['column'] for r in json.loads(result.out)][4:] == read('p.star')[0], 'columns', result)

# Several files, one for each value.
particles('q.star', optics='1 two 200 1.06\n2 three 300 0.8\n')
result = tessera('star', 'p.star', 'q.star', '-o', 'both.star')
check(result.code == 0 and [r[:2] for r in read('both.star', 'optics')[1]] == [['1', 'one'], ['2', 'two'], ['3', 'three']],
      'optics groups of both', result)
check(column('both.star', 'rlnOpticsGroup') == [str(g) for g in group] + [str(g + 1) for g in group], 'new numbers')
result = tessera('star', 'p.star', '--split', 'rlnOpticsGroup', '-o', 'g_{value}.star')
check(result.code == 0 and [column(f'g_{g}.star', 'rlnDefocusV') for g in (1, 2)] ==
      [[f'{x:.3f}' for x in v[group == g]] for g in (1, 2)], 'split', result)
check(read('g_1.star', 'optics') == read('p.star', 'optics'), 'each with its optics')
fails(tessera('star', 'p.star', '--split', 'rlnOpticsGroup', '-o', 'g_{value}.star'), 2, 'g_1.star', '-f')
with open('two.csv', 'w') as file:
    file.write('a,b\nx/1,1\nx0,2\nx_1,3\n')
fails(tessera('star', 'two.csv', '--split', 'a', '-o', 'two.star', '-f'), 2, 'two values of --split give the same file, two_x_1.star')
check(not os.path.exists('two_x_1.star'), 'and nothing was written')

# Plots.
result = tessera('star', 'p.star', '--histogram', 'rlnDefocusU', '--bins', 10, '-o', 'h.svg')
check(result.code == 0 and 'rlnDefocusU' in [t.text for t in ET.parse('h.svg').getroot().iter('{http://www.w3.org/2000/svg}text')],
      'a histogram', result)
result = tessera('star', 'p.star', '--x', 'rlnDefocusU', '--y', 'rlnDefocusV', '-o', 'xy.png')
check(result.code == 0 and open('xy.png', 'rb').read(4) == b'\x89PNG', 'points', result)

# What is wrong.
fails(tessera('star', 'p.star', '--where', 'rlnDefocusX > 3'), 2, "'rlnDefocusX' is not a column of data_particles", 'did you mean')
fails(tessera('star', 'p.star', '--where', 'rlnDefocusU > > 3'), 2, '^')
fails(tessera('star', 'p.star', '--where', 'rlnDefocusU > "a'), 2, 'unclosed quote')
fails(tessera('star', 'p.star', '--where', 'rlnDefocusU > "a"'), 2, 'COLUMN == "TEXT"')
fails(tessera('star', 'p.star', '--where', 'rlnImageName > 3'), 3, 'p.star: line', '_rlnImageName', 'expected a number')
fails(tessera('star', 'p.star', '--set', 'rlnDefocusU'), 2, 'NAME=EXPRESSION')
fails(tessera('star', 'p.star', '--sort', 'nothing'), 3, 'no column _nothing')
fails(tessera('star', 'p.star', '--columns', 'nothing'), 3, 'no column _nothing')
fails(tessera('star', 'p.star', '--rename', 'a'), 2, 'OLD=NEW')
fails(tessera('star', 'p.star', '--join', 'm.csv'), 2, '--by')
fails(tessera('star', 'p.star', '--join', 'm.csv', '--by', 'rlnDefocusU'), 3, 'm.csv has no column rlnDefocusU')
fails(tessera('star', 'p.star', '--table', 'movies'), 2, '--table is movies', 'optics, particles')
fails(tessera('star', 'p.star', '--split', 'rlnOpticsGroup'), 2, '-o')
fails(tessera('star', 'p.star', '--histogram', 'rlnDefocusU', '--bins', 0, '-o', 'x.svg'), 2, '--bins is 0')
fails(tessera('star', 'p.star', '-o', 'x.mrc'), 2, '.star, .cs, .tsv, .csv or .json')
fails(tessera('star', 'p.star', '-o', 'w.star'), 2, 'w.star', '-f')
fails(tessera('star', 'none.tsv'), 3, 'none.tsv')
# An mdoc file: the keys for all as pairs, and a row for each section.
open('series.mdoc', 'w').write('PixelSpacing = 1.7\nImageFile = x y.st\n\n[T = SerialEM: by]\n\n[T = Tilt axis = 85]\n\n'
                               '[ZValue = 0]\nTiltAngle = -3\nStagePosition = 1 -2\n\n'
                               '[ZValue = 1]\nTiltAngle = 3\nExposureDose = 2.5\n')
found = json.loads(tessera('star', 'series.mdoc', '--json').out)
check([(row['ZValue'], row['TiltAngle'], row['StagePosition'], row['ExposureDose']) for row in found] ==
      [(0, -3, '1 -2', '?'), (1, 3, '?', 2.5)], 'the sections of an mdoc', found)
listed = tessera('star', 'series.mdoc', '--list', '--tsv').out
check('PixelSpacing\t1.7' in listed and 'ImageFile\tx y.st' in listed and 'T\tSerialEM: by' in listed and
      'T_2\tTilt axis = 85' in listed, 'its keys for all', listed)
result = tessera('star', 'series.mdoc', '-o', 'series.star')
check(result.code == 0 and tessera('star', 'series.star', '--json').out == tessera('star', 'series.mdoc', '--json').out,
      'an mdoc as a STAR file', result)
fails(tessera('star', 'none.mdoc'), 3, 'none.mdoc')
check(not os.path.exists('x.svg') and not os.path.exists('x.mrc'), 'nothing is left of what failed')
finish()
