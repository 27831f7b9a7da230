/* tessera stack: images and volumes of several files in one. */
#include <stdlib.h>
#include <string.h>

#include "files/append_input.h"
#include "files/input_meta.h"
#include "tessera/mrc.h"

/* What the files have in common. */
typedef struct whole {
    tess_shape     shape; /* b: of all files */
    tess_dtype     dtype; /* that holds the numbers of all */
    tess_meta      meta;  /* of the first */
    unsigned char *records;
    int64_t        n_bytes; /* of extended headers, one after the other */
    bool           drop;    /* they do not go together */
} whole;

/* The records of all sections of an input, as bytes; empty if there are none that can be told apart. */
static tess_status records_of(const input *in, tess_array *records)
{
    const tess_meta *meta = &in->info.meta;
    tess_shape       shape = in->info.shape;
    int64_t          n = shape.b * shape.d;
    if (!in->file || in->info.format != TESS_FORMAT_MRC || meta->extended_size == 0) return TESS_OK;
    if (in->chosen)
        return tess_wrap(records, (void *)meta->extended, TESS_SHAPE(1, 1, 1, meta->extended_size), TESS_U8, NULL);
    int64_t *all = malloc(sizeof *all * (size_t)(n + 1));
    TESS_CHECK(all, TESS_ENOMEM, "%s: no memory for a list of %lld sections", in->name, (long long)n);
    for (int64_t i = 0; i < n; i++) all[i] = i;
    tess_status status = tess_mrc_select_extended(records, in->file, all, n);
    free(all);
    return status;
}

static tess_status add_records(whole *w, const input *in)
{
    const tess_meta *meta = &in->info.meta;
    tess_array       records = { 0 };
    TESS_TRY(records_of(in, &records));
    size_t n = (size_t)tess_n_bytes(&records);
    bool   same = strcmp(meta->extended_type, w->meta.extended_type) == 0 &&
                memcmp(meta->extended_layout, w->meta.extended_layout, sizeof meta->extended_layout) == 0;
    unsigned char *more = n > 0 && same && !w->drop ? realloc(w->records, (size_t)w->n_bytes + n) : NULL;
    if (more) {
        memcpy(more + w->n_bytes, records.data, n);
        w->records = more;
        w->n_bytes += (int64_t)n;
    } else {
        w->drop = true;
    }
    tess_release(&records);
    return TESS_OK;
}

static tess_status add_file(whole *w, job *j, const input *in, bool volume)
{
    tess_shape s = in->info.shape, t = w->shape;
    if (volume) s = TESS_SHAPE(s.b * s.d, 1, s.h, s.w);
    if (t.b == 0) {
        w->shape = s;
        w->dtype = in->info.dtype;
        w->meta = in->info.meta;
        return add_records(w, in);
    }
    TESS_CHECK(s.h == t.h && s.w == t.w && s.d == t.d, TESS_ESHAPE,
               "%s: %lld x %lld x %lld (x y z) does not match %lld x %lld x %lld of %s", in->name, (long long)s.w,
               (long long)s.h, (long long)s.d, (long long)t.w, (long long)t.h, (long long)t.d, j->arguments[0]);
    double a = in->info.meta.pixel_size[2], b = w->meta.pixel_size[2];
    if (tess_pixel_sizes_differ(b, a)) {
        job_warn(j, "%s: its pixel size is %g A; that of %s, %g A, is kept", in->name, a, j->arguments[0], b);
    }
    for (int i = 0; i < 3 && b <= 0; i++) w->meta.pixel_size[i] = in->info.meta.pixel_size[i];
    w->shape.b += s.b;
    w->dtype = tess_dtype_promote(w->dtype, in->info.dtype);
    return add_records(w, in);
}

static tess_status look_at_all(whole *w, job *j)
{
    bool any = false;
    for (int i = 0; i < j->n_arguments; i++) {
        input in;
        TESS_TRY(input_open(&in, j, j->arguments[i], NEED_ANY));
        any = any || in.info.meta.extended_size > 0;
        tess_status status = add_file(w, j, &in, job_has(j, "volume"));
        input_close(&in);
        TESS_TRY(status);
    }
    if (w->drop && any) job_note(j, "the extended headers cannot be combined, and are left out");
    if (w->drop) tess_meta_forget_extended(&w->meta);
    else w->meta.extended = w->records, w->meta.extended_size = w->n_bytes;
    tess_meta_forget_stats(&w->meta);
    if (!job_has(j, "volume")) return TESS_OK;
    TESS_CHECK(w->shape.d == 1, TESS_ESHAPE, "stack: --volume takes images, not volumes");
    tess_meta_forget_cell(&w->meta); /* what is put together here is no part of a cell */
    w->shape = TESS_SHAPE(1, w->shape.b, w->shape.h, w->shape.w);
    return TESS_OK;
}

static tess_status append_file(job *j, const char *argument, output *out, const whole *w, progress *bar)
{
    input in;
    TESS_TRY(input_open(&in, j, argument, NEED_ANY));
    tess_shape shape = in.info.shape;
    if (job_has(j, "volume")) in.info.shape = TESS_SHAPE(1, shape.b * shape.d, shape.h, shape.w);
    tess_status status = append_input(j, &in, out, w->dtype, bar);
    input_close(&in);
    return status;
}

static tess_status append_all(job *j, output *out, const whole *w)
{
    progress   *bar = NULL;
    tess_status status = TESS_OK;
    int64_t     each = w->shape.h * w->shape.w * (int64_t)tess_dtype_size(w->dtype);
    TESS_TRY(progress_start(&bar, j, "images", w->shape.b * w->shape.d, each));
    for (int i = 0; i < j->n_arguments && status == TESS_OK; i++) status = append_file(j, j->arguments[i], out, w, bar);
    progress_end(bar);
    return status;
}

static tess_status write_all(job *j, const whole *w)
{
    output out;
    bool   skip;
    TESS_TRY(output_planned(j, NULL, w->shape, w->dtype, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(output_start(&out, j, NULL, w->shape, w->dtype, &w->meta));
    return output_end(&out, j, append_all(j, &out, w));
}

static tess_status run(job *j)
{
    whole w = { 0 };
    TESS_TRY(output_check(j, NULL));
    tess_status status = look_at_all(&w, j);
    if (status == TESS_OK) status = write_all(j, &w);
    free(w.records);
    return status;
}

static const option options[] = {
    FLAG("volume", "make the images the sections of one volume"),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera stack x.mrc y.mrc -o pair.mrcs",
    "tessera stack stack.mrcs 3@stack.mrcs -o more.mrcs",
    "tessera stack particles.star -o particles.mrcs",
    "tessera stack --volume x.mrc y.mrc -o slab.mrc",
    NULL,
};

const verb verb_stack = {
    .name = "stack",
    .subject = "files",
    .summary = "combine several files into one stack",
    .arguments = "INPUT... -o OUT",
    .text = "Images, stacks and lists of images become one stack, in the order given; volumes of equal size become a "
            "stack of volumes. --slices selects from each file. The output type holds the values of all files; the "
            "pixel size is that of the first.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, -1),
};
