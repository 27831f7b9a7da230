/* Spelling suggestions: the candidate name at the smallest edit distance (Damerau-Levenshtein). */
#include <stdio.h>
#include <string.h>

#include "lang/front/names.h"

enum { LONGEST = 32 };

static int32_t min_of(int32_t a, int32_t b) { return a < b ? a : b; }

/* Damerau-Levenshtein distance: letters inserted, deleted, replaced or swapped with their neighbour. */
static int32_t distance(const char *a, int32_t n, const char *b, int32_t m)
{
    int32_t rows[3][LONGEST + 1];
    for (int32_t j = 0; j <= m; j++) rows[0][j] = j;
    for (int32_t i = 1; i <= n; i++) {
        int32_t       *row = rows[i % 3];
        const int32_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int32_t j = 1; j <= m; j++) {
            row[j] = min_of(min_of(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min_of(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

tess__guess tess__guess_start(const char *text, tess__bytes span)
{
    const int32_t near = span.length < 3 ? 1 : span.length < 6 ? 2 : 3;
    return (tess__guess){ .text = text, .span = span, .distance = near };
}

void tess__guess_offer(tess__guess *g, const char *name, int32_t length)
{
    if (length == 0 || length > LONGEST || g->span.length > LONGEST) return;
    const int32_t d = distance(g->text + g->span.at, g->span.length, name, length);
    /* At least one letter must be right. */
    if (d >= g->distance || d >= length || d >= g->span.length) return;
    g->best = name, g->best_length = length, g->distance = d;
}

void tess__guess_offer_all(tess__guess *g, const char *const *names)
{
    for (; *names; names++) tess__guess_offer(g, *names, (int32_t)strlen(*names));
}

tess__hint tess__guess_hint(const tess__guess *g)
{
    tess__hint hint = { "" };
    if (g->best) (void)snprintf(hint.text, sizeof hint.text, "; did you mean '%.*s'?", (int)g->best_length, g->best);
    return hint;
}
