/* tessera mask: masks with soft edges, from maps, shapes and other masks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/on_device.h"
#include "measure/geometry.h"
#include "measure/pixel_sizes.h"
#include "maps/shapes.h"
#include "measure/unit_cell.h"
#include "measure/units.h"

static const option options[] = {
    { .name = "threshold",
      .value = "V",
      .type = OPTION_TEXT,
      .help = "what is at least this is in the mask; otsu finds it from the histogram [otsu]" },
    { .name = "lowpass", .value = "A", .type = OPTION_TEXT, .help = "filter the map first, or none [15]" },
    { .name = "largest", .type = OPTION_FLAG, .help = "keep the largest connected part alone" },
    { .name = "extend", .value = "L", .type = OPTION_LENGTH, .help = "grow by this distance; negative: shrink [0]" },
    { .name = "soft",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "width of the raised-cosine edge outside, of maps and shapes [0]" },
    SHAPE_OPTIONS,
    { .name = "center",
      .alias = "centre",
      .value = "X,Y,Z",
      .type = OPTION_TEXT,
      .help = "of the shapes, in pixels or as 120A [n/2 of each side]" },
    { .name = "use", .value = "MASK", .type = OPTION_FILE, .help = "take this mask as it is" },
    { .name = "and", .value = "MASK", .type = OPTION_FILE, .many = true, .help = "the smaller of both masks" },
    { .name = "or", .value = "MASK", .type = OPTION_FILE, .many = true, .help = "the larger of both masks" },
    { .name = "not", .type = OPTION_FLAG, .many = true, .help = "one minus the mask" },
    { .name = "apply", .type = OPTION_FLAG, .help = "write the input times the mask, not the mask" },
    { .name = "outside", .value = "V", .type = OPTION_NUMBER, .help = "with --apply: the value outside [0]" },
    { 0 },
};
static const char *const examples[] = {
    "tessera mask half1.mrc --threshold 0.3 --lowpass 10 --largest --extend 3 --soft 6 -o around.mrc",
    "tessera mask half1.mrc --soft 5 -o otsu.mrc",
    "tessera mask --sphere 18A --soft 4 volume.mrc -o ball.mrc",
    "tessera mask --shell 6,12 --cylinder 3,30 volume.mrc -o both.mrc",
    "tessera mask --sphere 20 --soft 6 --apply stack.mrcs -o round.mrcs",
    "tessera mask mask.mrc --not -o hole.mrc",
    NULL,
};

enum { MAX_PARTS = 16 };

/* Where the mask comes from. */
typedef enum mask_source { FROM_MAP, FROM_SHAPES, FROM_FILE, FROM_INPUT } mask_source;

/* What is done with it then. */
typedef struct mask_part {
    char       how;  /* 'a' and, 'o' or, 'n' not; 'u': the mask of --use */
    tess_array mask; /* {1 or b,d,h,w} of f32 */
} mask_part;

typedef struct masking {
    job        *job;
    const char *name;   /* of the input */
    bool        is_one; /* it has one image or volume */
    mask_source source;
    shape_list  shapes;
    double      cutoff, edge; /* cycles per pixel; a cutoff of 0: no filter */
    tess_metric metric;
    bool        otsu;
    double      threshold;
    double      extend, soft; /* pixels */
    bool        largest, apply;
    double      outside;
    mask_part   parts[MAX_PARTS];
    int         n_parts;
} masking;

/* ---- Options ---- */

static bool has_any(const job *j, const char *const *names)
{
    for (; *names; ++names)
        if (job_has(j, *names)) return true;
    return false;
}

static tess_status find_source(const job *j, masking *m)
{
    static const char *const of_maps[] = { "threshold", "lowpass", "largest", "extend", NULL };
    static const char *const joining[] = { "and", "or", "not", NULL };
    const bool               map = has_any(j, of_maps), shapes = m->shapes.n > 0, file = job_has(j, "use");
    TESS_CHECK(!shapes || !map, TESS_EARG,
               "mask: a mask is made of shapes or of a map (--threshold, --lowpass, --largest, --extend), not of both; "
               "make two, and join them by --and or --or");
    TESS_CHECK(!file || !(map || shapes || job_has(j, "soft")), TESS_EARG,
               "mask: --use takes a mask as it is; options that make one do not go with it");
    TESS_CHECK(!job_has(j, "center") || shapes, TESS_EARG, "mask: --center is for shapes, and none was given");
    TESS_CHECK(!job_has(j, "outside") || job_has(j, "apply"), TESS_EARG,
               "mask: --outside is for --apply, which was not given");
    const bool is_mask = !map && !job_has(j, "soft") && !job_has(j, "apply") && has_any(j, joining);
    m->source = file ? FROM_FILE : shapes ? FROM_SHAPES : is_mask ? FROM_INPUT : FROM_MAP;
    return TESS_OK;
}

static tess_status read_threshold(const job *j, masking *m)
{
    const char *text = job_text(j, "threshold", "otsu");
    quantity    q = { 0 };
    m->otsu = strcmp(text, "otsu") == 0;
    if (!m->otsu) TESS_TRY(parse_quantity("--threshold", OPTION_NUMBER, text, &q));
    TESS_CHECK(isfinite(q.value), TESS_ERANGE, "mask: --threshold is %s; a finite number or otsu is needed", text);
    m->threshold = q.value;
    return TESS_OK;
}

/* A raised cosine over 2 shells about the cut-off, as `filter` has it. */
static tess_status read_lowpass(job *j, const input *in, masking *m)
{
    const char      *text = job_text(j, "lowpass", "15");
    const tess_meta *meta = &in->info.meta;
    const tess_shape shape = in->info.shape;
    const bool       volume = shape.d > 1;
    quantity         q;
    int64_t          side = shape.h < shape.w ? shape.h : shape.w;
    if (strcmp(text, "none") == 0) return TESS_OK;
    if (volume && shape.d < side) side = shape.d;
    TESS_CHECK(job_has(j, "lowpass") || meta->pixel_size[2] > 0, TESS_EARG,
               "mask: %s is filtered to 15 A first, and its pixel size is not known; give --apix, or --lowpass none",
               in->name);
    TESS_TRY(parse_quantity("--lowpass", OPTION_CUTOFF, text, &q));
    TESS_TRY(to_cycles("--lowpass", OPTION_CUTOFF, q, meta->pixel_size[2], side, &m->cutoff));
    const double highest = unit_cell_highest_frequency(meta, volume), half = 1 / (double)side;
    if (m->cutoff > highest) job_note(j, "--lowpass %s lies beyond Nyquist: taken as that", text);
    m->cutoff = fmin(m->cutoff, highest);
    m->edge = m->cutoff + half - fmax(m->cutoff - half, 0);
    m->cutoff = fmax(m->cutoff - half, 1e-9);
    m->metric = unit_cell_metric(meta, volume);
    return TESS_OK;
}

static tess_status read_lengths(job *j, const input *in, masking *m)
{
    const double    *size = in->info.meta.pixel_size;
    const tess_shape shape = in->info.shape;
    const bool       volume = shape.d > 1;
    TESS_TRY(job_length(j, "extend", size[2], &m->extend));
    TESS_TRY(job_length(j, "soft", size[2], &m->soft));
    TESS_CHECK(m->soft >= 0, TESS_ERANGE, "mask: --soft is %s; 0 or more is needed", job_text(j, "soft", ""));
    m->shapes.soft = m->soft;
    for (int i = 0; i < 3; ++i) m->shapes.centre[i] = (double)(shape.dim[i + 1] / 2);
    TESS_TRY(option_point_xyz(j, "center", in, m->shapes.centre));
    TESS_TRY(shapes_of_options(&m->shapes, j, in));
    const bool uneven =
        fabs(size[1] - size[2]) > 1e-3 * size[2] || (volume && fabs(size[0] - size[2]) > 1e-3 * size[2]);
    if (uneven) job_note(j, "%s: pixels are not as large along all axes; distances count pixels of x", in->name);
    return TESS_OK;
}

/* ---- Other masks ---- */

static tess_status check_mask(const tess_array *mask, const char *what, const char *path)
{
    double least = 0, most = 0;
    if (tess_n_elements(mask) > 0) TESS_TRY(tess_host_minmax(&least, &most, mask));
    TESS_CHECK(least >= -1e-6 && most <= 1 + 1e-6, TESS_ERANGE,
               "mask: %s %s has values from %g to %g; a mask has 0 to 1", what, path, least, most);
    return TESS_OK;
}

static tess_status check_size(tess_shape got, tess_shape needed, const char *what, const char *path)
{
    const bool same = got.d == needed.d && got.h == needed.h && got.w == needed.w;
    TESS_CHECK(same, TESS_ESHAPE, "mask: %s %s has %lld x %lld x %lld pixels; %lld x %lld x %lld are needed", what,
               path, (long long)got.w, (long long)got.h, (long long)got.d, (long long)needed.w, (long long)needed.h,
               (long long)needed.d);
    TESS_CHECK(got.b == 1 || got.b == needed.b, TESS_ESHAPE,
               "mask: %s %s has %lld masks; 1 is needed, or one for each of %lld", what, path, (long long)got.b,
               (long long)needed.b);
    return TESS_OK;
}

static tess_status read_mask(job *j, const input *in, const char *name, const char *path, tess_array *mask)
{
    input       other;
    char        what[16];
    tess_status status;
    (void)snprintf(what, sizeof what, "--%s", name);
    TESS_TRY(input_open(&other, j, path, in->info.shape.d > 1 ? NEED_VOLUME : NEED_IMAGES));
    TESS_GOTO(done, status, check_size(other.info.shape, in->info.shape, what, path));
    TESS_GOTO(done, status, need_real(j, &other));
    warn_of_pixel_sizes(j, in, &other);
    TESS_GOTO(done, status, input_read_all(&other, j, mask, TESS_F32));
    TESS_GOTO(done, status, check_mask(mask, what, path));
    TESS_GOTO(done, status, move_array(mask, j->device));
done:
    input_close(&other);
    return status;
}

static tess_status add_part(job *j, const input *in, masking *m, const char *name, const char *path)
{
    TESS_CHECK(m->n_parts < MAX_PARTS, TESS_EARG, "mask: more than %d times --and, --or, --not", MAX_PARTS);
    mask_part *p = &m->parts[m->n_parts++];
    p->how = name[0];
    return p->how == 'n' ? TESS_OK : read_mask(j, in, name, path, &p->mask);
}

/* The mask of --use comes first, the others in the order of the command line. */
static tess_status read_parts(job *j, const input *in, masking *m)
{
    const char *name, *value;
    if (m->source == FROM_FILE) TESS_TRY(add_part(j, in, m, "use", job_text(j, "use", "")));
    for (int i = 0; job_option(j, i, &name, &value); ++i)
        if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0 || strcmp(name, "not") == 0)
            TESS_TRY(add_part(j, in, m, name, value));
    return TESS_OK;
}

/* ---- Making a mask ---- */

static tess_status find_threshold(const masking *m, const tess_array *map, double *threshold)
{
    tess_array thresholds = { 0 };
    char       text[32];
    *threshold = m->threshold;
    if (!m->otsu) return TESS_OK;
    TESS_TRY(tess_otsu(&thresholds, map, NULL));
    const tess_status status = tess_host_max(threshold, &thresholds);
    tess_release(&thresholds);
    TESS_TRY(status);
    (void)number_text_as(text, *threshold, TESS_F32);
    if (m->is_one) job_note(m->job, "%s: Otsu's threshold is %s", m->name, text);
    else job_detail(m->job, "%s: Otsu's threshold is %s", m->name, text);
    return TESS_OK;
}

/* Of one image or volume, in which all is finite. */
static tess_status mask_of_map(const masking *m, tess_array *mask, const tess_array *map)
{
    double                      least, most, threshold, covered;
    const tess_mask_create_opts opts = { .extend = m->extend, .width = m->soft, .keep_largest = m->largest };
    TESS_TRY(tess_host_minmax(&least, &most, map));
    TESS_CHECK(isfinite(least) && isfinite(most), TESS_ERANGE,
               "mask: %s has values that are NaN or infinite; a mask is made of finite ones", m->name);
    TESS_TRY(find_threshold(m, map, &threshold));
    TESS_TRY(tess_mask_create(mask, map, threshold, &opts));
    TESS_TRY(tess_host_max(&covered, mask));
    if (covered == 0)
        job_warn(m->job, "%s: the mask is empty: values go from %.6g to %.6g, and the threshold is %.6g", m->name,
                 least, most, threshold);
    return TESS_OK;
}

static tess_status masks_of_maps(const masking *m, tess_array *masks, const tess_array *maps)
{
    tess_array              filtered = { 0 };
    const tess_array       *from = maps;
    const tess_lowpass_opts opts = { .width = m->edge, .metric = m->metric };
    tess_status             status = TESS_OK;
    if (tess_n_elements(maps) == 0) return TESS_OK;
    if (m->cutoff > 0) {
        TESS_TRY(tess_lowpass_image(&filtered, maps, m->cutoff, &opts));
        from = &filtered;
    }
    for (int64_t i = 0; i < maps->shape.b; ++i) {
        tess_array map, mask;
        TESS_GOTO(done, status, tess_index(&map, from, 0, i));
        TESS_GOTO(done, status, tess_index(&mask, masks, 0, i));
        TESS_GOTO(done, status, mask_of_map(m, &mask, &map));
    }
done:
    tess_release(&filtered);
    return status;
}

static tess_status join(tess_array *masks, const mask_part *p, int64_t first)
{
    tess_array other = p->mask;
    if (p->how == 'n') return tess_sub(masks, &tess_f32(1), masks);
    if (other.shape.b > 1) TESS_TRY(tess_slice(&other, &p->mask, 0, first, first + masks->shape.b, 1));
    if (p->how == 'u') return tess_copy(masks, &other);
    return p->how == 'a' ? tess_minimum(masks, masks, &other) : tess_maximum(masks, masks, &other);
}

static tess_status make_masks(const masking *m, tess_array *masks, const tess_array *in, int64_t first)
{
    if (m->source == FROM_SHAPES) TESS_TRY(shapes_draw(masks, &m->shapes));
    else if (m->source == FROM_MAP) TESS_TRY(masks_of_maps(m, masks, in));
    else if (m->source == FROM_INPUT) {
        TESS_TRY(check_mask(in, "the input", m->name));
        TESS_TRY(tess_cast(masks, in, TESS_F32, NULL));
    }
    for (int i = 0; i < m->n_parts; ++i) TESS_TRY(join(masks, &m->parts[i], first));
    return TESS_OK;
}

/* in m + outside (1 - m), and where m is 0 what lies outside, also instead of NaN. */
static tess_status apply_masks(tess_array *out, const tess_array *in, const tess_array *masks, double outside)
{
    tess_array  rest = { 0 }, covered = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_mul(out, in, masks));
    if (outside != 0) {
        TESS_GOTO(done, status, tess_sub(&rest, &tess_f32(1), masks));
        TESS_GOTO(done, status, tess_mul(&rest, &rest, &tess_num(outside)));
        TESS_GOTO(done, status, tess_add(out, out, &rest));
    }
    TESS_GOTO(done, status, tess_not_equal(&covered, masks, &tess_num(0)));
    TESS_GOTO(done, status, tess_where(out, &covered, out, &tess_num(outside)));
done:
    tess_release(&rest);
    tess_release(&covered);
    return status;
}

static tess_status mask_slab(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    const masking *m = context;
    tess_array     masks = { 0 };
    tess_status    status;
    if (!m->apply) return make_masks(m, out, in, first);
    TESS_TRY(tess_empty(&masks, in->shape, TESS_F32, in->device));
    TESS_GOTO(done, status, make_masks(m, &masks, in, first));
    TESS_GOTO(done, status, apply_masks(out, in, &masks, m->outside));
done:
    tess_release(&masks);
    return status;
}

/* ---- Files ---- */

static tess_status mask_file(job *j, input *in, masking *m)
{
    enum { OF_MAPS = 4, OF_MASKS = 3 }; /* the filtered map and its spectrum, or distances, components and the mask */
    m->job = j;
    m->name = in->name;
    m->is_one = in->info.shape.b == 1;
    TESS_TRY(need_real(j, in));
    TESS_TRY(read_lengths(j, in, m));
    TESS_TRY(find_source(j, m));
    if (m->source == FROM_MAP) TESS_TRY(read_threshold(j, m));
    if (m->source == FROM_MAP) TESS_TRY(read_lowpass(j, in, m));
    m->largest = job_has(j, "largest");
    m->apply = job_has(j, "apply");
    m->outside = job_number(j, "outside", 0);
    TESS_TRY(read_parts(j, in, m));
    stream_plan      plan = plan_to_compute(in);
    const tess_shape shape = in->info.shape;
    if (!m->apply) plan.out_dtype = plan.file_dtype = TESS_F32;
    plan.extra = (m->source == FROM_MAP ? OF_MAPS : OF_MASKS) * shape.d * shape.h * shape.w *
                 (int64_t)tess_dtype_size(plan.in_dtype);
    for (int i = 0; i < m->n_parts; ++i) plan.taken += tess_n_bytes(&m->parts[i].mask);
    return stream_run(j, in, &plan, mask_slab, m);
}

static tess_status run(job *j)
{
    input    in = { 0 };
    masking *m = calloc(1, sizeof *m);
    TESS_CHECK(m, TESS_ENOMEM, "mask: out of memory");
    tess_status status;
    TESS_GOTO(done, status, open_input(j, &in));
    TESS_GOTO(done, status, mask_file(j, &in, m));
done:
    for (int i = 0; i < m->n_parts; ++i) tess_release(&m->parts[i].mask);
    free(m);
    input_close(&in);
    return status;
}

const verb verb_mask = {
    .name = "mask",
    .subject = "arithmetic",
    .summary = "make masks with soft edges from maps, shapes and other masks, and apply them",
    .arguments = "INPUT... -o OUT",
    .text =
        "Of a map, all that is at least --threshold after --lowpass is in the mask, the largest connected part of it "
        "(by faces) with --largest; it grows by --extend, the Euclidean distance in pixels or as 6A, and falls to 0 "
        "over --soft as a raised cosine of the distance from there. Otsu's threshold is that between two classes of "
        "values whose means differ most.\n"
        "\n"
        "relion_mask_create takes the same steps. Without --extend its masks are the same. With it, a voxel at exactly "
        "the distance of --extend is in our mask and not in RELION's, whose extend_inimask takes what is nearer; and "
        "our soft edge begins at this distance, where RELION's begins at the outermost voxels that are in the mask. "
        "RELION's extend_inimask of 3 without an edge is --extend 2.999.\n"
        "\n"
        "Shapes lie about --center on the grid of the input; a pixel is covered if its centre is. Of several shapes "
        "the mask is all that they cover.\n"
        "\n"
        "--and, --or and --not follow, in the order of the command line, and are for masks with soft edges, too. If "
        "nothing says how to make a mask, the input of these is one. Masks have the size of the input, one for all "
        "of its images or one for each, and values from 0 to 1.\n"
        "\n"
        "With --apply the result is the input times the mask, plus --outside times one minus the mask; where the mask "
        "is 0, NaN does not count. Each image of a stack, and each volume, is by itself.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
