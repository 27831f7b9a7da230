/* RELION tables: reads a STAR file, converts columns to arrays and back, and joins, sorts and prints tables. */
#include <stdio.h>
#include <string.h>

#include "tessera.h"

static const char particles_text[] = "data_particles\n"
                                     "loop_\n"
                                     "_rlnImageName #1\n"
                                     "_rlnMicrographName #2\n"
                                     "_rlnDefocusU #3\n"
                                     "_rlnDefocusV #4\n"
                                     "000001@stack.mrcs m1.mrc 15210.5 14893.25\n"
                                     "000002@stack.mrcs m2.mrc 9870.0  9655.5\n"
                                     "000003@stack.mrcs m1.mrc 15188.0 14901.0\n"
                                     "000004@stack.mrcs m3.mrc 21005.0 20760.0\n";
static const char doses_text[] = "rlnMicrographName,dose\nm1.mrc,42.5\nm2.mrc,40\n";

/* The mean defocus of each row as a new column, in micrometres: columns are arrays, and arrays columns. */
static tess_status add_defocus(tess_star_table *particles)
{
    tess_array  u = { 0 }, v = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_star_numbers(&u, particles, "rlnDefocusU"));
    TESS_GOTO(done, status, tess_star_numbers(&v, particles, "rlnDefocusV"));
    TESS_GOTO(done, status, tess_add(&u, &u, &v));
    TESS_GOTO(done, status, tess_div(&u, &u, &tess_num(2e4)));
    TESS_GOTO(done, status, tess_star_set_numbers(particles, "defocus", &u));
done:
    tess_release(&u);
    tess_release(&v);
    return status;
}

/* Value by value: what image a row is of. */
static tess_status print_images(const tess_star_table *particles)
{
    for (int64_t i = 0; i < tess_star_rows(particles); i++) {
        const char *stack;
        int64_t     index;
        double      defocus;
        TESS_TRY(tess_star_get_image(&index, &stack, particles, i, "rlnImageName", 4));
        TESS_TRY(tess_star_get_f64(&defocus, particles, i, "defocus"));
        printf("image %d of %s: defocus %.4f um\n", (int)index, stack, defocus);
    }
    return TESS_OK;
}

static tess_status change(tess_star *star, const tess_star *doses)
{
    tess_star_table *particles = tess_star_find(star, "particles"), *optics;
    int64_t          n_dropped;
    TESS_TRY(add_defocus(particles));
    TESS_TRY(print_images(particles));
    TESS_TRY(tess_star_join(&n_dropped, particles, tess_star_at(doses, 0), "rlnMicrographName"));
    printf("%d row without a dose was dropped\n\n", (int)n_dropped);
    TESS_TRY(tess_star_sort(particles, "defocus", false));
    TESS_TRY(tess_star_add(&optics, star, "optics", true)); /* single pairs of a label and a value */
    TESS_TRY(tess_star_set_i64(optics, 0, "rlnOpticsGroup", 1));
    TESS_TRY(tess_star_set_f64(optics, 0, "rlnVoltage", 300));
    (void)fflush(stdout); /* the tables come behind what was printed */
    for (int64_t i = 0; i < tess_star_count(star); i++)
        TESS_TRY(tess_star_write_table("-", tess_star_at(star, i), /* standard output */
                                       &(tess_star_table_opts){ .form = TESS_STAR_ALIGNED }));
    return TESS_OK;
}

static tess_status run(void)
{
    tess_star  *star = NULL, *doses = NULL; /* tess_star_read and tess_star_read_table take the names of files */
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_star_parse(&star, particles_text, (int64_t)strlen(particles_text), "particles.star"));
    TESS_GOTO(done, status,
              tess_star_parse_table(&doses, doses_text, (int64_t)strlen(doses_text), "doses.csv", "doses"));
    TESS_GOTO(done, status, change(star, doses));
done:
    tess_star_free(star);
    tess_star_free(doses);
    return status;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    (void)fprintf(stderr, "%s\n", tess_error_message());
    return 1;
}
