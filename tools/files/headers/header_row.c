/* What the header of a file says, as a row of values. */
#include "files/headers/header.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *compression_name(int32_t compression)
{
    static const char *const names[] = { "none", "none", "gzip", "bzip2", "deflate", "lzw", "zstd", "other" };
    return compression >= 0 && compression <= TESS_COMPRESSION_OTHER ? names[compression] : "other";
}

void stored_size(const input *in, int64_t n[3])
{
    const tess_info_file *info = &in->info;
    memcpy(n, info->stored, sizeof info->stored);
    if (in->file && !in->chosen && n[0] > 0) return;
    n[0] = info->shape.w, n[1] = info->shape.h, n[2] = info->shape.b * info->shape.d;
}

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
    const double zyx[3] = { tess_meta_angle(m, 2), tess_meta_angle(m, 1), tess_meta_angle(m, 0) };
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

void header_row(row *r, const input *in)
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
