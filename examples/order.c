/* Sorts scores of particles: a table by score, the best ones, outliers by quantiles, classes, and a histogram. */
#include <stdio.h>

#include "tessera.h"

enum { PARTICLES = 10, BEST = 3 };

static double  scores[PARTICLES] = { 0.42, 0.87, 0.13, 0.87, 0.55, 0.91, 0.08, 0.61, 0.66, 0.29 };
static int32_t classes[PARTICLES] = { 2, 1, 3, 1, 2, 1, 3, 2, 2, 3 };

static tess_status show(const char *title, const tess_array *a)
{
    char text[512];
    TESS_TRY(tess_format(text, sizeof text, NULL, a, &(tess_format_opts){ .precision = 3, .no_header = 1 }));
    printf("%-22s %s\n", title, text);
    return TESS_OK;
}

/* The whole table by score, the best first; the earlier particle comes first if scores are equal. */
static tess_status by_score(const tess_array *score, const tess_array *class)
{
    tess_array order = { 0 }, sorted = { 0 }, moved = { 0 };
    TESS_TRY(tess_argsort(&order, score, 3, &(tess_sort_opts){ .descending = 1 }));
    TESS_TRY(tess_sort(&sorted, score, 3, &(tess_sort_opts){ .descending = 1 }));
    TESS_TRY(tess_take(&moved, class, &order, 3));
    TESS_TRY(show("particles by score", &order));
    TESS_TRY(show("their scores", &sorted));
    TESS_TRY(show("their classes", &moved));
    tess_release(&order);
    tess_release(&sorted);
    tess_release(&moved);
    return TESS_OK;
}

/* Without sorting the others: the best, and those in the lowest quarter, which are set to 0. */
static tess_status extremes(const tess_array *score, const tess_array *class)
{
    tess_array best = { 0 }, which = { 0 }, low = { 0 }, cleaned = { 0 }, lowest = { 0 };
    double     quarter, median;
    TESS_TRY(tess_topk(&best, &which, score, BEST, 3, NULL));
    TESS_TRY(show("best particles", &which));
    TESS_TRY(show("their scores", &best));
    TESS_TRY(tess_host_median(&median, score));
    TESS_TRY(tess_host_quantile(&quarter, score, 0.25, NULL));
    printf("median %.3f, a quarter lies below %.4f\n", median, quarter);
    TESS_TRY(tess_less(&low, score, &tess_num(quarter)));
    TESS_TRY(tess_copy(&cleaned, score));
    TESS_TRY(tess_place(&cleaned, &tess_num(0), &low));
    TESS_TRY(show("without that quarter", &cleaned));
    tess_release(&which);
    TESS_TRY(tess_compress(NULL, &which, score, &low));
    TESS_TRY(tess_take_flat(&lowest, class, &which));
    TESS_TRY(show("classes of that", &lowest));
    tess_release(&best);
    tess_release(&which);
    tess_release(&low);
    tess_release(&cleaned);
    tess_release(&lowest);
    return TESS_OK;
}

static tess_status distributions(const tess_array *score, const tess_array *class)
{
    tess_array kinds = { 0 }, sizes = { 0 }, bins = { 0 };
    TESS_TRY(tess_unique(&kinds, &sizes, NULL, NULL, class));
    TESS_TRY(show("classes", &kinds));
    TESS_TRY(show("particles of each", &sizes));
    TESS_TRY(tess_histogram(&bins, score, 4, 0, &(tess_histogram_opts){ .low = 0, .high = 1 }));
    TESS_TRY(show("scores by quarters", &bins));
    tess_release(&kinds);
    tess_release(&sizes);
    tess_release(&bins);
    return TESS_OK;
}

static tess_status run(void)
{
    tess_array score = { 0 }, class = { 0 };
    TESS_TRY(tess_wrap(&score, scores, TESS_SHAPE(1, 1, 1, PARTICLES), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&class, classes, TESS_SHAPE(1, 1, 1, PARTICLES), TESS_I32, NULL));
    TESS_TRY(by_score(&score, &class));
    TESS_TRY(extremes(&score, &class));
    TESS_TRY(distributions(&score, &class));
    tess_release(&score);
    tess_release(&class);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
