"""EER movies against a writer and a renderer in NumPy: codes, groups, up-sampling, parts, strides, bad frames."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import eer_writer as eer  # noqa: E402
import file_tests  # noqa: E402


class Tests(file_tests.Tests):
    name = 'x.eer'

    def frames(self, n, height, width, share=0.1, bits=2):
        return [eer.random_events(self.random, height, width, share, bits) for _ in range(n)]

    def movie(self, events, height, width, run_bits=7, bits=2, **options):
        self.put(eer.make_eer([eer.encode(e, height, width, run_bits, bits) for e in events], height, width, **options))

    def wanted(self, events, height, width, upsampling=1, group=1, bits=2):
        groups = [events[i:i + group] for i in range(0, len(events) - group + 1, group)]
        images = [eer.rendered(g, height, width, upsampling, bits) for g in groups]
        return np.stack(images)[:, None].astype(np.uint8 if group <= 255 else np.uint16)

    # ---- What is read ----

    def reads_codes(self):
        """Every compression, position, container, byte order; full, empty and sparse frames."""
        kinds = [(65000, 8, 2, None), (65001, 7, 2, None), (65002, 7, 2, {65007: 7, 65008: 2, 65009: 2}),
                 (65002, 5, 1, {65007: 5, 65008: 1}), (65002, 12, 4, {65007: 12, 65008: 4}),
                 (65002, 2, 0, {65007: 2, 65008: 0})]
        for compression, run_bits, bits, bits_tags in kinds:
            for height, width, share in ((16, 16, 0.1), (1, 1, 1), (7, 1000, 0.001), (33, 5, 1), (40, 30, 0), (9, 11, .5)):
                events = self.frames(3, height, width, share, bits)
                for upsampling in (1, 2, 4):
                    if upsampling > 2**bits:
                        continue
                    self.movie(events, height, width, run_bits, bits, compression=compression, bits_tags=bits_tags,
                               big=self.random.random() < .5, order=self.random.choice(['<', '>']),
                               strips=int(self.random.integers(1, 3)))
                    self.same(self.io.read(self.path, eer_upsampling=upsampling),
                              self.wanted(events, height, width, upsampling, bits=bits), compression, bits, height, width,
                              share, upsampling)

    def reads_groups(self):
        height, width = 24, 20
        events = self.frames(23, height, width, 0.3)
        self.movie(events, height, width)
        for threads in (1, 2, 5):
            self.lib.tess_threads_set(threads)
            for group in (1, 2, 5, 12, 23):
                for upsampling in (1, 2, 4):
                    options = dict(eer_group=group, eer_upsampling=upsampling)
                    wanted = self.wanted(events, height, width, upsampling, group)
                    self.same(self.io.read(self.path, **options), wanted, 'group', group, upsampling, threads)
                    part = (slice(0, 3), slice(None), slice(3, 30, 2), slice(18, 2, -3))
                    self.same(self.io.part(self.path, part, **options), wanted[part], 'part of', group, upsampling)
                    back = (slice(None, None, -2), slice(None), slice(None), slice(None))
                    self.same(self.io.part(self.path, back, **options), wanted[back], 'backwards', group, upsampling)
                    other = np.full((wanted.shape[3], wanted.shape[0], wanted.shape[2], 2), -1, np.float32)
                    view = other[..., 1].transpose(1, 2, 0)[:, None]
                    self.io.read_into(view, self.path, **options)
                    self.expect(np.array_equal(view, wanted) and (other[..., 0] == -1).all(), 'strides', group)
        self.lib.tess_threads_set(0)
        for as_, depth, shape in ((2, 0, (1, 6)), (3, 3, (2, 3))):
            wanted = self.wanted(events[:22], height, width, 2, 3)[:6].reshape(*shape, 2 * height, 2 * width)
            self.movie(events[:18], height, width)
            self.compare(wanted, 'as', as_, as_=as_, depth=depth, eer_group=3, eer_upsampling=2)
        self.movie(events, height, width)
        info = self.io.info(self.path, eer_group=5, eer_upsampling=2)
        self.expect(info.texts() == ['the last 3 of 23 frames do not fill a group of 5 and are skipped'], info.texts())
        self.expect(np.allclose(info.meta.pixel_size[:], [0, 0.375, 0.3625], rtol=1e-12), info.meta.pixel_size[:])
        self.expect(info.format == 7 and tuple(info.stored) == (20, 24, 23), 'info', tuple(info.stored))

    def counts_beyond_a_byte(self):
        """A pixel that has an electron in each of 300 frames."""
        events = [np.array([[0, 0], [13, 6]])] * 300
        self.movie(events, 4, 3)
        for threads in (1, 3):
            self.lib.tess_threads_set(threads)
            for group in (255, 256, 300):
                self.same(self.io.read(self.path, eer_group=group), self.wanted(events, 4, 3, 1, group), 'many', group)
        self.lib.tess_threads_set(0)

    def leaves_out(self):
        """Frames that are not whole, and images among them."""
        height, width = 30, 40
        events = self.frames(6, height, width, 0.2)
        events[4] = events[4][events[4][:, 0] < 4 * height - 4]  # behind one in the last pixel nothing matters
        codes = [eer.encode(e, height, width) for e in events]
        short, long_ = codes[2][:-6], eer.encode(events[4], height + 1, width)
        self.put(eer.make_eer([codes[0], codes[1], short, codes[3], long_, codes[5]], height, width))
        for threads in (1, 4):
            self.lib.tess_threads_set(threads)
            for group in (1, 2, 6):
                wanted = self.wanted([e if i not in (2, 4) else e[:0] for i, e in enumerate(events)], height, width, 1,
                                     group)
                self.same(self.io.read(self.path, eer_group=group), wanted, 'without two', group)
        self.lib.tess_threads_set(0)
        self.put(eer.make_eer([codes[0], codes[1], b'\0' * 7, codes[3]], height, width, plain_first=True))
        info = self.io.info(self.path)
        self.expect(info.texts() == ['page 0 is an image, not an electron frame, and is skipped',
                                     'frame 3 has 7 bytes, too few for 40 x 30, and is skipped'], info.texts())
        self.same(self.io.read(self.path), self.wanted([events[i] for i in (0, 1, 3)], height, width), 'three are left')

    def salvages(self):
        events = self.frames(4, 10, 10, 0.5)
        self.movie(events, 10, 10)
        whole = open(self.path, 'rb').read()
        self.put(whole[:-40])
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', 'page 3')
        self.same(self.io.read(self.path, salvage=1), self.wanted(events[:3], 10, 10), 'salvaged')

    def refuses(self):
        events = self.frames(3, 16, 12, 0.2)
        codes = [eer.encode(e, 16, 12) for e in events]

        def movie(**tags):
            return eer.make_eer(codes, 16, 12, tags={int(k[1:]): v for k, v in tags.items()})

        for data, options, parts in (
                (movie(), dict(eer_group=4), ('EARG', 'opts->eer_group is 4; the movie has 3 frames')),
                (movie(), dict(eer_group=-1), ('ERANGE', 'eer_group is -1')),
                (movie(), dict(eer_group=65536), ('ERANGE', 'eer_group is 65536')),
                (movie(), dict(eer_upsampling=3), ('EARG', 'opts->eer_upsampling is 3; expected 1, 2 or 4')),
                (movie(), dict(eer_upsampling=8), ('ERANGE', 'eer_upsampling is 8')),
                (movie(), dict(format=4), ('EUNSUPPORTED', 'compression 65001', 'format eer')),
                (movie(), dict(page=1), ('EARG', 'opts->page is 1', 'eer files have no pages')),
                (movie(t256=(4, [13])), {}, ('EUNSUPPORTED', 'frame 2 has 13 x 16', 'have 12 x 16')),
                (movie(t256=(4, [0])), {}, ('EFORMAT', 'frame 2 has 0 x 16')),
                (movie(t257=(4, [70000])), {}, ('EFORMAT', 'frame 2 has 12 x 70000')),
                (movie(t259=(3, [65000])), {}, ('EUNSUPPORTED', 'runs of 8 bits')),
                (movie(t259=(3, [5])), {}, ('EUNSUPPORTED', 'page 2 has compression 5')),
                (movie(t259=(3, [65002]), t65007=(3, [13]), t65008=(3, [2])), {},
                 ('EUNSUPPORTED', 'an EER movie', 'runs of 13 bits', '2 to 12')),
                (movie(t259=(3, [65002]), t65007=(3, [7]), t65008=(3, [2]), t65009=(3, [5])), {},
                 ('EUNSUPPORTED', 'positions of 2 and 5')),
                (movie(t273=(4, [10**6])), {}, ('EFORMAT', 'strip 0 of frame 2', 'from byte 1000000 on')),
                (movie(t279=(4, [10**6])), {}, ('EFORMAT', 'strip 0 of frame 2 has 1000000 bytes')),
                (eer.make_eer([codes[0] * 90] * 3, 16, 12, tags={273: (4, [20]), 279: (4, [len(codes[0]) * 200])}), {},
                 ('EFORMAT', 'the frames up to 2 have more bytes than the file')),
                (movie(t273=None), {}, ('EFORMAT', 'frame 2 has 0 strips with 1 sizes')),
                (eer.make_eer([b'\0', b''], 2000, 2000), {}, ('EFORMAT', 'none of its 2 pages'))):
            self.put(data)
            self.fails(lambda: self.io.read(self.path, **options), *parts)
        self.put(eer.make_eer([eer.encode(e, 16, 12, 7, 1) for e in self.frames(1, 16, 12, .1, 1)], 16, 12, 65002,
                              bits_tags={65007: 7, 65008: 1}))
        self.fails(lambda: self.io.read(self.path, eer_upsampling=4), 'opts->eer_upsampling is 4', '1 / 2 of a pixel')
        self.fails(lambda: self.io.write(self.path, np.zeros((1, 1, 2, 2), np.uint8)), 'eer files cannot be written')

    def knows_by_content(self):
        """Under another name it is the same, and a movie without metadata has no pixel size."""
        events = self.frames(2, 12, 12)
        self.movie(events, 12, 12, metadata=b'')
        other = self.path[:-3] + 'tif'
        os.rename(self.path, other)
        self.same(self.io.read(other), self.wanted(events, 12, 12), 'a .tif')
        self.expect(self.io.info(other).meta.pixel_size[2] == 0, 'unknown')


if __name__ == '__main__':
    sys.exit(file_tests.run(Tests, __doc__, ('reads_codes', 'reads_groups', 'counts_beyond_a_byte', 'leaves_out',
                                             'salvages', 'refuses', 'knows_by_content')))
