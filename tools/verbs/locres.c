/* tessera locres: local resolution, by the FSC in a soft sphere that is moved over two half maps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/on_device.h"
#include "files/one_input.h"
#include "maps/half_maps.h"

static const option options[] = {
    { .name = "radius",
      .value = "R",
      .type = OPTION_LENGTH,
      .help = "radius of the sphere, in pixels, or with A, nm [12, at most half a side]" },
    { .name = "soft", .value = "W", .type = OPTION_LENGTH, .help = "width of its edge, outside it [6]" },
    { .name = "step", .value = "N", .type = OPTION_INTEGER, .help = "pixels from one position to the next [4]" },
    { .name = "threshold", .value = "F", .type = OPTION_NUMBER, .help = "of the FSC [0.143]" },
    { .name = "no-correct", .type = OPTION_FLAG, .help = "leave in what the sphere correlates by itself" },
    HALF_MAP_OPTIONS,
    { 0 },
};
static const char *const examples[] = {
    "tessera locres half1.mrc half2.mrc --radius 6 --soft 3 -o local.mrc",
    "tessera gen sphere --size 32,32,32 --radius 9 --apix 1.5 -o ball.mrc",
    "tessera locres half1.mrc half2.mrc --mask ball.mrc --radius 6 --threshold 0.5 --step 8 -o local_half.mrc",
    NULL,
};

enum { CHUNK = 2048 }; /* positions between two progress lines */

typedef struct locres {
    half_maps  maps;
    tess_array map[2], random[2]; /* on the device of the job */
    tess_array window;
    int64_t    side, step;           /* of the window; from node to node */
    int64_t    first[3], count[3];   /* nodes along z, y, x */
    double     threshold, frequency; /* above which phases of `random` are random */
    bool       corrects;
    int64_t   *chosen, n_chosen; /* numbers of the nodes that count */
    tess_array nodes;            /* f32 {1,z,y,x}: resolutions in Å */
    tess_array inside;           /* where the mask is above 0, on the CPU; without data: everywhere */
} locres;

/* ---- What is asked for ---- */

/* In pixels; a sphere that is larger than the map would tell nothing of places. */
static tess_status read_sphere(const job *j, const half_maps *h, double *radius, double *soft)
{
    const tess_shape s = h->shape;
    const double     half = 0.5 * fmin((double)s.d, fmin((double)s.h, (double)s.w)), most = fmin(half, 256);
    TESS_CHECK(most >= 2, TESS_ESHAPE,
               "locres: the map is too small, %lld x %lld x %lld pixels (x y z); 4 or more are needed along each axis",
               (long long)s.w, (long long)s.h, (long long)s.d);
    *radius = fmin(12, most), *soft = fmin(6, most);
    TESS_TRY(job_length(j, "radius", h->pixel_size, radius));
    TESS_TRY(job_length(j, "soft", h->pixel_size, soft));
    TESS_CHECK(*radius >= 2 && *radius <= most, TESS_ERANGE,
               "locres: --radius is %g pixels; 2 to %g are allowed for %lld x %lld x %lld pixels (x y z): the sphere "
               "must fit into the map",
               *radius, most, (long long)s.w, (long long)s.h, (long long)s.d);
    TESS_CHECK(*soft >= 0 && *soft <= most, TESS_ERANGE, "locres: --soft is %g pixels; 0 to %g are allowed", *soft,
               most);
    return TESS_OK;
}

static tess_status read_options(job *j, locres *l)
{
    const half_maps *h = &l->maps;
    TESS_CHECK(h->shape.d > 1 && h->shape.b == 1, TESS_ESHAPE, "locres: %s is no volume; one is needed", h->in[0].name);
    double radius, soft;
    TESS_TRY(read_sphere(j, h, &radius, &soft));
    l->step = job_integer(j, "step", 4);
    l->threshold = job_number(j, "threshold", 0.143);
    l->corrects = !job_has(j, "no-correct");
    TESS_CHECK(l->step >= 1 && l->step <= 1024, TESS_ERANGE, "--step is %lld; 1 to 1024 pixels are allowed",
               (long long)l->step);
    TESS_CHECK(l->threshold > 0 && l->threshold < 1, TESS_ERANGE, "--threshold is %g; above 0 and below 1 is allowed",
               l->threshold);
    l->side = tess_fft_fast_size(2 * (int64_t)ceil(radius + soft) + 1);
    TESS_TRY(tess_empty(&l->window, TESS_SHAPE(1, l->side, l->side, l->side), h->dtype, tess_cpu()));
    TESS_TRY(tess_draw_sphere(&l->window, NULL, &tess_f64(radius), &(tess_draw_opts){ .width = soft }));
    return move_array(&l->window, j->device);
}

/* Nodes lie symmetrically, at most a step from each end. */
static void lay_nodes(locres *l)
{
    for (int k = 0; k < 3; ++k) {
        const int64_t n = l->maps.shape.dim[k + 1];
        l->count[k] = (n - 1) / l->step + 1;
        l->first[k] = (n - 1 - (l->count[k] - 1) * l->step) / 2;
    }
}

/* The nodes that a pixel is interpolated from. */
static void mark_nodes(const locres *l, const int64_t pixel[3], bool *is_needed)
{
    int64_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        const int64_t from = pixel[k] - l->first[k], node = from < 0 ? 0 : from / l->step;
        low[k] = node;
        high[k] = node + 1 < l->count[k] ? node + 1 : node;
    }
    for (int i = 0; i < 8; ++i) {
        const int64_t z = i & 4 ? high[0] : low[0], y = i & 2 ? high[1] : low[1], x = i & 1 ? high[2] : low[2];
        is_needed[(z * l->count[1] + y) * l->count[2] + x] = true;
    }
}

static tess_status mark_mask(const locres *l, bool *is_needed)
{
    const tess_shape s = l->maps.shape;
    tess_array       inside = { 0 }, here = { 0 };
    tess_status      status;
    TESS_GOTO(done, status, tess_greater(&inside, &l->maps.mask, &tess_f64(0)));
    TESS_GOTO(done, status, tess_to_device(&here, &inside, tess_cpu()));
    for (int64_t i = 0; i < s.d * s.h * s.w; ++i)
        if (((const bool *)here.data)[i])
            mark_nodes(l, (int64_t[3]){ i / (s.h * s.w), i / s.w % s.h, i % s.w }, is_needed);
done:
    tess_release(&inside);
    tess_release(&here);
    return status;
}

static tess_status choose_nodes(locres *l)
{
    const int64_t n = l->count[0] * l->count[1] * l->count[2];
    bool         *is_needed = calloc((size_t)n, sizeof *is_needed);
    tess_status   status = TESS_OK;
    l->chosen = malloc((size_t)n * sizeof *l->chosen);
    if (is_needed && l->maps.mask.data) status = mark_mask(l, is_needed);
    for (int64_t i = 0; is_needed && l->chosen && i < n; ++i)
        if (is_needed[i] || !l->maps.mask.data) l->chosen[l->n_chosen++] = i;
    const bool failed = !is_needed || !l->chosen;
    free(is_needed);
    TESS_CHECK(!failed, TESS_ENOMEM, "locres: out of memory");
    return status;
}

/* ---- The work ---- */

static tess_status read_maps(job *j, locres *l)
{
    half_maps    *h = &l->maps;
    const int64_t bytes = h->shape.d * h->shape.h * h->shape.w * (int64_t)tess_dtype_size(h->dtype);
    TESS_TRY(volume_fits(j, h->shape,
                         (2 + (l->corrects ? 2 : 0) + (h->mask.data ? 1 : 0)) * bytes +
                             h->shape.d * half_maps_workspace(h)));
    for (int k = 0; k < 2; ++k) {
        TESS_TRY(input_read_all(&h->in[k], j, &l->map[k], h->dtype));
        TESS_TRY(move_array(&l->map[k], j->device));
    }
    return TESS_OK;
}

/* Maps with random phases, from where the FSC of the whole maps falls below 0.8. */
static tess_status randomise(job *j, locres *l)
{
    half_maps *h = &l->maps;
    double    *curves = calloc((size_t)half_maps_size(h), sizeof *curves);
    tess_array mask = h->mask; /* the curve of the maps as they are is wanted */
    int64_t    from = 0;
    TESS_CHECK(curves, TESS_ENOMEM, "locres: out of memory");
    h->mask = (tess_array){ 0 };
    tess_status status = half_maps_correlate(h, l->map, 0, curves, &from);
    h->mask = mask;
    free(curves);
    TESS_TRY(status);
    l->frequency = ((double)from - 0.5) / (double)h->side;
    if (!l->corrects) return TESS_OK;
    job_note(j, "phases are random from %.2f A on", h->pixel_size / l->frequency);
    for (int k = 0; k < 2; ++k)
        TESS_TRY(tess_phase_randomize_image(&l->random[k], &l->map[k], l->frequency, 2 * h->seed + (uint64_t)k, NULL));
    return TESS_OK;
}

/* Where the window of each node begins: its middle lies on the node. */
static tess_status make_origins(const locres *l, tess_array *origins, int64_t first, int64_t n, tess_device device)
{
    TESS_TRY(tess_empty(origins, TESS_SHAPE(n, 1, 1, 3), TESS_I64, tess_cpu()));
    int64_t *to = origins->data;
    for (int64_t i = 0; i < n; ++i) {
        int64_t node = l->chosen[first + i];
        for (int k = 2; k >= 0; --k) {
            to[3 * i + k] = l->first[k] + node % l->count[k] * l->step - l->side / 2;
            node /= l->count[k];
        }
    }
    return move_array(origins, device);
}

static tess_status measure_some(const locres *l, tess_array arrays[4], int64_t first, int64_t n)
{
    const tess_shape               shape = TESS_SHAPE(n, l->side, l->side, l->side);
    const tess_fsc_local_opts      nearest = { .nearest = 1 };
    const tess_fsc_resolution_opts opts = { .threshold = l->threshold, .pixel_size = l->maps.pixel_size };
    tess_array                    *origins = &arrays[0], *fsc = &arrays[1], *random = &arrays[2], *found = &arrays[3];
    TESS_TRY(make_origins(l, origins, first, n, l->map[0].device));
    TESS_TRY(tess_fsc_local(fsc, &l->map[0], &l->map[1], &l->window, origins, &nearest));
    if (l->corrects) {
        TESS_TRY(tess_fsc_local(random, &l->random[0], &l->random[1], &l->window, origins, &nearest));
        TESS_TRY(tess_fsc_corrected(fsc, fsc, random, shape, l->frequency, NULL));
    }
    TESS_TRY(tess_fsc_resolution(found, fsc, shape, &opts));
    TESS_TRY(move_array(found, tess_cpu()));
    const double coarsest = (double)l->side * l->maps.pixel_size;
    float       *nodes = l->nodes.data;
    for (int64_t i = 0; i < n; ++i)
        nodes[l->chosen[first + i]] = (float)fmin(((const double *)found->data)[i], coarsest);
    return TESS_OK;
}

static tess_status measure(job *j, locres *l)
{
    progress   *p = NULL;
    tess_status status = TESS_OK;
    TESS_TRY(tess_zeros(&l->nodes, TESS_SHAPE(1, l->count[0], l->count[1], l->count[2]), TESS_F32, tess_cpu()));
    TESS_TRY(progress_start(&p, j, "positions", l->n_chosen, 0));
    for (int64_t first = 0; status == TESS_OK && first < l->n_chosen; first += CHUNK) {
        const int64_t n = l->n_chosen - first < CHUNK ? l->n_chosen - first : CHUNK;
        tess_array    arrays[4] = { { .data = NULL }, { .data = NULL }, { .data = NULL }, { .data = NULL } };
        status = measure_some(l, arrays, first, n);
        for (int k = 0; k < 4; ++k) tess_release(&arrays[k]);
        progress_add(p, n);
    }
    progress_end(p);
    return status;
}

/* Linear between nodes, beyond the outermost as there; 0 where the mask is. */
static tess_status interpolate(locres *l, tess_array *map)
{
    const tess_transform_opts opts = { .interp = TESS_INTERP_LINEAR,
                                       .border = TESS_BORDER_CLAMP,
                                       .shape = l->maps.shape };
    const double              apart = (double)l->step;
    double                    values[12] = { 0 };
    tess_array                matrix;
    for (int k = 0; k < 3; ++k) {
        values[5 * k] = 1 / apart;
        values[4 * k + 3] = -(double)l->first[k] / apart;
    }
    TESS_TRY(tess_wrap(&matrix, values, TESS_SHAPE(1, 1, 3, 4), TESS_F64, NULL));
    TESS_TRY(tess_transform_3d(map, &l->nodes, &matrix, &opts));
    if (!l->maps.mask.data) return TESS_OK;
    TESS_TRY(move_array(&l->maps.mask, tess_cpu()));
    TESS_TRY(tess_greater(&l->inside, &l->maps.mask, &tess_f64(0)));
    return tess_mul(map, map, &l->inside);
}

/* The values of the map where the mask is above 0, or all, in one row. */
static tess_status gather(tess_array *values, const locres *l, const tess_array *map)
{
    const int64_t n = tess_n_elements(map);
    const float  *from = map->data;
    const bool   *inside = l->inside.data;
    int64_t       count = 0;
    TESS_TRY(tess_empty(values, TESS_SHAPE(1, 1, 1, n), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n; ++i)
        if (!inside || inside[i]) ((float *)values->data)[count++] = from[i];
    values->shape.w = count;
    return TESS_OK;
}

/* Quantiles are those of the map that is written. */
static tess_status tell(job *j, const locres *l, const tess_array *map)
{
    static const double at[3] = { 0.5, 0.05, 0.95 };
    tess_array          values = { 0 };
    double              found[3];
    tess_status         status = gather(&values, l, map);
    for (int i = 0; i < 3 && status == TESS_OK; ++i) status = tess_host_quantile(&found[i], &values, at[i], NULL);
    if (status == TESS_OK)
        job_note(
            j,
            "local resolution at %g %s: median %.2f A, 5 %% below %.2f A, 95 %% below %.2f A (%lld voxels, measured "
            "at %lld positions in boxes of %lld pixels)",
            l->threshold, l->maps.mask.data ? "inside the mask" : "of the whole map", found[0], found[1], found[2],
            (long long)values.shape.w, (long long)l->n_chosen, (long long)l->side);
    tess_release(&values);
    return status;
}

static tess_status work(job *j, locres *l)
{
    const tess_meta meta = meta_of(&l->maps.in[0]);
    tess_array      map = { 0 };
    bool            skip;
    TESS_TRY(read_options(j, l));
    TESS_TRY(output_planned(j, NULL, l->maps.shape, TESS_F32, &skip));
    if (skip) return TESS_OK;
    lay_nodes(l);
    TESS_TRY(choose_nodes(l));
    TESS_TRY(read_maps(j, l));
    TESS_TRY(randomise(j, l));
    TESS_TRY(measure(j, l));
    tess_status status = interpolate(l, &map);
    if (status == TESS_OK) status = tell(j, l, &map);
    if (status == TESS_OK) status = output_write(j, NULL, &map, &meta);
    tess_release(&map);
    return status;
}

static tess_status run(job *j)
{
    locres l = { .side = 0 };
    TESS_TRY(output_check(j, NULL));
    tess_status status = half_maps_open(&l.maps, j);
    if (status == TESS_OK) status = work(j, &l);
    for (int k = 0; k < 2; ++k) tess_release(&l.map[k]), tess_release(&l.random[k]);
    tess_release(&l.window);
    tess_release(&l.nodes);
    tess_release(&l.inside);
    free(l.chosen);
    half_maps_close(&l.maps);
    return status;
}

const verb verb_locres = {
    .name = "locres",
    .subject = "maps",
    .summary = "local resolution: the FSC in a soft sphere that is moved over two half maps",
    .arguments = "HALF1 HALF2 -o OUT",
    .text =
        "Writes a map of resolutions in A. At positions --step pixels apart both maps are multiplied by a sphere of "
        "--radius with a raised-cosine edge of --soft, and the FSC of that part falls below --threshold somewhere: "
        "that is "
        "the resolution there, interpolated between shells; between positions it is linear. Shells are as wide as the "
        "box of the sphere is small, and so is what can be told apart: a resolution is from 2 pixels to the side of "
        "the "
        "box, 2 (radius + soft) or a little more.\n\n"
        "What the sphere correlates by itself is measured with phases made random from where the FSC of the whole maps "
        "is below --randomize-at-fsc (or from --randomize-at on), and taken away as `tessera fsc` does, unless "
        "--no-correct is given. With --mask, only what lies in it is measured, and the map is 0 where the mask is. The "
        "median and quantiles that are told are those of the map inside the mask, or of all of it.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_PROGRESS | GLOBAL_DEVICE | GLOBAL_SEED,
    VERB_OF_FILE(2, 2),
};
