"""The list of formats, and those of other programs, by verbs: EER movies with groups and up-sampling, DM3, DM4, SPIDER."""
import json
import os
import struct
import sys

import mrcfile
import numpy as np
from command import check, fails, finish, tessera

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import eer_writer as eer  # noqa: E402
from dm_writer import dm_file, document, image_tags  # noqa: E402
from em_writer import em_file  # noqa: E402
from imagic_writer import imagic_files  # noqa: E402
from ser_writer import ser_file  # noqa: E402
from spider_writer import spider_file  # noqa: E402

random = np.random.default_rng(28)

# ---- The list ----
listed = json.loads(tessera('formats', '--json').out)
guide = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'files.md')
with open(guide, encoding='utf-8') as file:
    rows = [[cell.strip(' `') for cell in line.strip('|\n').split('|')] for line in file if line.startswith('| [')]
for entry in listed:
    row = [r for r in rows if r[1].strip('`') == entry['format']]
    check(len(row) == 1, 'the guide has a row for', entry)
    check(row[0][2].replace('`', '') == ' '.join('.' + e for e in entry['extensions'].split()), 'extensions', row)
    check((row[0][4] == 'yes') == (entry['written'] == 'yes'), 'written', row)
    check(row[0][3] in ('', 'yes') and (row[0][3] == 'yes') == (entry['compressed'] != '-'), 'compressed', row)
    if entry['written'] == 'no':
        name = 'x.' + entry['extensions'].split()[0]
        fails(tessera('gen', 'noise', '--size', '8', '-o', name), 3, f"{entry['format']} files cannot be written; writable formats: mrc, npy")
check(len(listed) == len(rows), 'the guide has no other rows', rows)

# ---- EER ----
height, width = 60, 80
events = [eer.random_events(random, height, width, 0.1) for _ in range(11)]
codes = [eer.encode(e, height, width) for e in events]
with open('movie.eer', 'wb') as file:
    file.write(eer.make_eer(codes, height, width))


def wanted(upsampling, group):
    return np.stack([eer.rendered(events[i:i + group], height, width, upsampling)
                     for i in range(0, len(events) - group + 1, group)])


result = tessera('info', 'movie.eer')
check(result.code == 0 and '11' in result.out and 'eer' in result.out and '0.725' in result.out, 'info', result)
check(tessera('info', '--field', 'shape', '--eer-group', '2', '--eer-upsampling', '4', 'movie.eer').out ==
      '5 1 240 320\n', 'shape of groups')
for upsampling, group in ((1, 1), (2, 3), (4, 5)):
    outputs = []
    for more in (('-j', '1'), ('-j', '2'), ('--mem', '200M')):
        result = tessera('convert', 'movie.eer', '--eer-group', group, '--eer-upsampling', upsampling, '-f', *more, '-o',
                         'counts.mrcs')
        check(result.code == 0, 'convert', result)
        with mrcfile.open('counts.mrcs') as m:
            check(np.array_equal(m.data, wanted(upsampling, group)), f'up-sampled {upsampling}, groups of {group}')
            check(np.isclose(m.voxel_size.x, 0.725 / upsampling), 'pixel size')
        with open('counts.mrcs', 'rb') as file:
            outputs.append(file.read()[1024:])
    check(outputs[0] == outputs[1] == outputs[2], 'the same for threads and memory')
check('the last 2 of 11 frames do not fill a group of 3' in
      tessera('convert', 'movie.eer', '--eer-group', '3', '-f', '-o', 'x.mrcs').err, 'what is left out is said')
gain = random.uniform(0.9, 1.1, (height, width)).astype(np.float32)
np.save('gain.npy', gain)
for sense, factor in (('multiply', gain), ('divide', gain.mean() / gain)):
    result = tessera('reduce', '--method', 'sum', '--gain', 'gain.npy', '--gain-sense', sense, 'movie.eer', '-f', '-o', 'sum.npy')
    check(result.code == 0 and np.allclose(np.load('sum.npy')[0, 0], wanted(1, 11)[0] * factor, rtol=1e-5), 'gain', result)
with open('bad.eer', 'wb') as file:
    file.write(eer.make_eer([codes[0], codes[1][:-20], codes[2]], height, width))
result = tessera('convert', 'bad.eer', '--eer-group', '3', '-f', '-o', 'x.npy')
check(result.code == 0 and result.err.count('frame 1 do not end at its last pixel; it was skipped') == 1, 'bad', result)
check(np.array_equal(np.load('x.npy')[0, 0], eer.rendered([events[0], events[2]], height, width)), 'two of three')
fails(tessera('info', 'movie.eer', '--eer-group', '12'), 2, '--eer-group is 12; the movie has 11 frames')
fails(tessera('info', 'movie.eer', '--eer-group', '0'), 2, '--eer-group is 0; 1 to 65535')
fails(tessera('info', 'movie.eer', '--eer-upsampling', '3'), 2, '--eer-upsampling')
fails(tessera('convert', 'gain.npy', '-o', 'x.eer'), 3, 'eer files cannot be written')

# ---- DM3, DM4 ----
values = random.integers(0, 60000, (3, 20, 30)).astype(np.uint16)
for version in (3, 4):
    name = f'movie.dm{version}'
    with open(name, 'wb') as file:
        file.write(dm_file(document([image_tags(values[0, :4, :4]), image_tags(values, (.1, .1, 1), ('nm', 'nm', ''))]),
                           version))
    check(tessera('info', '--field', 'format,shape,dtype,apix', name).out == 'dm 3 1 20 30 u16 1 1 0\n', 'info',
          tessera('info', '--field', 'format,shape,dtype,apix', name))
    result = tessera('convert', name, '-f', '-o', 'x.mrcs')
    with mrcfile.open('x.mrcs') as m:
        check(np.array_equal(m.data, values[:, ::-1]) and np.isclose(m.voxel_size.x, 1), 'convert', result)
    tessera('convert', name, '--no-flip', '--slices', '1', '-f', '-o', 'x.npy')
    check(np.array_equal(np.load('x.npy')[0, 0], values[1]), 'one image, rows as they lie')
with open('two.dm4', 'wb') as file:
    file.write(dm_file(document([image_tags(values[0].astype(np.int32), DataType=np.uint32(23)), image_tags(values),
                                 image_tags(values[0, :4, :4])])))
check('the file has 2 images; number 0, counted from 0, is read (--page chooses another)' in
      tessera('info', 'two.dm4').out, 'images are counted')
for page, wanted_shape in ((0, '3 1 20 30'), (1, '1 1 4 4')):
    check(tessera('info', '--field', 'shape', '--page', page, 'two.dm4').out == wanted_shape + '\n', 'page')
fails(tessera('info', '--page', '2', 'two.dm4'), 2, '--page is 2; the file has images 0 to 1')
fails(tessera('convert', 'x.npy', '-o', 'x.dm4'), 3, 'dm files cannot be written')

# ---- SPIDER ----
values = random.normal(size=(4, 1, 10, 12)).astype(np.float32)
for order in '<>':
    with open('stack.spi', 'wb') as file:
        file.write(spider_file(values, order, w38=1.25))
    check(tessera('info', '--field', 'format,shape,apix', 'stack.spi').out == 'spider 4 1 10 12 1.25 1.25 1.25\n', 'info')
    result = tessera('convert', 'stack.spi', '-f', '-o', 'x.mrcs')
    with mrcfile.open('x.mrcs') as m:
        check(np.array_equal(m.data, values[:, 0]), 'convert', result)
    result = tessera('convert', '3@stack.spi', '-o', '-')
    check(result.code == 0 and result.bytes[48:52] == struct.pack('<f', 22), 'the same format on standard output', result)
    result = tessera('stats', 'stack.spi', '--field', 'mean')
    check(result.code == 0 and np.isclose(float(result.out), values.mean(), rtol=1e-4), 'stats', result)
result = tessera('convert', '2@movie.dm4', '-o', '-')
check(result.code == 0 and result.bytes[208:212] == b'MAP ', 'what is not written becomes MRC', result)
fails(tessera('info', 'stack.spi', '--as', 'volumes=2'), 2, 'the file has 4 images or volumes of 1 sections each')
for name, data in (('stack.mrcs', values), ('volume.mrc', values.reshape(1, 4, 10, 12)), ('image.mrc', values[:1])):
    with mrcfile.new(name, data.reshape(data.shape[0] * data.shape[1], 10, 12), overwrite=True) as m:
        m.voxel_size = 1.25
        if name == 'stack.mrcs':
            m.set_image_stack()
    result = tessera('convert', name, '-f', '-o', 'x.spi')
    check(result.code == 0 and result.err == '', 'convert', result)
    check(tessera('info', '--field', 'shape,apix', 'x.spi').out.startswith(' '.join(map(str, data.shape)) + ' 1.25'), 'shape')
    tessera('convert', 'x.spi', '-f', '-o', 'x.npy')
    check(np.array_equal(np.load('x.npy').reshape(data.shape), data), 'and back')
fails(tessera('convert', 'image.mrc', '--dtype', 'i16', '-f', '-o', 'x.spi'), 3, '--dtype is i16')
# ---- EM, SER, IMAGIC ----
values = random.normal(size=(4, 10, 12)).astype(np.float32)
heads, images = imagic_files(values[:, None])
for name, data in (('x.em', em_file(values, pixel_size=1250)), ('x.ser', ser_file(list(values), delta=(1.25e-10, 1.25e-10))),
                   ('x.img', images), ('x.hed', heads)):
    with open(name, 'wb') as file:
        file.write(data)
for name, words in (('x.em', 'em 1 4 10 12 f32 1.25 1.25 1.25'), ('x.ser', 'ser 4 1 10 12 f32 1.25 1.25 0'),
                    ('x.hed', 'imagic 4 1 10 12 f32 unknown'), ('x.img', 'imagic 4 1 10 12 f32 unknown')):
    result = tessera('info', '--field', 'format,shape,dtype,apix', name)
    check(result.out == words + '\n', 'info', result)
    result = tessera('convert', name, '-f', '-o', 'x.npy')
    check(result.code == 0 and np.array_equal(np.load('x.npy').reshape(values.shape), values), 'convert', result)
check(tessera('info', '--field', 'shape', '--page', '3', 'x.ser').out == '1 1 10 12\n', 'page')
finish()
