"""SPIDER files made by hand, for tests."""
import numpy as np


def spider_header(columns, rows, slices, order, **words):
    """The header of an image or a volume; `words` by number from 1, as w5=-11."""
    records = -(-1024 // (4 * columns))
    header = np.zeros(records * columns, order + 'f4')
    header[[0, 1, 4, 11, 12, 21, 22]] = slices, rows, 3 if slices > 1 else 1, columns, records, records * 4 * columns, \
        4 * columns
    for word, value in words.items():
        header[int(word[1:]) - 1] = value
    return header.tobytes()


def spider_file(values, order='<', stack=None, **words):
    """`values` (images, slices, rows, columns); a stack where there are several images or where it is said."""
    n, slices, rows, columns = values.shape
    stack = n > 1 if stack is None else stack
    data = b''
    if stack:
        data = spider_header(columns, rows, slices, order, **{'w24': 2, 'w26': n, 'w27': 0, **words})
        words = {}
    for image in values:
        data += spider_header(columns, rows, slices, order, **words) + image.astype(order + 'f4').tobytes()
    return data
