/* tessera pad: a box that may be larger than the image, and what fills the rest of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/box.h"
#include "files/one_input.h"
#include "maps/resampling.h"

static const option options[] = {
    BOX_OPTIONS,
    VALUE("fill", "F", OPTION_TEXT, "values outside: mean, zero, edge, mirror, reflect, wrap, or a number [mean]"),
    FLAG("cut", "allow the box to leave out pixels of the input"),
    VALUE("taper", "N", OPTION_INTEGER, "fade the outer N pixels to the fill value [0]"),
    { 0 },
};
static const char *const examples[] = {
    "tessera pad --box 96 stack.mrcs -o wide.mrcs",
    "tessera pad --box 128 --fill 0 --taper 5 x.mrc -o soft.mrc",
    NULL,
};

typedef struct padding {
    tess_shape  box, at, shape; /* of the result, its position in the input, and the input */
    tess_border border;
    bool        mean, whole;
    double      value;
    double     *means; /* of volumes, found before */
    int64_t     taper;
    tess_op    *fade;
} padding;

/* Weights fall from 1 inside to 0 beyond the outermost pixel, as a raised cosine along each axis. */
static const char fade_text[] =
    "fn f64 side(i64 i, i64 n, i64 taper) {\n"
    "    i64 e = min(i, n - 1 - i) + 1;\n"
    "    return e > taper ? (f64)1 : (1 - cos(pi*(f64)e/((f64)taper + 1)))/2;\n"
    "}\n"
    "op fade(inout T x, val f64 fill, val i64 taper, val i64 first, val i64 depth, val bool volume) {\n"
    "    f64 k = side(h, size(2), taper) * side(w, size(3), taper);\n"
    "    if (volume) { k = k * side(d + first, depth, taper); }\n"
    "    x = (T)(fill + ((f64)x - fill)*k);\n"
    "}\n";

/* Sections of the input that are in z to z + nz of the result: those that are there. */
static void sections(const void *context, int64_t z, int64_t nz, int64_t *from, int64_t *n)
{
    const padding *p = context;
    int64_t        first = z + p->at.d, last = first + nz;
    if (p->whole) first = 0, last = p->shape.d;
    if (first < 0) first = 0;
    if (last > p->shape.d) last = p->shape.d;
    *from = first < last ? first : 0;
    *n = first < last ? last - first : 0;
}

static tess_status pad_one(const padding *p, tess_array *out, tess_array *in, int64_t b, const slab *s)
{
    int64_t from, n;
    sections(p, s->z, s->nz, &from, &n);
    double fill = p->value;
    if (p->means) fill = p->means[b];
    else if (p->mean) TESS_TRY(tess_host_mean(&fill, in));
    const tess_kind kind = tess_dtype_kind(in->dtype);
    if (kind != TESS_KIND_FLOAT && kind != TESS_KIND_COMPLEX) fill = rint(fill);
    if (p->taper > 0 && n > 0) { TESS_TRY(tess_call(p->fade, in, fill, p->taper, from, p->shape.d, p->shape.d > 1)); }
    const int64_t before = n > 0 ? from - (s->z + p->at.d) : 0;
    tess_shape    left = TESS_SHAPE(0, before, -p->at.h, -p->at.w), right;
    for (int i = 0; i < 4; ++i) right.dim[i] = out->shape.dim[i] - in->shape.dim[i] - left.dim[i];
    return tess_pad(out, in, left, right, &(tess_resize_opts){ .border = (int32_t)p->border, .value = fill });
}

static tess_status pad_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    for (int64_t i = 0; i < s->nb; ++i) {
        tess_array to, from;
        TESS_TRY(tess_index(&to, out, 0, i));
        TESS_TRY(tess_index(&from, in, 0, i));
        TESS_TRY(pad_one(context, &to, &from, s->b + i, s));
    }
    return TESS_OK;
}

/* Adds up the sections of each volume in their order, whatever the slabs. */
static tess_status add_sections(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    padding *p = context;
    for (int64_t i = 0; i < s->nb * s->nz; ++i) {
        const tess_region one = { .b = tess_only(i / s->nz), .d = tess_only(i % s->nz) };
        tess_array        section;
        double            sum;
        TESS_TRY(tess_subregion(&section, in, one));
        TESS_TRY(tess_host_sum(&sum, &section));
        p->means[s->b + i / s->nz] += sum / (double)(p->shape.d * p->shape.h * p->shape.w);
    }
    return TESS_OK;
}

static tess_status find_means(job *j, padding *p, input *in)
{
    slab_plan plan = plan_of_sections(&in, p->shape);
    plan.unit = "images (mean)";
    p->means = calloc((size_t)p->shape.b, sizeof(double));
    TESS_CHECK(p->means, TESS_ENOMEM, "pad: out of memory");
    return stream_slabs(j, &plan, NULL, add_sections, p);
}

static bool repeats_pixels(tess_border border)
{
    return border == TESS_BORDER_CLAMP || border == TESS_BORDER_PERIODIC || border == TESS_BORDER_MIRROR ||
           border == TESS_BORDER_REFLECT;
}

static tess_status read_fill(const job *j, padding *p)
{
    const char       *text = job_text(j, "fill", "mean");
    const tess_border named = border_named(text);
    p->mean = strcmp(text, "mean") == 0;
    p->border = repeats_pixels(named) ? named : TESS_BORDER_VALUE;
    if (!p->mean && p->border == TESS_BORDER_VALUE && named != TESS_BORDER_ZERO) {
        char *end;
        p->value = strtod(text, &end);
        TESS_CHECK(*text && !*end, TESS_EARG,
                   "pad: --fill is %s; expected mean, zero, edge, mirror, reflect, wrap or a number", text);
    }
    p->taper = job_integer(j, "taper", 0);
    TESS_CHECK(p->taper >= 0, TESS_EARG, "pad: --taper is %lld; 0 or more pixels are allowed", (long long)p->taper);
    TESS_CHECK(p->taper == 0 || p->border == TESS_BORDER_VALUE, TESS_EARG,
               "pad: --taper requires --fill mean, zero or a number, not %s", text);
    return TESS_OK;
}

/* What pad makes is larger: pixels are lost only where the user said so. */
static tess_status check_inside(const job *j, const input *in, const padding *p)
{
    for (int i = 3; i > 0 && !job_has(j, "cut"); --i) {
        const int64_t end = p->at.dim[i] + p->box.dim[i];
        TESS_CHECK(p->at.dim[i] <= 0 && end >= p->shape.dim[i], TESS_EARG,
                   "pad: the box has pixels %lld to %lld along %c, but %s has 0 to %lld, some of which are left out; "
                   "use tessera crop to make images smaller, or --cut to allow it",
                   (long long)p->at.dim[i], (long long)end - 1, "?zyx"[i], in -> name,
                   (long long)p -> shape.dim[i] - 1);
    }
    return TESS_OK;
}

static tess_status pad_file(job *j, input *in, padding *p)
{
    p->shape = in->info.shape;
    TESS_TRY(box_of_options(j, in, &p->box, &p->at));
    TESS_TRY(check_inside(j, in, p));
    TESS_TRY(read_fill(j, p));
    const bool complex = tess_dtype_kind(in->info.dtype) == TESS_KIND_COMPLEX;
    TESS_CHECK(!complex || (!p->mean && p->taper == 0), TESS_EDTYPE,
               "pad: %s has complex numbers; --fill mean and --taper need real ones", in->name);
    p->whole = p->border != TESS_BORDER_VALUE && (p->at.d != 0 || p->box.d != p->shape.d);
    if (p->taper > 0) TESS_TRY(tess_op_text(&p->fade, fade_text));
    if (p->mean && p->shape.d > 1) TESS_TRY(find_means(j, p, in));
    tess_meta meta = meta_of(in);
    TESS_TRY(tess_meta_crop(&meta, p->at));
    const tess_dtype dtype = p->taper > 0 ? dtype_to_compute(in->info.dtype) : in->info.dtype;
    slab_plan        plan = plan_of_sections(&in, p->box);
    plan.in_dtypes = &dtype;
    plan.need = sections, plan.context = p;
    plan.whole = p->whole;
    plan.out_dtype = dtype;
    plan.file_dtype = p->taper > 0 ? dtype_to_keep(in->info.dtype) : dtype;
    return stream_slabs_to_file(j, &plan, &meta, pad_slab, p);
}

static tess_status run(job *j)
{
    input   in = { 0 };
    padding p = { 0 };
    TESS_TRY(open_input(j, &in));
    const tess_status status = pad_file(j, &in, &p);
    tess_op_release(p.fade);
    free(p.means);
    input_close(&in);
    return status;
}

const verb verb_pad = {
    .name = "pad",
    .subject = "size and place",
    .summary = "pad each image or volume to a larger box",
    .arguments = "INPUT... -o OUT",
    .text = "The middle pixel, n/2, stays in the middle, unless --center or --at places the box elsewhere; with --cut "
            "the box may leave out part of the input. mean is that of each image or volume; edge repeats the outermost "
            "pixel, mirror and reflect mirror at the edge (with and without repeating the outermost pixel), wrap "
            "continues from the opposite side. The origin moves with the box.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
