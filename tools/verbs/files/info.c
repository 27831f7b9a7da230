/* tessera info: what files say of themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command/row.h"
#include "files/open_file.h"
#include "measure/unit_cell.h"
#include "tessera/mrc.h"

static const char *sections_rule(int rule)
{
    static const char *const rules[] = { "",
                                         "as told",
                                         "space group 401 to 630",
                                         "one section",
                                         "its name says stack",
                                         "its name says volume",
                                         "space group and MZ",
                                         "a guess: --as settles it" };
    return rule >= 1 && rule <= 7 ? rules[rule] : "";
}

static const char *bytes_rule(int rule)
{
    static const char *const rules[] = { "", "as told", "IMOD's flag", "minimum and maximum", "the standard" };
    return rule >= 1 && rule <= 4 ? rules[rule] : "";
}

static const char *meaning(char text[64], tess_shape s)
{
    if (s.b > 1 && s.d > 1) (void)snprintf(text, 64, "%lld volumes", (long long)s.b);
    else if (s.b > 1) (void)snprintf(text, 64, "%lld images", (long long)s.b);
    else (void)snprintf(text, 64, s.d > 1 ? "a volume" : "an image");
    return text;
}

static const char *compression_name(int32_t compression)
{
    static const char *const names[] = { "none", "none", "gzip", "bzip2", "deflate", "lzw", "zstd", "other" };
    return compression >= 0 && compression <= TESS_COMPRESSION_OTHER ? names[compression] : "other";
}

/* Columns, rows, sections of what was chosen: as they lie in the file, unless only some were. */
static void stored_size(const input *in, int64_t n[3])
{
    const tess_info_file *info = &in->info;
    memcpy(n, info->stored, sizeof info->stored);
    if (in->file && !in->chosen && n[0] > 0) return;
    n[0] = info->shape.w, n[1] = info->shape.h, n[2] = info->shape.b * info->shape.d;
}

/* ---- Rows: --field, --json, --tsv ---- */

static double known(double value, bool is_known) { return is_known ? value : (double)NAN; }

static void add_three(row *r, const char *list, const char *const names[3], const double zyx[3], bool is_known)
{
    char text[128] = "unknown", x[32], y[32], z[32];
    if (is_known) {
        (void)snprintf(text, sizeof text, "%s %s %s", number_text_as(x, zyx[2], TESS_F32),
                       number_text_as(y, zyx[1], TESS_F32), number_text_as(z, zyx[0], TESS_F32));
    }
    row_list(r, list, text, true);
    for (int i = 0; i < 3; i++) row_number(r, names[i], known(zyx[2 - i], is_known), TESS_F32);
}

static void add_sizes(row *r, const input *in)
{
    const tess_shape s = in->info.shape;
    int64_t          n[3];
    char             text[128];
    stored_size(in, n);
    (void)snprintf(text, sizeof text, "%lld %lld %lld", (long long)n[0], (long long)n[1], (long long)n[2]);
    row_list(r, "size", text, true);
    row_integer(r, "columns", n[0]);
    row_integer(r, "rows", n[1]);
    row_integer(r, "sections", n[2]);
    (void)snprintf(text, sizeof text, "%lld %lld %lld %lld", (long long)s.b, (long long)s.d, (long long)s.h,
                   (long long)s.w);
    row_list(r, "shape", text, true);
    row_integer(r, "b", s.b);
    row_integer(r, "d", s.d);
    row_integer(r, "h", s.h);
    row_integer(r, "w", s.w);
    row_integer(r, "rule", in->info.sections_rule);
}

static void add_statistics(row *r, const tess_meta *m)
{
    row_number(r, "min", known(m->min, m->stats & TESS_STATS_MINMAX), TESS_F32);
    row_number(r, "max", known(m->max, m->stats & TESS_STATS_MINMAX), TESS_F32);
    row_number(r, "mean", known(m->mean, m->stats & TESS_STATS_MEAN), TESS_F32);
    row_number(r, "sd", known(m->std, m->stats & TESS_STATS_STD), TESS_F32);
}

/* Alpha, beta and gamma as a, b, c of add_three: x, y, z. */
static void add_angles(row *r, const tess_meta *m)
{
    const double zyx[3] = { unit_cell_angle(m, 2), unit_cell_angle(m, 1), unit_cell_angle(m, 0) };
    char         text[128];
    add_three(r, "angles", (const char *const[]){ "alpha", "beta", "gamma" }, zyx, true);
    (void)snprintf(text, sizeof text, "%d %d %d", (int)m->grid[2], (int)m->grid[1], (int)m->grid[0]);
    if (m->grid[2] > 0) row_list(r, "sampling", text, false);
    else row_text(r, "sampling", "");
}

static void add_indices(row *r, const tess_info_file *info)
{
    char text[128];
    row_integer(r, "space_group", info->meta.space_group);
    (void)snprintf(text, sizeof text, "%d %d %d", (int)info->axes[0], (int)info->axes[1], (int)info->axes[2]);
    row_list(r, "axes", text, false);
    add_three(r, "origin", (const char *const[]){ "origin_x", "origin_y", "origin_z" }, info->meta.origin, true);
    (void)snprintf(text, sizeof text, "%lld %lld %lld", (long long)info->meta.start[2], (long long)info->meta.start[1],
                   (long long)info->meta.start[0]);
    row_list(r, "start", text, false);
    add_angles(r, &info->meta);
}

static void add_texts(row *r, const tess_info_file *info)
{
    const char *texts[TESS_MAX_FILE_WARNINGS];
    for (int i = 0; i < info->meta.n_labels; i++) texts[i] = info->meta.labels[i];
    row_texts(r, "labels", texts, info->meta.n_labels, 0);
    for (int i = 0; i < info->n_warnings; i++) texts[i] = info->warnings[i].text;
    row_texts(r, "warnings", texts, info->n_warnings, info->more_warnings);
}

static void fill_row(row *r, const input *in)
{
    const tess_info_file *info = &in->info;
    const tess_meta      *m = &info->meta;
    row_start(r);
    row_text(r, "file", in->name);
    row_text(r, "format", in->listed ? "star" : tess_file_format_name((tess_file_format)info->format));
    add_sizes(r, in);
    row_text(r, "dtype", tess_dtype_name(info->dtype));
    if (info->mode >= 0) row_integer(r, "mode", info->mode);
    else row_null(r, "mode", "-");
    row_text(r, "endian", info->big_endian ? "big" : "little");
    row_text(r, "compression", compression_name(info->compression));
    add_three(r, "apix", (const char *const[]){ "apix_x", "apix_y", "apix_z" }, m->pixel_size, m->pixel_size[2] > 0);
    add_statistics(r, m);
    add_indices(r, info);
    if (m->extended_size > 0) row_text(r, "extended", m->extended_type[0] ? m->extended_type : "?");
    else row_null(r, "extended", "");
    row_integer(r, "extended_bytes", m->extended_size);
    row_integer(r, "bytes", info->file_size);
    row_integer(r, "offset", info->data_offset);
    add_texts(r, info);
}

/* ---- For people ---- */

static void line(const char *name, const char *text)
{
    (void)printf("  %-12s ", name);
    print_clean(stdout, text, -1);
    (void)putchar('\n');
}

static void print_three(const char *name, const double zyx[3], const char *behind)
{
    char text[160], x[32], y[32], z[32];
    (void)snprintf(text, sizeof text, "%s %s %s %s", number_text_as(x, zyx[2], TESS_F32),
                   number_text_as(y, zyx[1], TESS_F32), number_text_as(z, zyx[0], TESS_F32), behind);
    line(name, text);
}

static void print_kind(const input *in)
{
    const tess_info_file *info = &in->info;
    char                  text[160], mode[32] = "";
    (void)snprintf(text, sizeof text, "%s%s%s%s",
                   in->listed ? "star" : tess_file_format_name((tess_file_format)info->format),
                   tess_dtype_size(info->dtype) > 1 ? (info->big_endian ? ", big-endian" : ", little-endian") : "",
                   info->compression > TESS_COMPRESSION_NONE ? ", " : "",
                   info->compression > TESS_COMPRESSION_NONE ? compression_name(info->compression) : "");
    line("format", text);
    if (info->mode >= 0) {
        (void)snprintf(mode, sizeof mode, info->format == TESS_FORMAT_TIFF ? " (%d bits)" : " (mode %d)",
                       (int)info->mode);
    }
    (void)snprintf(text, sizeof text, "%s%s%s%s", tess_dtype_name(info->dtype), mode, info->bytes_rule ? ", by " : "",
                   bytes_rule(info->bytes_rule));
    line("dtype", text);
}

static void print_sizes(const input *in)
{
    const tess_shape s = in->info.shape;
    int64_t          n[3];
    char             text[256], what[64];
    stored_size(in, n);
    (void)snprintf(text, sizeof text, "%lld x %lld x %lld (columns rows sections)", (long long)n[0], (long long)n[1],
                   (long long)n[2]);
    line("size", text);
    int rule = in->info.sections_rule;
    int used = snprintf(text, sizeof text, "{%lld,%lld,%lld,%lld} (b d h w): %s", (long long)s.b, (long long)s.d,
                        (long long)s.h, (long long)s.w, meaning(what, s));
    if (rule > 0 && used > 0) {
        (void)snprintf(text + used, sizeof text - (size_t)used, ", by rule %d (%s)", rule, sections_rule(rule));
    }
    line("shape", text);
}

static void print_statistics(const tess_meta *m)
{
    const struct {
        const char *name;
        double      value;
        int32_t     flag;
    } items[] = { { "minimum", m->min, TESS_STATS_MINMAX },
                  { "maximum", m->max, TESS_STATS_MINMAX },
                  { "mean", m->mean, TESS_STATS_MEAN },
                  { "sd", m->std, TESS_STATS_STD } };
    for (int i = 0; i < 4; i++) {
        char text[64], number[32];
        if (m->stats & items[i].flag)
            (void)snprintf(text, sizeof text, "%s (header)", number_text_as(number, items[i].value, TESS_F32));
        else (void)snprintf(text, sizeof text, "(not set)");
        line(items[i].name, text);
    }
}

static void print_cell(const tess_meta *m)
{
    char text[160], angles[64];
    if (tess_meta_is_skew(m, true)) {
        (void)snprintf(text, sizeof text, "%s degrees (alpha beta gamma)", unit_cell_angles_text(angles, m));
        line("cell angles", text);
    }
    if (m->grid[2] > 0) {
        (void)snprintf(text, sizeof text, "%d %d %d pixels (x y z)", (int)m->grid[2], (int)m->grid[1], (int)m->grid[0]);
        line("cell", text);
    }
}

static void print_mrc(const tess_info_file *info)
{
    static const char axes[] = "?xyz";
    const tess_meta  *m = &info->meta;
    char              text[160];
    (void)snprintf(text, sizeof text, "%d", (int)m->space_group);
    line("space group", text);
    (void)snprintf(text, sizeof text, "%c %c %c (columns rows sections)", axes[info->axes[0] & 3],
                   axes[info->axes[1] & 3], axes[info->axes[2] & 3]);
    line("axes", text);
    print_three("origin", m->origin, "\xc3\x85 (x y z)");
    if (m->start[0] || m->start[1] || m->start[2]) {
        (void)snprintf(text, sizeof text, "%lld %lld %lld (x y z)", (long long)m->start[2], (long long)m->start[1],
                       (long long)m->start[0]);
        line("start", text);
    }
    print_cell(m);
    if (m->extended_size > 0) {
        (void)snprintf(text, sizeof text, "%s, %lld bytes", m->extended_type[0] ? m->extended_type : "of no type",
                       (long long)m->extended_size);
        line("extended", text);
    }
}

static void print_labels(const tess_meta *m, const char *before)
{
    for (int i = 0; i < m->n_labels; i++) {
        int n = (int)strlen(m->labels[i]);
        while (n > 0 && m->labels[i][n - 1] == ' ') n--;
        (void)printf("%s", before);
        print_clean(stdout, m->labels[i], n);
        (void)putchar('\n');
    }
}

static void print_file(const input *in)
{
    const tess_info_file *info = &in->info;
    print_clean(stdout, in->name, -1);
    (void)putchar('\n');
    print_kind(in);
    print_sizes(in);
    if (info->meta.pixel_size[2] > 0) print_three("pixel size", info->meta.pixel_size, "\xc3\x85 (x y z)");
    else line("pixel size", "unknown");
    if (info->format == TESS_FORMAT_MRC) {
        print_statistics(&info->meta);
        print_mrc(info);
    }
    if (info->meta.n_labels > 0) line("labels", "");
    print_labels(&info->meta, "    ");
    if (info->n_warnings > 0) line("warnings", "");
    for (int i = 0; i < info->n_warnings; i++) {
        (void)printf("    ");
        print_clean(stdout, info->warnings[i].text, -1);
        (void)putchar('\n');
    }
    if (info->more_warnings > 0) (void)printf("    and %d more\n", (int)info->more_warnings);
}

/* ---- Extended headers ---- */

static void section_row(table *t, const tess_info_mrc_section *f)
{
    const struct {
        const char *name;
        int32_t     flag;
        double      value;
    } items[] = { { "tilt", TESS_MRC_TILT, f->tilt },
                  { "tilt_beta", TESS_MRC_TILT_BETA, f->tilt_beta },
                  { "tilt_axis", TESS_MRC_TILT_AXIS, f->tilt_axis },
                  { "stage_x", TESS_MRC_STAGE_XY, f->stage[0] },
                  { "stage_y", TESS_MRC_STAGE_XY, f->stage[1] },
                  { "stage_z", TESS_MRC_STAGE_Z, f->stage[2] },
                  { "defocus", TESS_MRC_DEFOCUS, f->defocus },
                  { "dose", TESS_MRC_DOSE, f->dose },
                  { "exposure", TESS_MRC_EXPOSURE, f->exposure },
                  { "apix", TESS_MRC_PIXEL_SIZE, f->pixel_size[0] },
                  { "magnification", TESS_MRC_MAGNIFICATION, f->magnification },
                  { "intensity", TESS_MRC_INTENSITY, f->intensity },
                  { "voltage", TESS_MRC_VOLTAGE, f->voltage } };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        if (f->known & items[i].flag) table_number_as(t, items[i].name, items[i].value, TESS_F32);
    }
}

static tess_status extended_rows(const input *in, table *t, bool with_name)
{
    const tess_meta *m = &in->info.meta;
    TESS_CHECK(in->file && m->extended_size > 0, TESS_EARG, "%s: it has no extended header", in->name);
    int64_t n = tess_file_info(in->file)->stored[2];
    for (int64_t i = 0; i < n; i++) {
        tess_info_mrc_section info;
        TESS_TRY(tess_mrc_section_info(&info, in->file, i));
        if (with_name) table_text(t, "file", in->name);
        table_integer(t, "section", i);
        section_row(t, &info);
        table_row(t);
    }
    return TESS_OK;
}

/* ---- All of it ---- */

static tess_status show(job *j, const input *in, table *t, int i)
{
    const char *fields = job_text(j, "field", NULL);
    if (job_has(j, "ext")) return extended_rows(in, t, j->n_arguments > 1);
    if (job_has(j, "labels")) {
        print_labels(&in->info.meta, "");
        return TESS_OK;
    }
    if (!fields && !job_has(j, "json") && !job_has(j, "tsv")) {
        if (i > 0) (void)putchar('\n');
        print_file(in);
        return TESS_OK;
    }
    row *r = malloc(sizeof *r);
    TESS_CHECK(r, TESS_ENOMEM, "info: no memory for a row");
    fill_row(r, in);
    tess_status status = fields ? row_check_fields(r, fields) : TESS_OK;
    if (status == TESS_OK && fields) row_print_fields(r, fields, stdout);
    else if (status == TESS_OK) row_to_table(r, t);
    free(r);
    return status;
}

static tess_status run(job *j)
{
    bool   rows = job_has(j, "json") || job_has(j, "tsv") || job_has(j, "ext");
    bool   bare = job_has(j, "field") || job_has(j, "labels");
    table *t = rows && !bare ? table_new(j, stdout) : NULL;
    silence_warnings(!rows && !bare); /* they are printed with the others */
    for (int i = 0; i < j->n_arguments; i++) {
        input       in;
        tess_status status = input_open(&in, j, j->arguments[i], NEED_ANY);
        if (status == TESS_OK) {
            status = show(j, &in, t, i);
            input_close(&in);
        }
        if (status != TESS_OK) job_failed(j, status, j->arguments[i]);
    }
    table_end(t);
    return TESS_OK;
}

static const option options[] = {
    VALUE("field", "NAMES", OPTION_TEXT, "only these, bare, a line per file: size,shape,dtype,apix,min ..."),
    FLAG("ext", "what the extended header says of each section: tilt, dose, stage"),
    FLAG("labels", "only the labels, a line each"),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera info x.mrc",
    "tessera info --field size,apix stack.mrcs volume.mrc",
    "tessera info --json x.mrc movie.tif a.npy",
    NULL,
};

const verb verb_info = {
    .name = "info",
    .subject = "files",
    .summary = "what the headers of files say",
    .arguments = "INPUT...",
    .text = "Size as columns, rows and sections, as other programs print it, and as the shape (b, d, h, w) that all "
            "verbs work with, with the rule that told stack from volume. Statistics are those of the header. What was "
            "odd about a file stands at the end. Data are not read.",
    .globals = GLOBAL_INPUT | GLOBAL_TABLE,
    VERB_OF_FILE(1, -1),
};
