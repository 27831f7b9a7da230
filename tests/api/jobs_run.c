/* What jobs run on: sources, sinks and the slab pipeline, with small slabs, failing callbacks, cancellation at every
 * report and allocations that fail in turn; beside plain loops. */
#include <stdlib.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

/* Element b, d, h, w of numbers() of this shape. */
static double number_at(tess_shape s, int64_t b, int64_t d, int64_t h, int64_t w)
{
    return (double)(((b * s.d + d) * s.h + h) * s.w + w);
}

static tess_source of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "numbers", NULL));
    return source;
}

/* ---- Sources ---- */

static void check_images(const tess_source *source, tess_shape s)
{
    for (int64_t first = 0; first < s.b * s.d; first += 2)
        for (int64_t n = 0; first + n <= s.b * s.d; n += 3) {
            tess_array out = { 0 };
            if (!CHECK_OK(tess_source_read(source, &out, first, n, TESS_F64))) return;
            CHECK_DIMS(out.shape, n, 1, s.h, s.w);
            for (int64_t i = 0; i < n; i++)
                CHECK(value_at(&out, i, 0, s.h - 1, 1) ==
                      number_at(s, (first + i) / s.d, (first + i) % s.d, s.h - 1, 1));
            tess_release(&out);
        }
}

TEST(sources_read_arrays_of_any_strides)
{
    static const int orders[][4] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 1, 0, 3, 2 }, { 2, 3, 0, 1 } };
    const tess_shape s = TESS_SHAPE(3, 4, 5, 6);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const int *o = orders[i];
        tess_array a = numbers(TESS_I16, 3, 4, 5, 6), stored = { 0 }, view = { 0 };
        int        back[4];
        for (int k = 0; k < 4; k++) back[o[k]] = k;
        CHECK_OK(tess_permute_copy(&stored, &a, o[0], o[1], o[2], o[3]));
        CHECK_OK(tess_permute(&view, &stored, back[0], back[1], back[2], back[3]));
        const tess_source source = of(&view);
        check_images(&source, s);
        tess_release(&a);
        tess_release(&stored);
    }
}

/* Stride 0, and strides below 0. */
TEST(sources_read_expanded_and_flipped_arrays)
{
    tess_array a = numbers(TESS_F32, 1, 1, 5, 6), many = { 0 }, flipped = { 0 }, out = { 0 };
    CHECK_OK(tess_broadcast(&many, &a, TESS_SHAPE(7, 2, 5, 6)));
    CHECK_OK(tess_subregion_text(&flipped, &a, ":, :, ::-1, ::-2"));
    const tess_source source = of(&many), other = of(&flipped);
    CHECK_OK(tess_source_read(&source, &out, 13, 1, TESS_F32));
    CHECK(value_at(&out, 0, 0, 4, 5) == 29);
    tess_release(&out);
    CHECK_OK(tess_source_read_all(&source, &out, TESS_DTYPE_NONE, NULL));
    CHECK_DIMS(out.shape, 7, 2, 5, 6);
    CHECK(out.dtype == TESS_F32 && value_at(&out, 6, 1, 4, 5) == 29);
    tess_release(&out);
    CHECK_OK(tess_source_read(&other, &out, 0, 1, TESS_DTYPE_NONE));
    CHECK(value_at(&out, 0, 0, 0, 0) == 29 && value_at(&out, 0, 0, 4, 2) == 1);
    tess_release(&out);
    tess_release(&a);
}

TEST(sources_read_files_as_arrays)
{
    const tess_shape s = TESS_SHAPE(3, 4, 5, 6);
    tess_array       a = numbers(TESS_F32, 3, 4, 5, 6), out = { 0 };
    tess_file       *file = NULL;
    tess_source      opened = { 0 }, given = { 0 };
    const char      *path = in_folder("volumes.mrc");
    CHECK_OK(tess_write(path, &a, &(tess_write_opts){ .overwrite = 1 }));
    CHECK_OK(tess_source_open(&opened, path, NULL));
    CHECK_OK(tess_open(&file, path, NULL));
    CHECK_OK(tess_source_file(&given, file, NULL));
    CHECK(opened.name != path && strcmp(opened.name, path) == 0);
    check_images(&opened, s);
    check_images(&given, s);
    CHECK_OK(tess_source_read_all(&given, &out, TESS_I32, NULL));
    CHECK_DIMS(out.shape, 3, 4, 5, 6);
    CHECK(value_at(&out, 2, 3, 4, 5) == number_at(s, 2, 3, 4, 5));
    tess_release(&out);
    tess_file_close(file);
    tess_source_close(&opened);
    tess_source_close(&opened);
    tess_source_close(NULL);
    CHECK(!opened.read && !opened.close && !opened.name);
    CHECK_FAILS(tess_source_open(&opened, in_folder("none.mrc"), NULL), TESS_EIO, "none.mrc");
    CHECK(!opened.read);
    tess_release(&a);
}

TEST(parts_of_images_are_read)
{
    const tess_shape  s = TESS_SHAPE(2, 3, 5, 6);
    tess_array        a = numbers(TESS_F32, 2, 3, 5, 6), out = constant(TESS_F64, 4, 1, 2, 3, -1);
    const tess_source source = of(&a);
    CHECK_OK(tess_source_read_part(&source, &out, 1, tess_from_to(2, 4), tess_from_to(3, 6)));
    for (int i = 0; i < 4; i++) CHECK(value_at(&out, i, 0, 1, 2) == number_at(s, (1 + i) / 3, (1 + i) % 3, 3, 5));
    tess_release(&out);
    tess_release(&a);
}

/* What does not fit is an error, and never repeated along an axis. */
TEST(reading_what_is_not_there_fails)
{
    tess_array        a = numbers(TESS_F32, 2, 3, 1, 6), wide = constant(TESS_F32, 2, 1, 5, 6, 0), out = { 0 };
    tess_array        deep = constant(TESS_F32, 2, 2, 1, 6, 0), gpu = on_gpu(wide);
    const tess_source source = of(&a);
    const tess_range  all = { .kind = TESS_RANGE_ALL };
    CHECK_FAILS(tess_source_read(&source, &out, 5, 2, TESS_F32), TESS_ERANGE, "2 images from index 5 on", "has 6");
    CHECK_FAILS(tess_source_read(&source, &out, -1, 2, TESS_F32), TESS_ERANGE, "from index -1 on");
    CHECK_FAILS(tess_source_read(&source, &out, 0, -1, TESS_F32), TESS_ERANGE, "-1 images");
    CHECK_FAILS(tess_source_read(&source, &out, 0, INT64_MAX, TESS_F32), TESS_ERANGE, "has 6");
    CHECK_FAILS(tess_source_read(&source, &out, INT64_MAX, 1, TESS_F32), TESS_ERANGE, "has 6");
    CHECK(!out.data);
    CHECK_FAILS(tess_source_read(&source, &wide, 0, 2, TESS_F32), TESS_ESHAPE, "{2,1,5,6}", "6 x 1 pixels");
    CHECK_FAILS(tess_source_read(&source, &deep, 0, 2, TESS_F32), TESS_ESHAPE, "{2,2,1,6}");
    CHECK_FAILS(tess_source_read(&source, &wide, 0, 1, TESS_F32), TESS_ESHAPE, "out has 2 images; n is 1");
    CHECK_FAILS(tess_source_read_part(&source, &wide, 0, tess_only(0), all), TESS_ESHAPE, "out has 6 x 5");
    CHECK_FAILS(tess_source_read_part(&source, &gpu, 0, all, all), TESS_EDEVICE, "not on the CPU");
    CHECK_FAILS(tess_source_read_part(&source, NULL, 0, all, all), TESS_EARG, "out is NULL");
    CHECK_FAILS(tess_source_read_all(&source, &wide, TESS_F32, NULL), TESS_EARG, "a zeroed array is expected");
    CHECK_FAILS(tess_source_read_all(&source, &out, TESS_F32, &(tess_context){ .memory = 100 }), TESS_ENOMEM,
                "context->memory");
    tess_release(&a);
    tess_release(&wide);
    tess_release(&deep);
}

static tess_status read_nothing(void *user, const tess_array *out, int64_t first, tess_range rows, tess_range columns)
{
    (void)user, (void)out, (void)first, (void)rows, (void)columns;
    return TESS_EIO;
}

TEST(sources_by_hand_are_checked)
{
    const tess_source good = { .name = "own", .shape = { { 2, 1, 3, 4 } }, .dtype = TESS_F32, .read = read_nothing };
    tess_source       bad = good;
    tess_array        out = { 0 };
    CHECK_FAILS(tess_source_read(&good, &out, 0, 1, TESS_F32), TESS_EIO, "own: its reader failed");
    CHECK(!out.data);
    CHECK_FAILS(tess_source_read_all(&good, &out, TESS_F32, NULL), TESS_EIO, "own: its reader failed");
    CHECK(!out.data);
    bad.name = NULL;
    CHECK_FAILS(tess_source_read(&bad, &out, 0, 1, TESS_F32), TESS_EARG, "source has no name");
    bad = good, bad.dtype = TESS_DTYPE_NONE;
    CHECK_FAILS(tess_source_read(&bad, &out, 0, 1, TESS_F32), TESS_EDTYPE, "own", "no dtype");
    bad = good, bad.shape.h = -3;
    CHECK_FAILS(tess_source_read(&bad, &out, 0, 1, TESS_F32), TESS_ESHAPE, "own", "-3");
    bad = good, bad.reserved[6] = 1;
    CHECK_FAILS(tess_source_read(&bad, &out, 0, 1, TESS_F32), TESS_EARG, "reserved");
    bad = (tess_source){ 0 };
    CHECK_FAILS(tess_source_read(&bad, &out, 0, 1, TESS_F32), TESS_EARG, "zeroed source");
    CHECK_FAILS(tess_source_read(NULL, &out, 0, 1, TESS_F32), TESS_EARG, "source is NULL");
    CHECK_FAILS(tess_source_array(&bad, &out, NULL, NULL), TESS_EARG, "array is zeroed");
    CHECK_FAILS(tess_source_array(NULL, &out, NULL, NULL), TESS_EARG, "source is NULL");
    CHECK_FAILS(tess_source_file(&bad, NULL, NULL), TESS_EARG, "file is NULL");
    CHECK_FAILS(tess_source_open(&bad, NULL, NULL), TESS_EARG, "path is NULL");
}

/* ---- Sinks ---- */

TEST(sinks_into_arrays_take_parts_in_order)
{
    const tess_shape s = TESS_SHAPE(2, 3, 2, 4);
    tess_array       a = numbers(TESS_F32, 2, 3, 2, 4), to = { 0 }, part = { 0 };
    tess_sink        sink;
    CHECK_OK(tess_sink_array(&sink, &to));
    CHECK_FAILS(sink.append(sink.user, &a), TESS_EARG, "before the result was begun");
    CHECK_OK(sink.begin(sink.user, s, TESS_I32, NULL));
    CHECK(to.dtype == TESS_I32);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(
            tess_subregion(&part, &a, (tess_region){ .b = tess_only(0), .d = tess_from_to(2 * i, 2 * i + 2 - i) }));
        CHECK_OK(sink.append(sink.user, &part));
    }
    CHECK_FAILS(sink.append(sink.user, &a), TESS_ESHAPE, "{2,3,2,4}", "after the first 3");
    CHECK_OK(tess_index(&part, &a, 0, 1));
    CHECK_OK(sink.append(sink.user, &part));
    CHECK(same_values(&to, &a));
    CHECK_FAILS(sink.append(sink.user, &part), TESS_ESHAPE, "after the first 6");
    CHECK_FAILS(sink.begin(sink.user, TESS_SHAPE(2, 3, 2, 5), TESS_F32, NULL), TESS_ESHAPE, "{2,3,2,4}", "{2,3,2,5}");
    CHECK_FAILS(tess_sink_array(&sink, NULL), TESS_EARG, "array is NULL");
    CHECK_FAILS(tess_sink_writer(&sink, NULL), TESS_EARG, "writer is NULL");
    tess_release(&a);
    tess_release(&to);
}

/* An image is not repeated to fill what is wider. */
TEST(sinks_into_arrays_do_not_repeat)
{
    tess_array to = constant(TESS_F32, 1, 1, 2, 4, 0), row = constant(TESS_F32, 1, 1, 1, 4, 5);
    tess_sink  sink;
    CHECK_OK(tess_sink_array(&sink, &to));
    CHECK_OK(sink.begin(sink.user, to.shape, TESS_F32, NULL));
    CHECK_FAILS(sink.append(sink.user, &row), TESS_ESHAPE, "{1,1,1,4}");
    tess_release(&to);
    tess_release(&row);
}

/* ---- Slabs ---- */

enum { ADD, HALO, FAIL, NOTHING, OWN, INPUT };

typedef struct work {
    int     kind;
    int64_t fails_at, steps; /* the step that fails, from 1; how many there were */
    int64_t sections;
} work;

/* The sum of all inputs, or of a section and its neighbours. */
static tess_status step(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    work *w = user;
    w->sections += slab->nb * slab->nz;
    if (++w->steps == w->fails_at) return TESS_EIO;
    if (w->kind == NOTHING || !out) return TESS_OK;
    if (w->kind == INPUT) return *out = in[0], TESS_OK;
    if (w->kind == OWN) return tess_mul(memset(out, 0, sizeof *out), &in[0], &tess_f32(2));
    if (w->kind == ADD) return tess_add(out, &in[0], &in[1]);
    const int64_t from = slab->z > 0 ? 1 : 0;
    for (int64_t z = 0; z < slab->nz; z++) {
        const int64_t low = z + from > 0 ? z + from - 1 : 0,
                      high = z + from + 2 < in[0].shape.d ? z + from + 2 : in[0].shape.d;
        tess_array to, some, sum = { 0 };
        TESS_TRY(tess_slice(&to, out, 1, z, z + 1, 1));
        TESS_TRY(tess_slice(&some, &in[0], 1, low, high, 1));
        TESS_TRY(tess_sum(&sum, &some, TESS_D, NULL));
        const tess_status status = tess_copy(&to, &sum);
        tess_release(&sum);
        TESS_TRY(status);
    }
    return TESS_OK;
}

/* A section and one on either side; *user is the depth. */
static void with_neighbours(const void *user, int64_t z, int64_t nz, int64_t *from, int64_t *n)
{
    const int64_t depth = *(const int64_t *)user, to = z + nz < depth ? z + nz + 1 : depth;
    *from = z > 0 ? z - 1 : 0;
    *n = to - *from;
}

static const int64_t slabs[] = { 1, 100, 400, 1000, 16 << 20 };

TEST(slabs_of_any_size_give_the_same_sums)
{
    tess_array a = numbers(TESS_I16, 4, 5, 3, 7), image = numbers(TESS_F32, 1, 1, 3, 7), to = { 0 }, want = { 0 };
    tess_array volume = numbers(TESS_F32, 1, 5, 3, 7);
    for (int other = 0; other < 3; other++) {
        const tess_source        many = of(&a), one = of(other == 0 ? &a : other == 1 ? &image : &volume);
        const tess_source *const sources[] = { &many, &one };
        const tess_dtype         dtypes[] = { TESS_F32, TESS_F32 };
        CHECK_OK(tess_add(&want, &a, one.array));
        for (int i = 0; i < 10; i++) {
            work           w = { .kind = ADD };
            tess_slab_plan plan = { .name = "test",
                                    .domain = a.shape,
                                    .sources = sources,
                                    .in_dtypes = dtypes,
                                    .n_sources = 2,
                                    .whole = i % 2,
                                    .out_shape = a.shape,
                                    .out_dtype = TESS_F32,
                                    .stage = "sections" };
            tess_sink      sink;
            CHECK_OK(tess_sink_array(&sink, &to));
            CHECK_OK(sink.begin(sink.user, plan.out_shape, plan.out_dtype, NULL));
            CHECK_OK(tess_slabs_run(&plan, &sink, step, &w, &(tess_context){ .slab = slabs[i / 2] }));
            CHECK(same_values(&to, &want));
            CHECK_I64(w.sections, 20);
            tess_release(&to);
        }
        tess_release(&want);
    }
    tess_release(&a);
    tess_release(&image);
    tess_release(&volume);
}

TEST(slabs_with_neighbours_give_the_same_sums)
{
    tess_array               a = numbers(TESS_F32, 2, 9, 2, 3), to = { 0 };
    const tess_source        many = of(&a);
    const tess_source *const sources[] = { &many };
    const int64_t            depth = 9;
    for (size_t i = 0; i < sizeof slabs / sizeof *slabs; i++) {
        work           w = { .kind = HALO };
        tess_slab_plan plan = { .name = "test",
                                .domain = a.shape,
                                .sources = sources,
                                .n_sources = 1,
                                .need = with_neighbours,
                                .need_user = &depth,
                                .out_shape = a.shape,
                                .out_dtype = TESS_F32 };
        tess_sink      sink;
        CHECK_OK(tess_sink_array(&sink, &to));
        CHECK_OK(sink.begin(sink.user, plan.out_shape, plan.out_dtype, NULL));
        CHECK_OK(tess_slabs_run(&plan, &sink, step, &w, &(tess_context){ .slab = slabs[i] }));
        for (int64_t b = 0; b < 2; b++)
            for (int64_t z = 0; z < 9; z++) {
                double sum = 0;
                for (int64_t k = z > 0 ? z - 1 : 0; k <= (z < 8 ? z + 1 : 8); k++)
                    sum += number_at(a.shape, b, k, 1, 2);
                CHECK(value_at(&to, b, z, 1, 2) == sum);
            }
        tess_release(&to);
    }
    tess_release(&a);
}

/* Outputs that steps make themselves, or take from their input, by images and in place. */
TEST(steps_may_replace_their_output)
{
    tess_array               a = numbers(TESS_F32, 5, 3, 4, 6), to = { 0 };
    const tess_source        many = of(&a);
    const tess_source *const sources[] = { &many };
    for (int i = 0; i < 16; i++) {
        const int      kind = i & 1 ? OWN : INPUT;
        work           w = { .kind = kind };
        tess_slab_plan plan = { .name = "test",
                                .domain = a.shape,
                                .sources = sources,
                                .n_sources = 1,
                                .images = (i & 2) != 0,
                                .in_place = (i & 4) != 0,
                                .row = i & 4 ? 8 : 0,
                                .out_shape = a.shape,
                                .out_dtype = TESS_F32 };
        tess_sink      sink;
        CHECK_OK(tess_sink_array(&sink, &to));
        CHECK_OK(sink.begin(sink.user, plan.out_shape, plan.out_dtype, NULL));
        CHECK_OK(tess_slabs_run(&plan, &sink, step, &w, &(tess_context){ .slab = i & 8 ? 1 : 500 }));
        for (int64_t k = 0; k < 15; k++)
            CHECK(value_at(&to, k / 3, k % 3, 3, 5) == number_at(a.shape, k / 3, k % 3, 3, 5) * (kind == OWN ? 2 : 1));
        tess_release(&to);
    }
    tess_release(&a);
}

static tess_status fail_to_append(void *user, const tess_array *part)
{
    int *left = user;
    (void)part;
    return (*left)-- > 0 ? TESS_OK : TESS_EIO;
}

static tess_status fail_to_read(void *user, const tess_array *out, int64_t first, tess_range rows, tess_range columns)
{
    (void)rows, (void)columns;
    if (first >= *(const int64_t *)user) TESS_FAIL(TESS_EFORMAT, "image %d is broken", (int)first);
    tess_array to = *out;
    return tess_fill(&to, 1);
}

TEST(failing_readers_steps_and_sinks_end_the_run)
{
    tess_array  a = numbers(TESS_F32, 12, 1, 3, 7);
    int64_t     good = 0;
    tess_source many = of(&a),
                own = { .name = "own", .shape = a.shape, .dtype = TESS_F32, .read = fail_to_read, .user = &good };
    for (int n = 0; n < 12; n++)
        for (int slab = 1; slab < 400; slab += 300) {
            int                      left = n * (slab == 1);
            const tess_sink          sink = { .append = fail_to_append, .user = &left };
            const tess_source *const sources[] = { &many, &many }, *const broken[] = { &own, &many };
            const tess_context context = { .slab = slab };
            work               w = { .kind = ADD };
            tess_slab_plan     plan = { .name = "test",
                                        .domain = a.shape,
                                        .sources = sources,
                                        .n_sources = 2,
                                        .out_shape = a.shape,
                                        .out_dtype = TESS_F32,
                                        .stage = "images" };
            tess_error_clear(); /* a bare status is told apart from the last failure by its number */
            CHECK_FAILS(tess_slabs_run(&plan, &sink, step, &w, &context), TESS_EIO, "test: its sink failed");
            tess_error_clear();
            w = (work){ .kind = ADD, .fails_at = slab == 1 ? n + 1 : 1 };
            CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, &context), TESS_EIO, "test: a step failed");
            CHECK_I64(w.steps, w.fails_at);
            w = (work){ .kind = ADD };
            good = n, plan.sources = broken;
            CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, &context), TESS_EFORMAT, "image", "is broken");
        }
    tess_release(&a);
}

static int32_t cancel(void *user, const tess_progress *p)
{
    int *calls = user;
    CHECK(p->total == 12 && p->done >= 0 && p->done <= 12 && strcmp(p->stage, "images") == 0);
    return calls[0]++ == calls[1];
}

static hooks h;

TEST(slabs_are_cancelled_at_every_report)
{
    tess_array a = numbers(TESS_F32, 12, 1, 3, 7);
    hooks_on(&h);
    for (int slab = 1; slab < 400; slab += 300)
        for (int at = 0;; at++) {
            const tess_source        many = of(&a);
            const tess_source *const sources[] = { &many };
            int                      calls[2] = { 0, at };
            work                     w = { .kind = OWN };
            tess_array               to = { 0 };
            tess_sink                sink;
            const tess_context       context = { .slab = slab, .progress = cancel, .user = calls };
            const tess_slab_plan     plan = { .name = "test",
                                              .domain = a.shape,
                                              .sources = sources,
                                              .n_sources = 1,
                                              .out_shape = a.shape,
                                              .out_dtype = TESS_F32,
                                              .stage = "images" };
            CHECK_OK(tess_sink_array(&sink, &to));
            CHECK_OK(sink.begin(sink.user, plan.out_shape, plan.out_dtype, NULL));
            const tess_status status = tess_slabs_run(&plan, &sink, step, &w, &context);
            tess_release(&to);
            CHECK_I64(atomic_load(&h.live), 0);
            if (calls[0] <= at) { /* all reports were made */
                CHECK_OK(status);
                CHECK(at >= 3);
                break;
            }
            CHECK_FAILS(status, TESS_ECANCELLED, "test: cancelled after", "of 12 images");
        }
    hooks_off();
    tess_release(&a);
}

static tess_status step_cancels(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    (void)out, (void)in, (void)slab;
    tess_cancel();
    return ++*(int *)user, TESS_OK;
}

TEST(slabs_without_reports_are_cancelled)
{
    const tess_shape     two = TESS_SHAPE(2, 1, 3, 7);
    const tess_slab_plan plan = { .name = "test", .domain = two, .out_shape = two };
    int                  steps = 0;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step_cancels, &steps, &(tess_context){ .slab = 1 }), TESS_ECANCELLED,
                "cancelled");
    CHECK_I64(steps, 1);
}

TEST(jobs_without_values_need_no_list)
{
    tess_simulate_atoms_result     r = { 0 };
    const tess_job_info           *job = tess_job_find("simulate_atoms");
    const tess_simulate_atoms_opts opts = { .box = 8, .atoms = 2 };
    CHECK_OK(tess_job_run(job, &r, NULL, &opts, NULL));
    CHECK_DIMS(r.map.shape, 1, 8, 8, 8);
    job->release(&r);
    CHECK_FAILS(tess_job_run(tess_job_find("refine"), &r, NULL, NULL, NULL), TESS_EARG, "job_run: values is NULL");
}

static tess_array  stack;
static int64_t     slab_size;
static tess_status scenario(void)
{
    static const tess_dtype  dtypes[] = { TESS_F64, TESS_F32 };
    const tess_source        many = of(&stack);
    const tess_source *const sources[] = { &many, &many };
    work                     w = { .kind = OWN };
    tess_array               to = { 0 };
    tess_sink                sink;
    const tess_slab_plan     plan = { .name = "test",
                                      .domain = stack.shape,
                                      .sources = sources,
                                      .in_dtypes = dtypes,
                                      .n_sources = 2,
                                      .out_shape = stack.shape,
                                      .out_dtype = TESS_F32 };
    tess_status              status = tess_sink_array(&sink, &to);
    if (status == TESS_OK) status = sink.begin(sink.user, plan.out_shape, plan.out_dtype, NULL);
    if (status == TESS_OK) status = tess_slabs_run(&plan, &sink, step, &w, &(tess_context){ .slab = slab_size });
    tess_release(&to);
    return status;
}

TEST(every_allocation_of_slabs_fails_in_turn)
{
    stack = numbers(TESS_F32, 12, 1, 3, 7);
    for (slab_size = 1; slab_size < 100000; slab_size *= 1000) hooks_each_fails(&h, scenario, 3);
    tess_release(&stack);
}

static void ask_for_too_much(const void *user, int64_t z, int64_t nz, int64_t *from, int64_t *n)
{
    *from = z, *n = nz + *(const int64_t *)user;
}

static void ask_for_more_and_more(const void *user, int64_t z, int64_t nz, int64_t *from, int64_t *n)
{
    static int calls;
    (void)user, (void)z, (void)nz;
    *from = 0, *n = ++calls > 40 ? 9 : 1;
}

TEST(bad_plans_are_told)
{
    tess_array               a = numbers(TESS_F32, 2, 9, 3, 7), b = numbers(TESS_F32, 1, 4, 3, 7);
    const tess_source        many = of(&a), few = of(&b), zeroed = { .name = NULL };
    const tess_source *const sources[] = { &many, &few }, *const empty[] = { &zeroed }, *const none[] = { NULL };
    const tess_slab_plan good = { .name = "test",
                                  .domain = a.shape,
                                  .sources = sources,
                                  .n_sources = 1,
                                  .out_shape = a.shape,
                                  .out_dtype = TESS_F32 };
    tess_slab_plan       plan = good;
    tess_sink            sink = { .begin = NULL };
    work                 w = { .kind = NOTHING };
    const int64_t        one = 1, less = -2;
    const tess_context   small = { .slab = 1 };
    CHECK_OK(tess_slabs_run(&good, NULL, step, &w, &small));
    CHECK_I64(w.sections, 18);
    CHECK_FAILS(tess_slabs_run(NULL, NULL, step, &w, NULL), TESS_EARG, "plan is NULL");
    CHECK_FAILS(tess_slabs_run(&good, NULL, NULL, &w, NULL), TESS_EARG, "step is NULL");
    CHECK_FAILS(tess_slabs_run(&good, &sink, step, &w, NULL), TESS_EARG, "sink is zeroed");
    plan.n_sources = 17;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, NULL), TESS_ERANGE, "n_sources is 17");
    plan.n_sources = 2;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, NULL), TESS_ESHAPE, "plan->sources[1]", "{1,4,3,7}", "{2,9,3,7}");
    plan.images = 1;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, NULL), TESS_EARG, "one source is allowed");
    plan = good, plan.sources = empty;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, NULL), TESS_EARG, "plan->sources[0] is a zeroed source");
    plan.sources = none;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, NULL), TESS_EARG, "plan->sources[0] is NULL");
    plan = good, plan.reserved[0] = 1;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, NULL), TESS_EARG, "plan->reserved");
    plan = good, plan.domain.d = -1;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, NULL), TESS_ESHAPE, "plan->domain", "-1");
    plan = good, plan.need = ask_for_too_much, plan.need_user = &one;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, &small), TESS_ERANGE, "plan->need asks for sections 8 to 9");
    plan.need_user = &less;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, &small), TESS_ERANGE, "plan->need asks for");
    plan.need = ask_for_more_and_more;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, &small), TESS_ERANGE, "plan->need asks for 9 sections");
    plan = good, plan.in_place = 1;
    CHECK_OK(tess_sink_array(&sink, &b));
    CHECK_FAILS(tess_slabs_run(&plan, &sink, step, &w, &small), TESS_EARG, "test: a step produced no output");
    CHECK_FAILS(tess_slabs_run(&good, NULL, step, &w, &(tess_context){ .memory = 10 }), TESS_ENOMEM, "test",
                "context->memory");
    tess_release(&a);
    tess_release(&b);
}

/* A volume that does not fit is told by the size of what is read, also where the result has another. */
TEST(volumes_that_do_not_fit_are_told_by_the_source)
{
    tess_array               a = numbers(TESS_F32, 1, 4, 6, 8);
    const tess_source        many = of(&a);
    const tess_source *const sources[] = { &many };
    work                     w = { .kind = NOTHING };
    tess_slab_plan plan = { .name = "test", .domain = { { 1, 4, 6, 5 } }, .sources = sources, .n_sources = 1 };
    plan.whole = 1;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, &(tess_context){ .memory = 10 }), TESS_ENOMEM,
                "a volume of 8 x 6 x 4");
    plan.n_sources = 0, plan.extra = 1000;
    CHECK_FAILS(tess_slabs_run(&plan, NULL, step, &w, &(tess_context){ .memory = 10 }), TESS_ENOMEM,
                "a volume of 5 x 6 x 4");
    tess_release(&a);
}

/* Steps without sources, as of noise that is made; whole volumes, and nothing at all. */
TEST(slabs_without_sources)
{
    work           w = { .kind = NOTHING };
    tess_slab_plan plan = { .name = "test", .domain = { { 3, 4, 5, 6 } }, .whole = 1 };
    CHECK_OK(tess_slabs_run(&plan, NULL, step, &w, NULL));
    CHECK_I64(w.sections, 12);
    plan.domain.b = 0;
    CHECK_OK(tess_slabs_run(&plan, NULL, step, &w, NULL));
    CHECK_I64(w.sections, 12);
}
