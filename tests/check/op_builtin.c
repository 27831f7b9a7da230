/* Built-in operators as text for the virtual machine against the functions themselves: every line of ewise.def, every
 * dtype for which both are defined, bit for bit.
 */
#include <math.h>

#include "support/test.h"

typedef struct builtin {
    const char           *name;
    const tess_op *const *op;
} builtin;

static const builtin builtins[] = {
#define ENTRY(NAME, name) { #name, &TESS_OP_##NAME },
    TESS_BUILTIN_OPS(ENTRY)
#undef ENTRY
};
enum { N_BUILTINS = sizeof builtins / sizeof *builtins, N = 700, INPUTS = 3 };

/* Random bits with the numbers among them that are most likely to differ. */
static tess_array random_numbers(tess_dtype dtype, int round)
{
    static const double odd[] = { 0.0, -0.0, 1, -1, 2, 0.5, NAN, INFINITY, -INFINITY, 100, -7, 1e-30, 1e30, 255, -128 };
    tess_array          a = { 0 }, number = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, N), dtype, tess_cpu()));
    const int reals = tess_dtype_reals(dtype);
    CHECK_OK(tess_empty(&number, TESS_SHAPE(1, 1, 1, N * reals), TESS_F64, tess_cpu()));
    double *p = number.data;
    for (int i = 0; i < N * reals; i++) {
        const double x = test_random_unit();
        p[i] = test_random_in(0, 2) == 0 ? odd[test_random_in(0, 14)]
                                         : (x - 0.4) * (round == 0   ? 3
                                                        : round == 1 ? 40
                                                                     : 3e5);
    }
    tess_array flat = a;
    flat.dtype = tess_dtype_real(dtype);
    flat.shape.w = N * reals;
    for (int d = 0; d < 3; d++) flat.strides.dim[d] = N * reals;
    CHECK_OK(tess_cast(&flat, &number, flat.dtype, NULL));
    tess_release(&number);
    return a;
}

/* Arithmetic of bools and of integers of 8 and 16 bits is that of i32 in an operator's text, and becomes f64 with
 * floats: what depends on the width differs. */
static bool is_other_in_text(const char *name, tess_dtype dtype)
{
    const bool narrow = tess_dtype_size(dtype) < 4 && dtype != TESS_F16;
    const bool shifts = strncmp(name, "shift_", 6) == 0 && strcmp(name, "shift_scale") != 0;
    const bool floats = strncmp(name, "complex", 7) == 0 || strcmp(name, "cis") == 0;
    return (narrow && (shifts || floats)) || dtype == TESS_BOOL;
}

static bool same_bits(const tess_array *a, const tess_array *b)
{
    const int     reals = tess_dtype_reals(a->dtype);
    tess_array    wide[2] = { { .dtype = 0 } };
    const int64_t n = tess_n_elements(a) * reals;
    if (a->dtype != b->dtype) return false;
    if (tess_dtype_kind(a->dtype) != TESS_KIND_FLOAT && tess_dtype_kind(a->dtype) != TESS_KIND_COMPLEX)
        return memcmp(a->data, b->data, (size_t)tess_n_elements(a) * tess_dtype_size(a->dtype)) == 0;
    const tess_dtype widest = reals == 2 ? TESS_C64 : TESS_F64;
    CHECK_OK(tess_cast(&wide[0], a, widest, NULL));
    CHECK_OK(tess_cast(&wide[1], b, widest, NULL));
    bool          same = true;
    const double *p = wide[0].data, *q = wide[1].data;
    for (int64_t i = 0; i < n; i++) same &= memcmp(&p[i], &q[i], sizeof *p) == 0 || (isnan(p[i]) && isnan(q[i]));
    tess_release(&wide[0]);
    tess_release(&wide[1]);
    return same;
}

static tess_status call(const tess_op *op, int inputs, tess_array *const in, tess_array *out)
{
    tess_bind binds[INPUTS + 1] = { { .kind = 0 } };
    for (int i = 0; i < inputs; i++) binds[i] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = &in[i] };
    binds[inputs] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = out };
    return tess_run(op, binds, inputs + 1, NULL);
}

static int inputs_of(const char *source)
{
    int n = 0;
    for (const char *at = source; (at = strstr(at, "in T ")); at++) n++;
    return n;
}

/* True if the text could be run. */
static bool compare(const builtin *b, const tess_op *text, tess_dtype dtype, int round)
{
    const int  inputs = inputs_of(tess_op_source(*b->op));
    tess_array in[INPUTS] = { { .dtype = 0 } }, want = { 0 }, got = { 0 };
    bool       ran = false;
    for (int i = 0; i < inputs; i++) in[i] = random_numbers(dtype, round);
    if (call(*b->op, inputs, in, &want) == TESS_OK) {
        CHECK_OK(tess_like(&got, &want));
        ran = call(text, inputs, in, &got) == TESS_OK;
        if (ran && !same_bits(&want, &got))
            (void)test_failed(__FILE__, __LINE__, "%s of %s differs", b->name, tess_dtype_name(dtype));
    }
    for (int i = 0; i < inputs; i++) tess_release(&in[i]);
    tess_release(&want);
    tess_release(&got);
    return ran;
}

TEST(text_of_builtin_operators_gives_their_bits)
{
    for (int i = 0; i < N_BUILTINS; i++) {
        tess_op *text = NULL;
        int      ran = 0;
        if (!test_wants_case(builtins[i].name)) continue;
        if (!CHECK_OK(tess_op_text(&text, tess_op_source(*builtins[i].op)))) continue;
        for (tess_dtype dtype = TESS_BOOL; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
            for (int round = 0; round < 3; round++)
                if (!is_other_in_text(builtins[i].name, dtype)) ran += compare(&builtins[i], text, dtype, round);
        if (ran < 3) (void)test_failed(__FILE__, __LINE__, "%s: its text ran for no dtype", builtins[i].name);
        tess_op_release(text);
    }
}
