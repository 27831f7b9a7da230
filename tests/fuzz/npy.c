/* NPY files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/arrays.h"
#include "fuzz/packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = { .format = TESS_FORMAT_NPY,
                                  .as = (int32_t)(pick % 4),
                                  .depth = pick % 4 == TESS_AS_VOLUMES ? 1 + pick % 3 : 0,
                                  .dtype = pick % 7 ? 0 : TESS_F32 };
    one_file(data, n);
    fuzz_read("x.npy", &opts, pick, (int64_t)n);
    if (pick % 8) return 0;
    const fuzz_packed packed = fuzz_pack(data, n, pick / 8);
    one_file(packed.bytes, packed.n);
    fuzz_read("x.npy.gz", &opts, pick, 1032 * (int64_t)packed.n + (int64_t)n);
    free(packed.bytes);
    return 0;
}

static void add(const char *text, int version, size_t data)
{
    uint8_t      bytes[4096] = { 0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version, 0 };
    const size_t n = strlen(text), head = version == 1 ? 10 : 12;
    bytes[8] = (uint8_t)(n & 255), bytes[9] = (uint8_t)(n >> 8);
    memcpy(bytes + head, text, n);
    for (size_t i = 0; i < data; i++) bytes[head + n + i] = (uint8_t)(i * 37);
    fuzz_add(bytes, head + n + data);
}

void fuzz_seeds(void)
{
    static const char *const words[] = { "(",
                                         ")",
                                         ",",
                                         "{",
                                         "}",
                                         "'",
                                         "\"",
                                         ":",
                                         " ",
                                         "True",
                                         "False",
                                         "descr",
                                         "<f8",
                                         "|O",
                                         "'shape'",
                                         "-1",
                                         "0",
                                         "99",
                                         "1L",
                                         "\n",
                                         ">c16",
                                         "=u2",
                                         "|b1",
                                         "[]",
                                         "'<i4'",
                                         "65536",

                                         "2147483648",
                                         "4611686018427387904",
                                         "9223372036854775807",
                                         NULL };
    fuzz_words = words;
    add("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4, 5), }   \n", 1, 480);
    add("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3, 4), }\n", 1, 192);
    add("{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }\n", 2, 7);
    add("{\"shape\": (), \"descr\": '<c16', 'fortran_order': True}", 3, 16);
    add("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 4, 5), }   \n", 1, 240);
    add("{'descr': '|b1', 'fortran_order': False, 'shape': (0, 3), }\n", 1, 0);
}
