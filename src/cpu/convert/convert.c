/* Row conversions between dtypes, real and complex, composed of the cast kernels. */
#include "cpu/convert/convert.h"

#include "core/dtype.h"
#include "cpu/isa.h"
#include "tessera/array.h"

enum { BLOCK = 256 };

static void cast_complex(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const tess__conversion *c = param;
    if (s[0] == 1 && s[1] == 1) {
        c->real(p, s, 2 * n, NULL);
        return;
    }
    const int64_t wide[2] = { 2 * s[0], 2 * s[1] };
    char *const   imag[2] = { p[0] + c->real_size_out, p[1] + c->real_size_in };
    c->real(p, wide, n, NULL);
    c->real(imag, wide, n, NULL);
}

static void cast_to_complex(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const tess__conversion *c = param;
    const tess__element     zero = { .size = c->real_size_out };
    const int64_t           wide[2] = { 2 * s[0], s[1] };
    char *const             imag[1] = { p[0] + c->real_size_out };
    c->real(p, wide, n, NULL);
    c->zero(imag, wide, n, &zero);
}

/* By blocks that stay in cache: the real number of each complex one, then its conversion. */
static void cast_part(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const tess__conversion *c = param;
    _Alignas(64) double     block[BLOCK];
    char                   *to_block[2] = { (char *)block, p[1] }, *from_block[2] = { p[0], (char *)block };
    const int64_t           s_in[2] = { 1, s[1] }, s_out[2] = { s[0], 1 };
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        c->part(to_block, s_in, m, NULL);
        c->real(from_block, s_out, m, NULL);
        to_block[1] += m * s[1] * 2 * c->real_size_in;
        from_block[0] += m * s[0] * c->real_size_out;
    }
}

tess__conversion tess__conversion_of(tess_dtype from, tess_dtype to, int mode, int part)
{
    const tess__kernels   *k = tess__cpu_kernels();
    const tess__dtype_row *in = &tess__dtypes[from], *out = &tess__dtypes[to];
    tess__conversion       c = { .real = k->convert.cast[mode][in->real][out->real],
                                 .real_size_in = tess__dtypes[in->real].size,
                                 .real_size_out = tess__dtypes[out->real].size };
    c.row = c.real;
    if (in->kind == TESS_KIND_COMPLEX && out->kind == TESS_KIND_COMPLEX) {
        c.row = cast_complex;
    } else if (out->kind == TESS_KIND_COMPLEX) {
        c.row = cast_to_complex;
        c.zero = k->memory.fill[tess__size_class(c.real_size_out)];
    } else if (in->kind == TESS_KIND_COMPLEX) {
        c.row = cast_part;
        c.part = k->convert.part[part == TESS_PART_ABS ? TESS__ABS : TESS__POWER][from - TESS_C16];
        c.real = k->convert.cast[mode][TESS_F64][to];
    }
    return c;
}
