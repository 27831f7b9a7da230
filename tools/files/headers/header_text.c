/* The header of a file, as text for people. */
#include "files/headers/header.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "measure/cell_text.h"

static const char *sections_rule(int rule)
{
    static const char *const rules[] = { "",
                                         "as specified",
                                         "space group 401 to 630",
                                         "one section",
                                         "its name says stack",
                                         "its name says volume",
                                         "space group and MZ",
                                         "a guess: --as overrides it" };
    return rule >= 1 && rule <= 7 ? rules[rule] : "";
}

static const char *bytes_rule(int rule)
{
    static const char *const rules[] = { "", "as specified", "IMOD's flag", "minimum and maximum", "the standard" };
    return rule >= 1 && rule <= 4 ? rules[rule] : "";
}

static const char *meaning(char text[64], tess_shape s)
{
    if (s.b > 1 && s.d > 1) (void)snprintf(text, 64, "%lld volumes", (long long)s.b);
    else if (s.b > 1) (void)snprintf(text, 64, "%lld images", (long long)s.b);
    else (void)snprintf(text, 64, s.d > 1 ? "a volume" : "an image");
    return text;
}

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
        (void)snprintf(text, sizeof text, "%s degrees (alpha beta gamma)", cell_angles_text(angles, m));
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
        (void)snprintf(text, sizeof text, "%s, %lld bytes", m->extended_type[0] ? m->extended_type : "untyped",
                       (long long)m->extended_size);
        line("extended", text);
    }
}

void print_labels(const tess_meta *m, const char *before)
{
    for (int i = 0; i < m->n_labels; i++) {
        int n = (int)strlen(m->labels[i]);
        while (n > 0 && m->labels[i][n - 1] == ' ') n--;
        (void)printf("%s", before);
        print_clean(stdout, m->labels[i], n);
        (void)putchar('\n');
    }
}

void print_header(const input *in)
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
