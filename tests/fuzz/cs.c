/* Files of cryoSPARC (structured NPY) that went wrong; see tests/fuzz/mutate.h. What is read is converted both ways. */
#include "fuzz/mutate.h"
#include "fuzz/one_file.h"
#include "tessera/cryosparc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tess_star *star = NULL, *relion = NULL, *back = NULL;
    one_file(data, n);
    if (tess_star_read(&star, "x.cs") != TESS_OK) return tess_error_clear(), 0;
    if (tess_star_is_cryosparc(star) && tess_star_to_relion(&relion, star) == TESS_OK)
        if (tess_star_to_cryosparc(&back, relion) == TESS_OK &&
            tess_star_rows(tess_star_at(back, 0)) != tess_star_rows(tess_star_at(star, 0)))
            fuzz_fail("another number of rows after both conversions");
    tess_star_free(star);
    tess_star_free(relion);
    tess_star_free(back);
    tess_error_clear();
    return 0;
}

static void add(const char *descr, int version, int rows, size_t data)
{
    uint8_t      bytes[4096] = { 0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version, 0 };
    char         text[2048];
    const size_t head = version == 1 ? 10 : 12;
    const size_t n =
        (size_t)snprintf(text, sizeof text, "{'descr': [%s], 'fortran_order': False, 'shape': (%d,), }\n", descr, rows);
    bytes[8] = (uint8_t)(n & 255), bytes[9] = (uint8_t)(n >> 8);
    memcpy(bytes + head, text, n);
    for (size_t i = 0; i < data; i++) bytes[head + n + i] = (uint8_t)(i % 3 ? 0 : 60 + i % 5);
    fuzz_add(bytes, head + n + data);
}

void fuzz_seeds(void)
{
    static const char *const words[] = {
        "(",     ")",       ",",     "[",     "]",          "{",       "}",          "'",
        ":",     " ",       "'<f4'", "'|S7'", "O",          "'<U3'",   "(3,)",       "(2,)",
        "'uid'", "'shape'", "True",  "-1",    "0",          "1048577", "65536",      "'|b1'",
        "'>i8'", "'|V8'",   "f2",    "descr", "'blob/idx'", "_0",      "2147483648", "9223372036854775807",
        NULL
    };
    fuzz_words = words;
    add("('uid', '<u8'), ('blob/path', '|S12'), ('blob/idx', '<u4'), ('blob/psize_A', '<f4')", 1, 4, 4 * 28);
    add("('blob/path', '<U3'), ('alignments3D/pose', '<f4', (3,)), ('alignments3D/shift', '<f4', (2,)), "
        "('alignments3D/split', '<u4')",
        1, 3, 3 * 36);
    add("('location/micrograph_path', '|S8'), ('location/micrograph_shape', '>u4', (2,)), ('location/center_x_frac', "
        "'<f4'), ('location/center_y_frac', '<f8'), ('ctf/exp_group_id', '|u1')",
        2, 3, 3 * 29);
    add("('x', '|b1'), ('y', '<i2', (2, 2)), ('relion/rlnNormCorrection', '<f8')", 1, 2, 2 * 17);
}
