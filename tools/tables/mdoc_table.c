/* An mdoc file as tables: its keys for all as pairs, its sections as rows, a column for each key. */
#include "tables/mdoc_table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool is_mdoc(const char *path)
{
    const size_t n = strlen(path);
    return n > 5 && strcasecmp(path + n - 5, ".mdoc") == 0;
}

enum { LABEL = 200 };

/* A key as a label, without blanks. */
static const char *label_of(char label[LABEL], const char *key)
{
    (void)snprintf(label, LABEL, "%s", key);
    for (char *c = label; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 127) *c = '_';
    return label;
}

static tess_status add_value(tess_star_table *t, int64_t row, const char *key, const char *value)
{
    char label[LABEL];
    if (tess_star_column(t, label_of(label, key)) < 0) TESS_TRY(tess_star_add_column(t, label, "?"));
    return tess_star_set(t, row, label, value);
}

static tess_status add_keys(tess_star_table *t, int64_t row, const tess_mdoc *mdoc, int64_t section)
{
    for (int64_t k = 0; tess_mdoc_key(mdoc, section, k); k++)
        TESS_TRY(add_value(t, row, tess_mdoc_key(mdoc, section, k), tess_mdoc_value(mdoc, section, k)));
    return TESS_OK;
}

/* Titles of another kind, as [T = SerialEM: …], are pairs too: T, T_2, … */
static tess_status add_title(tess_star_table *t, const char *kind, const char *title)
{
    char label[LABEL], name[LABEL + 24];
    (void)snprintf(name, sizeof name, "%s", label_of(label, kind));
    for (int k = 2; tess_star_column(t, name) >= 0; k++) (void)snprintf(name, sizeof name, "%s_%d", label, k);
    return tess_star_add_column(t, name, title);
}

static tess_status add_sections(tess_star_table *pairs, tess_star_table *rows, const tess_mdoc *mdoc)
{
    TESS_TRY(tess_star_add_column(rows, "ZValue", "?"));
    for (int64_t i = 0; i < tess_mdoc_sections(mdoc); i++) {
        if (strcmp(tess_mdoc_kind(mdoc, i), "ZValue") != 0) {
            TESS_TRY(add_title(pairs, tess_mdoc_kind(mdoc, i), tess_mdoc_title(mdoc, i)));
            TESS_TRY(add_keys(pairs, 0, mdoc, i));
            continue;
        }
        const int64_t row = tess_star_rows(rows);
        TESS_TRY(tess_star_add_rows(rows, 1));
        for (int64_t k = 0; k < tess_star_columns(rows); k++)
            TESS_TRY(tess_star_set(rows, row, tess_star_label(rows, k), "?"));
        TESS_TRY(tess_star_set(rows, row, "ZValue", tess_mdoc_title(mdoc, i)));
        TESS_TRY(add_keys(rows, row, mdoc, i));
    }
    return TESS_OK;
}

static tess_status fill(tess_star *star, const tess_mdoc *mdoc)
{
    tess_star_table *pairs = NULL, *rows = NULL;
    TESS_TRY(tess_star_add(&pairs, star, "global", true));
    TESS_TRY(tess_star_add(&rows, star, "sections", false));
    TESS_TRY(add_keys(pairs, 0, mdoc, TESS_MDOC_GLOBAL));
    return add_sections(pairs, rows, mdoc);
}

tess_status mdoc_table_read(tess_star **star, const char *path)
{
    tess_mdoc *mdoc = NULL;
    TESS_TRY(tess_mdoc_read(&mdoc, path));
    tess_status status = tess_star_new(star);
    if (status == TESS_OK) status = fill(*star, mdoc);
    tess_mdoc_free(mdoc);
    if (status != TESS_OK) {
        tess_star_free(*star);
        *star = NULL;
    }
    TESS_TRY_NOTE(status, "while reading %s", path);
    return TESS_OK;
}
