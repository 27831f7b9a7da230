/* tessera crop: a box of each image or volume. */
#include "files/box.h"
#include "files/one_input.h"

static const option      options[] = { BOX_OPTIONS, { 0 } };
static const char *const examples[] = {
    "tessera crop --box 32 stack.mrcs -o middle.mrcs",
    "tessera crop --box 16,16,8 --at 4,4,12 volume.mrc -o part.mrc",
    NULL,
};

typedef struct cropping {
    tess_shape box, at;
} cropping;

static void sections(const void *context, int64_t z, int64_t nz, int64_t *from, int64_t *n)
{
    const cropping *c = context;
    *from = z + c->at.d;
    *n = nz;
}

static tess_status crop_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)s;
    const cropping   *c = context;
    const tess_region region = { .h = tess_from_to(c->at.h, c->at.h + c->box.h),
                                 .w = tess_from_to(c->at.w, c->at.w + c->box.w) };
    return tess_subregion(out, in, region);
}

static tess_status crop_file(job *j, input *in)
{
    const tess_shape shape = in->info.shape;
    cropping         c;
    TESS_TRY(box_of_options(j, in, &c.box, &c.at));
    for (int i = 1; i < 4; ++i) {
        TESS_CHECK(c.at.dim[i] >= 0 && c.at.dim[i] + c.box.dim[i] <= shape.dim[i], TESS_ERANGE,
                   "crop: the box extends from %lld to %lld along %c; %s has pixels 0 to %lld (use tessera pad to fill "
                   "the outside)",
                   (long long)c.at.dim[i], (long long)(c.at.dim[i] + c.box.dim[i] - 1), "?zyx"[i], in -> name,
                   (long long)shape.dim[i] - 1);
    }
    tess_meta meta = meta_of(in);
    TESS_TRY(tess_meta_crop(&meta, c.at));
    slab_plan plan = plan_of_sections(&in, c.box);
    plan.need = sections, plan.context = &c;
    return stream_slabs_to_file(j, &plan, &meta, crop_slab, &c);
}

static tess_status run(job *j) { return on_input_to_output(j, crop_file); }

const verb verb_crop = {
    .name = "crop",
    .subject = "size and place",
    .summary = "crop a box out of each image or volume",
    .arguments = "INPUT... -o OUT",
    .text =
        "The box is centred on the middle pixel, n/2, unless --center or --at is given. Positions count from 0, in the "
        "order x,y,z; a single number applies to all axes, for images to x and y. The origin moves with the box.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
