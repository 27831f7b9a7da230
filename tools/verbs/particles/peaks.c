/* tessera peaks: local maxima of images and volumes. */
#include <math.h>

#include "files/on_device.h"
#include "files/outputs/output.h"
#include "files/slab_pipeline.h"
#include "measure/statistics.h"
#include "tessera/star.h"

static const option options[] = {
    VALUE("threshold", "V", OPTION_NUMBER, "minimum value of a peak"),
    VALUE("sigma", "S", OPTION_NUMBER, "minimum value of a peak, in standard deviations above the mean [3]"),
    VALUE("distance", "D", OPTION_LENGTH, "minimum distance between peaks, keeping the higher [0]"),
    VALUE("edge", "E", OPTION_LENGTH, "width of the margin without peaks along each edge [0]"),
    VALUE("max", "N", OPTION_INTEGER, "maximum number of peaks per image or volume [all]"),
    FLAG("at-pixels", "report pixels, without interpolation by parabolas"),
    VALUE("star", "OUT", OPTION_FILE, "write a STAR file of the peaks, for tessera extract", .writes = true),
    FLAG("force", "overwrite existing files", .letter = 'f'),
    { 0 },
};
static const char *const examples[] = {
    "tessera peaks --sigma 2.5 --distance 10A x.mrc",
    "tessera peaks --threshold 2 --max 5 --tsv volume.mrc",
    "tessera peaks --edge 8 stack.mrcs --star peaks.star",
    NULL,
};

typedef struct listing {
    table           *table;
    tess_star_table *rows; /* NULL: none is written */
    tess_peaks_opts  opts;
} listing;

static tess_status read_options(const job *j, const input *in, tess_peaks_opts *o)
{
    double       edge = 0;
    const double size = in->info.meta.pixel_size[2];
    *o = (tess_peaks_opts){ .max = job_integer(j, "max", 0), .at_samples = job_has(j, "at-pixels") };
    TESS_TRY(job_length(j, "distance", size, &o->distance));
    TESS_TRY(job_length(j, "edge", size, &edge));
    TESS_CHECK(o->distance >= 0 && isfinite(o->distance), TESS_EARG,
               "peaks: --distance is %g pixels; it must be at least 0", o->distance);
    TESS_CHECK(edge >= 0 && edge < 1e9, TESS_EARG, "peaks: --edge is %g pixels; it must be at least 0", edge);
    TESS_CHECK(!job_has(j, "max") || o->max > 0, TESS_EARG, "peaks: --max is %lld; it must be at least 1",
               (long long)o->max);
    o->edge = (int64_t)ceil(edge);
    return TESS_OK;
}

/* Mean and deviation of the numbers that are not NaN, added up image by image. */
static tess_status find_threshold(job *j, const tess_array *sections, const char *name, double *threshold)
{
    double      all[TESS_STATISTICS_COLUMNS];
    tess_source source = { 0 };
    *threshold = job_number(j, "threshold", 0);
    TESS_CHECK(!job_has(j, "threshold") || !job_has(j, "sigma"), TESS_EARG,
               "peaks: --threshold and --sigma were both given; give only one");
    if (job_has(j, "threshold")) return TESS_OK;
    TESS_TRY(tess_source_array(&source, sections, name, NULL));
    TESS_TRY(statistics_of(all, j, &source));
    TESS_CHECK(all[TESS_STATISTICS_N] > 0 && all[TESS_STATISTICS_N_INF] == 0, TESS_EARG,
               "peaks: %s has %.0f infinite numbers and %.0f NaN; --sigma requires a finite mean; give --threshold",
               name, all[TESS_STATISTICS_N_INF], all[TESS_STATISTICS_N_NAN]);
    *threshold = all[TESS_STATISTICS_MEAN] + job_number(j, "sigma", 3) * all[TESS_STATISTICS_SD];
    return TESS_OK;
}

/* ---- Results ---- */

static tess_status add_row(tess_star_table *rows, const char *name, const double at[4], double value, bool volume)
{
    const int64_t row = tess_star_rows(rows);
    TESS_TRY(tess_star_add_rows(rows, 1));
    TESS_TRY(tess_star_set(rows, row, "rlnMicrographName", name));
    TESS_TRY(tess_star_set_f64(rows, row, "rlnCoordinateX", at[3]));
    TESS_TRY(tess_star_set_f64(rows, row, "rlnCoordinateY", at[2]));
    if (volume) TESS_TRY(tess_star_set_f64(rows, row, "rlnCoordinateZ", at[1]));
    return tess_star_set_f64(rows, row, "rlnAutopickFigureOfMerit", value);
}

static tess_status tell(const listing *l, const job *j, const input *in, int64_t batch, const tess_array *positions,
                        const tess_array *values)
{
    const bool volume = in->info.shape.d > 1, is_stack = in->info.shape.b > 1;
    char       name[4200];
    (void)snprintf(name, sizeof name, is_stack ? "%06lld@%s" : "%.0lld%s", (long long)(is_stack ? batch + 1 : 0),
                   in->name);
    for (int64_t i = 0; i < positions->shape.b; i++) {
        const double *at = (const double *)positions->data + 4 * i, value = ((const double *)values->data)[i];
        if (j->n_arguments > 1) table_text(l->table, "file", in->name);
        if (is_stack) table_integer(l->table, volume ? "volume" : "image", batch);
        table_number(l->table, "x", at[3]);
        table_number(l->table, "y", at[2]);
        if (volume) table_number(l->table, "z", at[1]);
        table_number(l->table, "value", value);
        table_row(l->table);
        if (l->rows) TESS_TRY(add_row(l->rows, name, at, value, volume));
    }
    return TESS_OK;
}

/* ---- Files ---- */

static tess_status peaks_of(job *j, input *in, const listing *l, int64_t batch)
{
    const tess_shape s = in->info.shape;
    tess_array       sections = { 0 }, map = { 0 }, positions = { 0 }, values = { 0 };
    double           threshold;
    tess_status      status;
    TESS_GOTO(done, status,
              input_read(in, &sections, batch * s.d, s.d, in->info.dtype == TESS_F64 ? TESS_F64 : TESS_F32));
    TESS_GOTO(done, status, find_threshold(j, &sections, in->name, &threshold));
    TESS_GOTO(done, status, move_array(&sections, j->device));
    TESS_GOTO(done, status, tess_reshape(&map, &sections, TESS_SHAPE(1, s.d, s.h, s.w)));
    TESS_GOTO(done, status, tess_peaks(&positions, &values, &map, threshold, &l->opts));
    TESS_GOTO(done, status, move_array(&positions, tess_cpu()));
    TESS_GOTO(done, status, move_array(&values, tess_cpu()));
    TESS_GOTO(done, status, tell(l, j, in, batch, &positions, &values));
done:
    tess_release(&sections);
    tess_release(&positions);
    tess_release(&values);
    return status;
}

static tess_status peaks_of_input(job *j, input *in, listing *l)
{
    const tess_shape s = in->info.shape;
    TESS_CHECK(tess_dtype_kind(in->info.dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "peaks: %s has complex numbers; expected real ones", in->name);
    TESS_TRY(read_options(j, in, &l->opts));
    TESS_TRY(volume_fits(j, s, 3 * s.d * s.h * s.w * (in->info.dtype == TESS_F64 ? 8 : 4)));
    for (int64_t b = 0; b < s.b; b++) TESS_TRY(peaks_of(j, in, l, b));
    return TESS_OK;
}

static tess_status peaks_of_all(job *j, listing *l)
{
    for (int i = 0; i < j->n_arguments; i++) {
        input in = { 0 };
        TESS_TRY(input_open(&in, j, j->arguments[i], NEED_ANY));
        const tess_status status = peaks_of_input(j, &in, l);
        input_close(&in);
        TESS_TRY(status);
    }
    return TESS_OK;
}

static tess_status run(job *j)
{
    const char *path = job_text(j, "star", NULL);
    tess_star  *star = NULL;
    listing     l = { 0 };
    tess_status status = TESS_OK;
    l.table = table_new(j, stdout);
    if (path) {
        TESS_GOTO(done, status, tess_star_new(&star));
        TESS_GOTO(done, status, tess_star_add(&l.rows, star, "particles", false));
    }
    TESS_GOTO(done, status, peaks_of_all(j, &l));
    if (path)
        TESS_GOTO(done, status, tess_star_write(path, star, &(tess_star_opts){ .overwrite = job_has(j, "force") }));
done:
    if (status == TESS_OK) table_end(l.table);
    else table_free(l.table);
    tess_star_free(star);
    return status;
}

const verb verb_peaks = {
    .name = "peaks",
    .subject = "particles",
    .summary = "find the local maxima (peaks) of images and volumes",
    .arguments = "INPUT...",
    .text = "Prints one row per peak, the highest first: x, y, for volumes z, in pixels counted from 0, and the "
            "value. A peak is not lower than any of its neighbours, corners included. Its position between pixels is "
            "that of a parabola through it and its two neighbours along each axis. From the highest down, peaks "
            "nearer than --distance to one taken before are left out.\n\n"
            "Each image of a stack, and each volume, is searched separately. NaNs are ignored.",
    .globals = GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE,
    VERB_OF_FILE(1, -1),
};
