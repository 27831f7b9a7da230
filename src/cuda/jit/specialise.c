/* Specialisation of element-wise kernels: what they compute. */
#include "cuda/jit/specialise.h"

#include <string.h>

#include "requests/operator_rows.h"
#include "tessera/array.h"

tess__cuda_spec tess__cuda_spec_of(const tess__ewise *work)
{
    const tess__apply *o = &work->param.operate;
    tess__cuda_spec    f = { .kind = (uint8_t)work->kind, .n_inputs = (uint8_t)(work->loop.n_operands - 1) };
    if (work->kind == TESS__CAST) {
        f.mode = (uint8_t)work->mode;
        f.part = (uint8_t)work->part;
        f.stored[0] = (uint8_t)work->to;
        f.stored[1] = (uint8_t)work->from;
    } else if (work->kind == TESS__APPLY) {
        f.op = (uint16_t)o->op;
        f.kernel = (uint8_t)o->kernel;
        for (int k = 0; k <= f.n_inputs; k++) {
            f.wanted[k] = (uint8_t)o->wanted[k];
            f.stored[k] = (uint8_t)(o->scalar[k] ? o->wanted[k] : o->stored[k]);
            f.scalars |= (uint8_t)(o->scalar[k] ? 1u << k : 0);
        }
    }
    return f;
}

static uint64_t bytes_word(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

void tess__cuda_spec_words(uint64_t words[2], const tess__cuda_spec *f)
{
    words[0] = f->kind | (uint64_t)f->kernel << 4 | (uint64_t)f->mode << 12 | (uint64_t)f->part << 16 |
               (uint64_t)f->op << 20 | (uint64_t)f->n_inputs << 36 | (uint64_t)f->unit << 40 |
               (uint64_t)f->scalars << 48;
    words[1] = bytes_word(f->stored) | bytes_word(f->wanted) << 32;
}

/* ---- Programs ---- */

static const char *suffix_of(const tess__cuda_spec *f)
{
    return f->kernel == TESS_BOOL ? "b8" : tess_dtype_name(f->kernel);
}

static void print_move(tess__writer *w, const tess__cuda_spec *f)
{
    const bool where = f->kind == TESS__APPLY;
    tess__write(w, "#define OUT_TYPE unit<%d>::type\n", f->unit);
    for (int k = 1; k <= f->n_inputs; k++)
        if (where && k == 1) tess__write(w, "#define IN1_TYPE element<%d>::stored\n", f->stored[1]);
        else tess__write(w, "#define IN%d_TYPE unit<%d>::type\n", k, f->unit);
    if (where)
        tess__write(w, "#define COMPUTE(out, x, y, z) out = convert<TESS_BOOL, %d>(element<%d>::load(x)) ? y : z\n",
                    f->stored[1], f->stored[1]);
    else
        tess__write(w, "#define COMPUTE(out, x, y, z) out = %s\n",
                    f->kind == TESS__COPY ? "x" : "number<OUT_TYPE, 0>(p)");
}

static void print_types(tess__writer *w, const tess__cuda_spec *f)
{
    tess__write(w, "#define OUT_TYPE element<%d>::stored\n", f->stored[0]);
    for (int k = 1; k <= f->n_inputs; k++) tess__write(w, "#define IN%d_TYPE element<%d>::stored\n", k, f->stored[k]);
}

/* The magnitude of a complex number, or its square, is computed in double, as on the CPU. */
static void print_cast(tess__writer *w, const tess__cuda_spec *f)
{
    const char *const how = f->mode == TESS_CAST_WRAP ? "convert_wrapping" : "convert";
    const int         to = f->stored[0], from = f->stored[1];
    const bool        size = f->part == TESS_PART_ABS || f->part == TESS_PART_POWER;
    tess__write(w, "#define COMPUTE(out, x, y, z) out = element<%d>::store(%s<%d, ", to, how, to);
    if (size && tess_dtype_kind(from) == TESS_KIND_COMPLEX && tess_dtype_kind(to) != TESS_KIND_COMPLEX)
        tess__write(w, "TESS_F64>(%s(convert<TESS_C64, %d>(element<%d>::load(x)))))\n",
                    f->part == TESS_PART_ABS ? "length_of" : "power_of", from, from);
    else tess__write(w, "%d>(element<%d>::load(x)))\n", from, from);
}

static void print_apply(tess__writer *w, const tess__cuda_spec *f)
{
    static const char variables[] = "xyz";
    const bool        where = f->op == TESS__OP_where;
    tess__write(w, "#define COMPUTE(out, x, y, z) out = element<%d>::store(convert<%d, %d>(", f->stored[0],
                f->stored[0], f->wanted[0]);
    if (!where) tess__write(w, "tess__do_%s_%s(", tess__operator_rows[f->op].name, suffix_of(f));
    for (int k = 1; k <= f->n_inputs; k++)
        tess__write(w, "%sconvert<%d, %d>(element<%d>::load(%c))",
                    k == 1   ? ""
                    : !where ? ", "
                    : k == 2 ? " ? "
                             : " : ",
                    f->wanted[k], f->stored[k], f->stored[k], variables[k - 1]);
    tess__write(w, where ? "))\n" : ")))\n");
}

void tess__cuda_spec_print(tess__writer *w, const tess__cuda_spec *f)
{
    tess__write(w, "#define TESS_ONLY\n");
    if (f->kind == TESS__APPLY && f->op != TESS__OP_where) tess__write(w, "#define TESS_WITH_%s\n", suffix_of(f));
    tess__write(w, "#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/jit/elements.cu.h\"\n");
    tess__write(w, "#define INPUTS %d\n#define SCALARS %d\n", f->n_inputs, f->scalars);
    if (f->unit) {
        print_move(w, f);
        return;
    }
    print_types(w, f);
    if (f->kind == TESS__CAST) print_cast(w, f);
    else print_apply(w, f);
}
