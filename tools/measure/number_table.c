/* Tables of numbers in texts: columns, brought into rows. */
#include "measure/number_table.h"

#include <string.h>
#include <strings.h>

#include "measure/columns.h"

bool is_number_table(const char *path)
{
    static const char *const endings[] = { ".txt", ".tsv", ".csv", ".dat", ".tlt" };
    const size_t             n = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
        if (n > 4 && strcasecmp(path + n - 4, endings[i]) == 0) return true;
    return false;
}

static tess_status fill(tess_array *rows, const columns *c, const char *what, const char *path)
{
    TESS_CHECK(c->n_words == 0 && c->n_uneven == 0, TESS_EFORMAT,
               "%s: %s has %lld words and %lld lines of another length than the first; expected numbers separated by "
               "tabs, commas or spaces, equally many in each line",
               what, path, (long long)c->n_words, (long long)c->n_uneven);
    TESS_TRY(tess_empty(rows, TESS_SHAPE(1, 1, c->n_rows, c->n), TESS_F64, tess_cpu()));
    double *to = rows->data;
    for (int64_t row = 0; row < c->n_rows; ++row)
        for (int k = 0; k < c->n; ++k) *to++ = c->values[k][row];
    return TESS_OK;
}

tess_status number_table_read(tess_array *rows, const char *what, const char *path)
{
    columns c;
    TESS_TRY(columns_read(&c, path));
    const tess_status status = fill(rows, &c, what, path);
    columns_free(&c);
    return status;
}
