/* Reductions of arrays stored in every order of their axes, some backwards: the same bits as of a C-contiguous copy, and
 * as a plain loop says. Arrays are larger than the tiles that such inputs are packed into. */
#include <stdlib.h>

#include "support/reductions.h"

/* The axes of order `which` of 24, outermost first in memory. */
static void order_of_axes(int which, int order[4])
{
    int left[4] = { 0, 1, 2, 3 };
    for (int at = 0, n = 4; n > 0; at++, n--) {
        const int taken = which % n;
        which /= n;
        order[at] = left[taken];
        for (int i = taken; i + 1 < n; i++) left[i] = left[i + 1];
    }
}

/* A copy whose axes lie in memory in this order; axis d runs backwards if bit d of `backwards` is set. */
static tess_array stored_in_order(const tess_array *a, int which, int backwards, tess_array *memory)
{
    tess_array stored, view;
    tess_shape shape;
    int        order[4];
    order_of_axes(which, order);
    for (int at = 0; at < 4; at++) shape.dim[at] = a->shape.dim[order[at]];
    CHECK_OK(tess_empty(memory, shape, a->dtype, tess_cpu()));
    stored = *memory;
    for (int at = 0; at < 4; at++) {
        const int d = order[at];
        stored.shape.dim[d] = a->shape.dim[d];
        stored.strides.dim[d] = memory->strides.dim[at];
        if (!(backwards >> d & 1)) continue;
        stored.data = (char *)stored.data +
                      (stored.shape.dim[d] - 1) * stored.strides.dim[d] * (int64_t)tess_dtype_size(a->dtype);
        stored.strides.dim[d] *= -1;
    }
    view = stored;
    CHECK_OK(tess_copy(&view, a));
    return stored;
}

typedef struct layouts_case {
    tess_array a, b;     /* C-contiguous */
    tess_array other[2]; /* the same elements, stored in other ways */
    int        axes;
} layouts_case;

static void check_order(function f, const layouts_case *c, const tess_array *want, const char *what)
{
    for (int threads = 1; threads <= 3; threads += 2)
        for (int mixed = 0; mixed < 1 + 2 * takes_two(f); mixed++) {
            tess_array       got = { 0 };
            const tess_array second = second_input(f, mixed == 1 ? &c->b : &c->other[1]);
            CHECK_OK(tess_threads_set(threads));
            CHECK_OK(call_function(f, &got, mixed == 2 ? &c->a : &c->other[0], &second, c->axes, (options){ 0, 1, 0 }));
            expect_bits(what, &got, want);
            tess_release(&got);
        }
    CHECK_OK(tess_threads_set(0));
}

/* Some functions of numbers that lie in this order; the second input's axes lie in another. */
static void check_functions(layouts_case *c, int order, function first)
{
    tess_array    memory[2] = { { .data = NULL }, { .data = NULL } };
    number       *values = malloc((size_t)tess_n_elements(&c->a) * sizeof *values);
    const options o = { 0, 1, 0 };
    c->other[0] = stored_in_order(&c->a, order, (int)test_random_in(0, 15), &memory[0]);
    c->other[1] = stored_in_order(&c->b, (order + 7) % 24, (int)test_random_in(0, 15), &memory[1]);
    for (int f = (int)first; f < n_functions; f += 4) {
        char       what[100];
        tess_array want = { 0 };
        if (!is_defined((function)f, c->a.dtype)) continue;
        const tess_array second = second_input((function)f, &c->b);
        c->axes = test_random_in(0, 1) ? TESS_ALL_AXES : (int)test_random_in(1, 14) * TESS_B;
        snprintf(what, sizeof what, "%s of %s, axes 0x%x, in order %d", function_names[f], tess_dtype_name(c->a.dtype),
                 (unsigned)c->axes, order);
        CHECK_OK(call_function((function)f, &want, &c->a, &second, c->axes, o));
        comparison m = {
            (function)f, o, &want, &c->a, takes_two((function)f) ? &second : NULL, c->axes, what, 0, values
        };
        if (order < 3 && f == (int)first) each_index(want.shape, compare_result, &m);
        check_order((function)f, c, &want, what);
        tess_release(&want);
    }
    for (int k = 0; k < 2; k++) tess_release(&memory[k]);
    free(values);
}

TEST(same_bits_in_every_order_of_axes)
{
    static const tess_dtype dtypes[] = {
        TESS_F32, TESS_U8, TESS_F64, TESS_C32, TESS_I16, TESS_F16, TESS_C64, TESS_I64
    };
    enum { DTYPES = sizeof dtypes / sizeof *dtypes };
    for (int d = 0; d < DTYPES; d++) {
        layouts_case c = { .axes = 0 };
        CHECK_OK(tess_empty(&c.a, TESS_SHAPE(3, 7, 37, 113), dtypes[d], tess_cpu()));
        CHECK_OK(tess_empty(&c.b, c.a.shape, dtypes[d], tess_cpu()));
        each_index(c.a.shape, set_random, &(filling){ &c.a, true, 0, 0 });
        each_index(c.a.shape, set_random, &(filling){ &c.b, true, 0, 0 });
        for (int order = d % 3; order < 24; order += 3) check_functions(&c, order, (function)test_random_in(0, 3));
        tess_release(&c.a);
        tess_release(&c.b);
    }
}
