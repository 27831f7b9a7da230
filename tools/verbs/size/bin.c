/* tessera bin: blocks of pixels become one. */
#include <stdio.h>
#include <string.h>

#include "files/box.h"
#include "files/one_input.h"

static const option options[] = {
    VALUE("factor", "N", OPTION_XYZ, "block size in pixels: one number, or x,y,z [2]"),
    CHOICE("method", "M", "mean sum median", "statistic of each block [mean]"),
    { 0 },
};
static const char *const examples[] = {
    "tessera bin --factor 4 stack.mrcs -o small.mrcs",
    "tessera bin --factor 2,2,1 --method median volume.mrc -o flat.mrc",
    NULL,
};

typedef struct binning {
    tess_shape factors;
    tess_dtype dtype;
    bool       sum, median;
} binning;

static void sections(const void *context, int64_t z, int64_t nz, int64_t *from, int64_t *n)
{
    const binning *b = context;
    *from = z * b->factors.d;
    *n = nz * b->factors.d;
}

/* Pixels y, x of the blocks of section z, side by side along the batch: their median is one over that axis. */
static tess_status median_of_section(tess_array *out, const tess_array *in, tess_shape factors)
{
    const tess_shape shape = out->shape;
    tess_array       indices = { 0 };
    TESS_TRY(tess_empty(&indices, TESS_SHAPE(factors.d * factors.h * factors.w, 1, shape.h, shape.w), in->dtype,
                        in->device));
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < indices.shape.b && status == TESS_OK; ++i) {
        const int64_t     z = i / (factors.h * factors.w), y = i / factors.w % factors.h, x = i % factors.w;
        const tess_region region = { .d = tess_only(z),
                                     .h = tess_from_to_step(y, y + shape.h * factors.h, factors.h),
                                     .w = tess_from_to_step(x, x + shape.w * factors.w, factors.w) };
        tess_array        from, to;
        TESS_GOTO(done, status, tess_subregion(&from, in, region));
        TESS_GOTO(done, status, tess_index(&to, &indices, 0, i));
        TESS_GOTO(done, status, tess_copy(&to, &from));
    }
    TESS_GOTO(done, status, tess_median(out, &indices, TESS_B, NULL));
done:
    tess_release(&indices);
    return status;
}

static tess_status median_of_blocks(tess_array *out, const tess_array *in, tess_shape factors)
{
    for (int64_t i = 0; i < out->shape.b * out->shape.d; ++i) {
        const int64_t     b = i / out->shape.d, z = i % out->shape.d;
        const tess_region to = { .b = tess_only(b), .d = tess_only(z) };
        const tess_region from = { .b = tess_only(b), .d = tess_from_to(z * factors.d, (z + 1) * factors.d) };
        tess_array        section, blocks;
        TESS_TRY(tess_subregion(&section, out, to));
        TESS_TRY(tess_subregion(&blocks, in, from));
        TESS_TRY(median_of_section(&section, &blocks, factors));
    }
    return TESS_OK;
}

static tess_status bin_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)s;
    const binning *b = context;
    if (b->median) return median_of_blocks(out, in, b->factors);
    return tess_bin(out, in, b->factors, &(tess_bin_opts){ .sum = b->sum });
}

/* What does not fill a block: the last columns, rows and sections. */
static void tell_left_out(job *j, const input *in, tess_shape factors)
{
    char   text[160] = "";
    size_t used = 0;
    for (int i = 3; i > 0; --i) {
        const char *const what[] = { "", "section", "row", "column" };
        const int64_t     n = in->info.shape.dim[i] % factors.dim[i];
        if (n == 0) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld %s%s of %lld", used ? ", " : "", (long long)n,
                                 what[i], n == 1 ? "" : "s", (long long)in->info.shape.dim[i]);
    }
    if (used) job_note(j, "%s: the last %s do not fill a block and are left out", in->name, text);
}

static tess_status bin_file(job *j, input *in)
{
    const tess_shape shape = in->info.shape;
    const char      *method = job_text(j, "method", "mean");
    binning          b = { TESS_SHAPE(1, 1, 2, 2), dtype_to_compute(in->info.dtype), false, false };
    b.sum = strcmp(method, "sum") == 0;
    b.median = strcmp(method, "median") == 0;
    if (shape.d > 1) b.factors.d = 2;
    TESS_TRY(option_whole_xyz(j, "factor", shape, 1, &b.factors));
    TESS_CHECK(!b.median || tess_dtype_kind(in->info.dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "bin: %s has complex numbers, which have no median", in->name);
    tess_shape out = shape;
    double     factor[3], shift[3];
    for (int i = 1; i < 4; ++i) {
        TESS_CHECK(b.factors.dim[i] <= shape.dim[i], TESS_EARG,
                   "bin: --factor along %c is %lld; %s has %lld pixels along it", "?zyx"[i],
                   (long long)b.factors.dim[i], in->name, (long long)shape.dim[i]);
        out.dim[i] = shape.dim[i] / b.factors.dim[i];
        factor[i - 1] = (double)b.factors.dim[i];
        shift[i - 1] = (factor[i - 1] - 1) / 2;
    }
    tell_left_out(j, in, b.factors);
    tess_meta meta = meta_of(in);
    TESS_TRY(tess_meta_scale(&meta, factor, shift));
    tell_lost_cell(j, in, &meta);
    slab_plan plan = plan_of_sections(&in, out);
    plan.device = j->device;
    plan.need = sections, plan.context = &b;
    plan.out_dtype = b.dtype;
    plan.file_dtype = b.sum ? b.dtype : dtype_to_keep(in->info.dtype);
    return stream_slabs_to_file(j, &plan, &meta, bin_slab, &b);
}

static tess_status run(job *j) { return on_input_to_output(j, bin_file); }

const verb verb_bin = {
    .name = "bin",
    .subject = "size and place",
    .summary = "bin pixels: mean, sum or median of each block",
    .arguments = "INPUT... -o OUT",
    .text =
        "Volumes are binned along x, y and z, images along x and y. The last columns, rows and sections that do not "
        "fill a block are left out, with a note. Integers become f32 (f64 from 32 bits on), unless --dtype says "
        "otherwise. The pixel size grows by the factor, and the origin moves to the centre of the first block.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
