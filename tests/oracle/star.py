"""STAR tables compared with a reader and a writer in Python: python3 star.py libtessera.so [seed]

Random documents, written in every style that is allowed, are read by the library; what it writes is read by a few lines
of Python; numbers are compared with Python's float and int. The last line counts comparisons.
"""
import ctypes
import os
import re
import sys
import tempfile
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import copies
import tess

EFORMAT = -12
WORD = re.compile(r'''"(.*?)"(?=\s|$)|'(.*?)'(?=\s|$)|(#.*)|(\S+)''')


class Opts(ctypes.Structure):
    _fields_ = [('overwrite', c_int32), ('reserved', c_uint32 * 7)]


def words_of(line):
    """The words of a line up to a comment; whether each was in quotes."""
    out = []
    for match in WORD.finditer(line):
        double, single, comment, plain = match.groups()
        if comment is not None:
            break
        out.append(next((text, text is not plain) for text in (double, single, plain) if text is not None))
    return out


def read(text):
    """[(block, pairs, labels, rows)] of a document, line by line."""
    tables, block, loop = [], None, False
    for line in text.split('\n'):
        words = words_of(line)
        if not words:
            continue
        first, quoted = words[0]
        if not quoted and first.startswith('data_') and len(words) == 1:
            block, loop = first[5:], False
            tables.append((block, True, [], []))
        elif not quoted and first == 'loop_':
            loop = True
            if tables[-1][2]:
                tables.append((block, False, [], []))
            else:
                tables[-1] = (block, False, [], [])
        elif not quoted and first.startswith('_') and loop and not tables[-1][3]:
            tables[-1][2].append(first)
        elif not quoted and first.startswith('_'):
            if not tables[-1][1]:
                tables.append((block, True, [], []))
            loop = False
            tables[-1][2].append(first)
            if not tables[-1][3]:
                tables[-1][3].append([])
            tables[-1][3][0].append(words[1][0])
        else:
            tables[-1][3].append([word for word, _ in words])
    return tables


class Tests(copies.Tests):
    def __init__(self, lib, seed, folder):
        super().__init__(lib, seed)
        self.path = os.path.join(folder, 'x.star')
        for name, result, arguments in (
                ('read', c_int, [POINTER(c_void_p), c_char_p]),
                ('write', c_int, [c_char_p, c_void_p, c_void_p]),
                ('free', None, [c_void_p]),
                ('new', c_int, [POINTER(c_void_p)]),
                ('count', c_int64, [c_void_p]),
                ('at', c_void_p, [c_void_p, c_int64]),
                ('add', c_int, [POINTER(c_void_p), c_void_p, c_char_p, c_bool]),
                ('name', c_char_p, [c_void_p]),
                ('is_pairs', c_bool, [c_void_p]),
                ('rows', c_int64, [c_void_p]),
                ('columns', c_int64, [c_void_p]),
                ('label', c_char_p, [c_void_p, c_int64]),
                ('value', c_char_p, [c_void_p, c_int64, c_int64]),
                ('set', c_int, [c_void_p, c_int64, c_char_p, c_char_p]),
                ('set_f64', c_int, [c_void_p, c_int64, c_char_p, c_double]),
                ('get_f64', c_int, [POINTER(c_double), c_void_p, c_int64, c_char_p]),
                ('get_i64', c_int, [POINTER(c_int64), c_void_p, c_int64, c_char_p])):
            function = getattr(lib, 'tess_star_' + name)
            function.restype, function.argtypes = result, arguments

    def tables_of(self, star):
        lib, out = self.lib, []
        for i in range(lib.tess_star_count(star)):
            t = lib.tess_star_at(star, i)
            columns = range(lib.tess_star_columns(t))
            out.append((lib.tess_star_name(t).decode(), lib.tess_star_is_pairs(t),
                        [lib.tess_star_label(t, k).decode() for k in columns],
                        [[lib.tess_star_value(t, r, k).decode() for k in columns] for r in range(lib.tess_star_rows(t))]))
        return out

    # ---- Documents ----

    def random_value(self):
        choice = self.rng.choice
        return choice((lambda: f'{self.rng.uniform(-1e4, 1e4):.6f}', lambda: str(self.rng.randrange(10**6)),
                       lambda: f'{self.rng.randrange(1, 999):06d}@Extract/job{self.rng.randrange(99):03d}/ä.mrcs',
                       lambda: choice(('two words', "it's", 'a "b" c', '', 'x#y', '#', 'Données', 'a  b\tc', 'None')),
                       lambda: ''.join(choice('ab#\'" _;') for _ in range(self.rng.randrange(6)))))()

    def written_value(self, value):
        """The text of a value in a file, quoted where it must be and at times where it need not; None if it cannot."""
        plain = value and not re.search(r'\s', value) and value[0] not in '\'"#_;' and not value.startswith(('data_', 'loop_'))
        ways = [value] * 3 if plain else []
        for quote in '\'"':
            if not re.search(quote + r'\s', value):
                ways.append(quote + value + quote)
        return self.rng.choice(ways) if ways else None

    def written_row(self, row):
        blank = lambda: ''.join(self.rng.choice(' \t') for _ in range(self.rng.randrange(1, 4)))
        end = self.rng.choice(('', '', ' ', ' # remark', '\r'))
        return self.rng.choice(('', ' ')) + ''.join(word + blank() for word in row[:-1]) + row[-1] + end

    def random_document(self):
        tables, lines = [], []
        for b in range(self.rng.randrange(4)):
            name = self.rng.choice(('optics', 'particles', '', f'model_class_{b}')) + ('' if b else 'x')
            pairs = self.rng.random() < 0.4
            labels = [f'_rln{self.rng.choice("ABCDEF")}{k}' for k in range(self.rng.randrange(1, 6))]
            rows, texts = [], []
            while len(rows) < (1 if pairs else self.rng.randrange(5)):
                row = [self.random_value() for _ in labels]
                text = [self.written_value(value) for value in row]
                if None not in text:
                    rows.append(row), texts.append(text)
            tables.append((name, pairs, labels, rows))
            lines += ['', '# version 30001', ''][:self.rng.randrange(4)] + ['data_' + name]
            if pairs:
                lines += [self.written_row([label, value]) for label, value in zip(labels, texts[0])]
            else:
                lines += ['loop_'] + [f'{label} #{k + 1}' if self.rng.random() < 0.8 else label
                                      for k, label in enumerate(labels)]
                lines += [self.written_row(text) for text in texts]
        return tables, '\n'.join(lines) + self.rng.choice(('', '\n', '\n\n'))

    def documents(self, rounds):
        lib = self.lib
        for _ in range(rounds):
            want, text = self.random_document()
            with open(self.path, 'w', newline='') as file:
                file.write(text)
            star = c_void_p()
            if not self.succeeds(lib.tess_star_read(byref(star), self.path.encode()), 'read', text):
                continue
            self.expect(self.tables_of(star) == want, 'read', repr(text), self.tables_of(star))
            if self.succeeds(lib.tess_star_write(self.path.encode(), star, byref(Opts(1))), 'write', text):
                with open(self.path, newline='') as file:
                    written = file.read()
                self.expect(read(written) == want, 'written', repr(written), want)
            lib.tess_star_free(star)

    # ---- Numbers ----

    def random_number(self):
        digits = lambda most: ''.join(self.rng.choice('0123456789') for _ in range(self.rng.randrange(most)))
        text = self.rng.choice(('', '-', '+')) + digits(20) + self.rng.choice(('', '.' + digits(25)))
        return text + self.rng.choice(('', '', f'e{self.rng.randrange(-340, 320)}', 'E+5', 'e'))

    def numbers(self, rounds):
        lib, star, table = self.lib, c_void_p(), c_void_p()
        self.succeeds(lib.tess_star_new(byref(star)), 'new')
        self.succeeds(lib.tess_star_add(byref(table), star, b'x', True), 'add')
        for _ in range(rounds):
            text = self.random_number()
            self.succeeds(lib.tess_star_set(table, 0, b'a', text.encode()), 'set', text)
            number, whole = c_double(), c_int64()
            for get, kind, value in ((lib.tess_star_get_f64, float, number), (lib.tess_star_get_i64, int, whole)):
                try:
                    want = kind(text)
                except ValueError:
                    want = None
                if kind is int and want is not None and not -2**63 <= want < 2**63:
                    want = None
                status = get(byref(value), table, 0, b'a')
                if want is None:
                    self.fails(status, EFORMAT, None, kind, text)
                elif self.succeeds(status, kind, text):
                    self.expect(value.value == want, kind, text, value.value, want)
            x = self.generator.integers(0, 256, 8, 'u1').view('f8')[0] if self.rng.random() < 0.7 else float(whole.value)
            if x == x and self.succeeds(lib.tess_star_set_f64(table, 0, b'a', x), 'set_f64', x):
                text = lib.tess_star_value(table, 0, 0).decode()
                self.expect(float(text) == x and len(text) <= max(len(repr(float(x))), 17) + 3, 'set_f64', x, text)
        lib.tess_star_free(star)


def main():
    options = tess.arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(tess.load(options.library), options.seed, folder)
        return copies.run_parts(tests, (('documents', lambda: tests.documents(tess.rounds(300))),
                                        ('numbers', lambda: tests.numbers(tess.rounds(5000)))))


if __name__ == '__main__':
    sys.exit(main())
