/* Copies between layouts whose innermost dimensions differ: random shapes around the sizes of tiles, every element size,
 * outputs at every offset in a cache line, against a naive loop, with guards.
 */
#include <stdlib.h>

#include "support/layouts.h"

static void set_random(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    for (size_t i = 0; i < tess_dtype_size(a->dtype); i++) element_at(a, position)[i] = (unsigned char)test_random();
}

typedef struct comparison {
    const tess_array *out, *in;
    bool              same;
} comparison;

static void compare(void *context, const int64_t p[4])
{
    comparison *c = context;
    if (memcmp(element_at(c->out, p), element_at(c->in, p), tess_dtype_size(c->out->dtype)) != 0) c->same = false;
}

/* One to a few hundred, more often near a multiple of 16 or at the size of a tile. */
static int64_t random_size(int64_t most)
{
    const int64_t near = test_random_in(0, most / 16) * 16 + test_random_in(-1, 1);
    const int64_t size = test_random_in(0, 2) ? near : test_random_in(1, most);
    return size < 1 ? 1 : size;
}

static void check_one(tess_dtype dtype, layout from, layout to, tess_shape shape)
{
    guarded in, out;
    char    what[160];
    snprintf(what, sizeof what, "%s %s to %s of {%d,%d,%d,%d}", tess_dtype_name(dtype), layout_names[from],
             layout_names[to], (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w);
    if (!test_wants_case(what)) return;
    guarded_make(&in, from, shape, dtype);
    guarded_make(&out, to, shape, dtype);
    each_index(shape, set_random, &in.view);
    CHECK_OK(tess_copy(&out.view, &in.view));
    comparison c = { &out.view, &in.view, true };
    each_index(shape, compare, &c);
    if (!c.same) (void)test_failed(__FILE__, __LINE__, "%s: wrong", what);
    (void)guarded_check(&out, what);
    guarded_free(&in);
    guarded_free(&out);
}

static const tess_dtype sizes[] = { TESS_U8, TESS_U16, TESS_F32, TESS_F64, TESS_C64 };

TEST(planes_of_every_size)
{
    static const layout outs[] = { layout_contiguous, layout_misaligned, layout_subregion, layout_reversed };
    for (int i = 0; i < 1500; i++) {
        if (!test_takes_case()) continue;
        const tess_shape shape = tess_shape_of(1, test_random_in(1, 2), random_size(320), random_size(160));
        check_one(sizes[i % 5], layout_column_major, outs[test_random_in(0, 3)], shape);
    }
}

/* Columns an integer number of cache lines apart, beginning anywhere in a line: the first rows are a strip of their own. */
TEST(outputs_that_begin_inside_a_line)
{
    for (int i = 0; i < 1500; i++) {
        if (!test_takes_case()) continue;
        const tess_shape shape = tess_shape_of(1, 1, random_size(90), 64 * test_random_in(1, 6));
        check_one(sizes[i % 5], layout_column_major, layout_misaligned, shape);
    }
}

/* Results by non-temporal stores: columns an integer number of lines apart, and any number of bytes. */
TEST(results_too_large_for_the_caches)
{
    static const layout outs[] = { layout_contiguous, layout_misaligned, layout_subregion };
    for (int i = 0; i < 30; i++) {
        if (!test_takes_case()) continue;
        const int64_t    size = (int64_t)tess_dtype_size(sizes[i % 5]), d = i % 4 == 3 ? test_random_in(2, 9) : 1;
        const int64_t    w = test_random_in(0, 1) ? 64 * test_random_in(3, 40) : test_random_in(100, 2500);
        const tess_shape shape = tess_shape_of(1, d, (9 << 20) / size / w / d + 1, w);
        CHECK_OK(tess_threads_set(1 + i % 2));
        check_one(sizes[i % 5], i % 4 == 2 ? layout_permuted : layout_column_major, outs[test_random_in(0, 2)], shape);
    }
    CHECK_OK(tess_threads_set(0));
}

TEST(four_dimensions_in_any_order)
{
    for (int i = 0; i < 1500; i++) {
        if (!test_takes_case()) continue;
        const tess_shape shape =
            tess_shape_of(test_random_in(1, 9), test_random_in(1, 9), random_size(40), random_size(40));
        check_one(sizes[i % 5], layout_permuted, i % 2 ? layout_permuted : layout_misaligned, shape);
    }
}
