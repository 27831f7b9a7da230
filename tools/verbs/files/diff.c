/* tessera diff: do two files hold the same? */
#include <math.h>
#include <string.h>

#include "files/slab_pipeline.h"
#include "measure/cell_text.h"

/* Of pairs of numbers a, b: gathered image by image, so that it does not depend on how many are read at a time. */
typedef struct moments {
    double n, mean_a, mean_b;
    double aa, bb, ab; /* sums of products of distances from the means */
} moments;

typedef struct comparison {
    double  tolerance, relative; /* |a - b| <= tolerance + relative |b| is no difference */
    int64_t n_different;
    int64_t n_one_nan; /* NaN in one file and a number in the other: always a difference */
    double  largest, squares;
    int64_t first[3], worst[3]; /* x, y, image */
    double  first_values[2];
    moments all;
} comparison;

static void add_moments(moments *m, const moments *next)
{
    double n = m->n + next->n, da = next->mean_a - m->mean_a, db = next->mean_b - m->mean_b;
    if (next->n == 0) return;
    double weight = m->n * next->n / n;
    m->aa += next->aa + da * da * weight;
    m->bb += next->bb + db * db * weight;
    m->ab += next->ab + da * db * weight;
    m->mean_a += da * next->n / n;
    m->mean_b += db * next->n / n;
    m->n = n;
}

static void moments_of(moments *m, const double *a, const double *b, int64_t n)
{
    memset(m, 0, sizeof *m);
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(a[i]) || !isfinite(b[i])) continue;
        m->n++;
        m->mean_a += a[i];
        m->mean_b += b[i];
    }
    if (m->n > 0) m->mean_a /= m->n, m->mean_b /= m->n;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(a[i]) || !isfinite(b[i])) continue;
        double da = a[i] - m->mean_a, db = b[i] - m->mean_b;
        m->aa += da * da;
        m->bb += db * db;
        m->ab += da * db;
    }
}

static void set_position(int64_t position[3], int64_t i, int64_t width, int64_t image)
{
    position[0] = i % width, position[1] = i / width, position[2] = image;
}

static void compare_image(comparison *c, const double *a, const double *b, int64_t n, int64_t width, int64_t image)
{
    for (int64_t i = 0; i < n; i++) {
        if (a[i] == b[i] || (isnan(a[i]) && isnan(b[i]))) continue;
        double difference = fabs(a[i] - b[i]);
        bool   one_nan = isnan(a[i]) || isnan(b[i]);
        if (!isnan(difference)) c->squares += difference * difference;
        if (difference > c->largest) c->largest = difference, set_position(c->worst, i, width, image);
        c->n_one_nan += one_nan;
        if (!one_nan && difference <= c->tolerance + c->relative * fabs(b[i])) continue;
        if (c->n_different++ == 0) {
            set_position(c->first, i, width, image);
            c->first_values[0] = a[i], c->first_values[1] = b[i];
        }
    }
}

static tess_status compare(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    (void)out;
    comparison *c = context;
    int64_t     reals = tess_dtype_reals(in[0].dtype), width = in[0].shape.w, size = in[0].shape.h * width * reals;
    for (int64_t i = 0; i < in[0].shape.b; i++) {
        const double *a = (const double *)in[0].data + i * size, *b = (const double *)in[1].data + i * size;
        moments       m;
        compare_image(c, a, b, size, width * reals, part->b + i);
        moments_of(&m, a, b, size);
        add_moments(&c->all, &m);
    }
    return TESS_OK;
}

/* ---- What is said ---- */

static double correlation(const moments *m)
{
    double product = sqrt(m->aa * m->bb); /* exact where both are equal */
    if (!isfinite(product) || product == 0) product = sqrt(m->aa) * sqrt(m->bb);
    return product > 0 ? fmax(-1, fmin(1, m->ab / product)) : (double)NAN;
}

static void position_text(char text[64], const int64_t position[3], bool known)
{
    if (!known) (void)snprintf(text, 64, "-");
    else
        (void)snprintf(text, 64, "%lld,%lld,%lld", (long long)position[0], (long long)position[1],
                       (long long)position[2]);
}

static void report(job *j, const comparison *c, int64_t n, bool same)
{
    char   position[64];
    table *t = table_new(j, stdout);
    table_text(t, "result", same ? "same" : "different");
    table_number(t, "max_abs", c->largest);
    table_number(t, "rms", sqrt(c->squares / (double)(n > 0 ? n : 1)));
    table_number(t, "cc", correlation(&c->all));
    table_integer(t, "different", c->n_different);
    table_integer(t, "values", n);
    position_text(position, c->first, c->n_different > 0);
    table_list(t, "first", position);
    position_text(position, c->worst, c->largest > 0);
    table_list(t, "worst", position);
    table_row(t);
    table_end(t);
    if (c->n_different > 0) {
        char a[32], b[32];
        position_text(position, c->first, true);
        job_note(j, "first difference at %s (x, y, image or section): %s and %s", position,
                 number_text(a, c->first_values[0]), number_text(b, c->first_values[1]));
    }
    if (c->n_one_nan > 0) job_note(j, "%lld values are NaN in one file only", (long long)c->n_one_nan);
}

static const char *shape_text(char text[96], tess_shape s)
{
    (void)snprintf(text, 96, "{%lld,%lld,%lld,%lld}", (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w);
    return text;
}

static bool differ(const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++) {
        if (fabs(a[i] - b[i]) > 1e-5 * fmax(fabs(a[i]), fabs(b[i]))) return true;
    }
    return false;
}

/* Tell how headers differ; how many things do. */
static int compare_headers(job *j, const input *a, const input *b)
{
    const tess_meta *m = &a->info.meta, *k = &b->info.meta;
    char             s[96], t[96];
    int              n = 0;
    if (memcmp(&a->info.shape, &b->info.shape, sizeof a->info.shape) != 0) {
        job_note(j, "shape: %s and %s", shape_text(s, a->info.shape), shape_text(t, b->info.shape));
        n++;
    }
    if (a->info.dtype != b->info.dtype) {
        job_note(j, "dtype: %s and %s", tess_dtype_name(a->info.dtype), tess_dtype_name(b->info.dtype));
        n++;
    }
    if (differ(m->pixel_size, k->pixel_size)) {
        job_note(j, "pixel size (x y z): %g %g %g and %g %g %g A", m->pixel_size[2], m->pixel_size[1], m->pixel_size[0],
                 k->pixel_size[2], k->pixel_size[1], k->pixel_size[0]);
        n++;
    }
    const double angles[2][3] = { { tess_meta_angle(m, 0), tess_meta_angle(m, 1), tess_meta_angle(m, 2) },
                                  { tess_meta_angle(k, 0), tess_meta_angle(k, 1), tess_meta_angle(k, 2) } };
    if (differ(angles[0], angles[1])) {
        job_note(j, "cell angles: %s and %s degrees", cell_angles_text(s, m), cell_angles_text(t, k));
        n++;
    }
    if (differ(m->origin, k->origin)) {
        job_note(j, "origin (x y z): %g %g %g and %g %g %g A", m->origin[2], m->origin[1], m->origin[0], k->origin[2],
                 k->origin[1], k->origin[0]);
        n++;
    }
    return n;
}

static tess_status compare_inputs(job *j, input *a, input *b)
{
    int        headers = compare_headers(j, a, b);
    tess_shape s = a->info.shape, t = b->info.shape;
    bool       meaning = s.b != t.b || s.d != t.d;
    if (s.h != t.h || s.w != t.w || s.b * s.d != t.b * t.d) {
        table *none = table_new(j, stdout);
        table_text(none, "result", "different");
        table_row(none);
        table_end(none);
        j->exit_code = EXIT_DIFFERS;
        return TESS_OK;
    }
    a->info.shape = b->info.shape = s = TESS_SHAPE(s.b * s.d, 1, s.h, s.w);
    tess_kind        kind_a = tess_dtype_kind(a->info.dtype), kind_b = tess_dtype_kind(b->info.dtype);
    bool             complex = kind_a == TESS_KIND_COMPLEX || kind_b == TESS_KIND_COMPLEX;
    const tess_dtype dtypes[] = { complex ? TESS_C64 : TESS_F64, complex ? TESS_C64 : TESS_F64 };
    input *const     inputs[] = { a, b };
    comparison       c = { .tolerance = job_number(j, "tolerance", 0), .relative = job_number(j, "relative", 0) };
    TESS_CHECK(c.tolerance >= 0 && c.relative >= 0, TESS_ERANGE, "diff: --tolerance and --relative must be 0 or more");
    slab_plan plan = {
        .domain = s, .inputs = inputs, .n_inputs = 2, .in_dtypes = dtypes, .out_shape = s, .unit = "images"
    };
    TESS_TRY(stream_slabs(j, &plan, NULL, compare, &c));
    bool same = c.n_different == 0 && !meaning && !(job_has(j, "header") && headers > 0);
    report(j, &c, s.b * s.h * s.w * (complex ? 2 : 1), same);
    if (!same) j->exit_code = EXIT_DIFFERS;
    return TESS_OK;
}

static tess_status run(job *j)
{
    input a, b;
    TESS_TRY(input_open(&a, j, j->arguments[0], NEED_ANY));
    tess_status status = input_open(&b, j, j->arguments[1], NEED_ANY);
    if (status == TESS_OK) {
        status = compare_inputs(j, &a, &b);
        input_close(&b);
    }
    input_close(&a);
    return status;
}

static const option options[] = {
    VALUE("tolerance", "T", OPTION_NUMBER, "allowed absolute difference [0]"),
    VALUE("relative", "R", OPTION_NUMBER, "allowed difference relative to the second value [0]"),
    FLAG("header", "also compare dtype, pixel size, cell angles and origin"),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera diff x.mrc x.mrc",
    "tessera diff volume.mrc volume.mrc --tolerance 1e-6 --header",
    NULL,
};

const verb verb_diff = {
    .name = "diff",
    .subject = "files",
    .summary = "compare two files; exit 1 if they differ",
    .arguments = "INPUT INPUT",
    .text = "Prints the largest difference, the root-mean-square difference, the correlation of all values, the number "
            "of values that differ by more than --tolerance + --relative * |b|, and the positions of the first and the "
            "largest difference (x, y, image or section, from 0). Two NaNs are equal; a NaN and a number are not. "
            "Sizes, and whether sections are images or volumes, always count; other differences of the headers are "
            "reported, and count with --header.",
    .globals = GLOBAL_READ | GLOBAL_SLICES | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_OF_FILE(2, 2),
};
