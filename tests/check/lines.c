/* Rows put together from runs and written by whole lines, against a plain loop, on every instruction set: elements of
 * every size, runs of every kind and length, anywhere in a line, nothing written before or behind. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/rows.h"
#include "support/isas.h"
#include "support/test.h"

enum { GUARD = 3 * TESS__LINE, IN = 400 /* elements */, RUNS = 5, MOST = 2 * RUNS * IN /* elements written */ };

typedef struct rows {
    _Alignas(TESS__LINE) unsigned char out[GUARD + 16 * MOST + GUARD], wanted[GUARD + 16 * MOST + GUARD];
    unsigned char  outside[16];
    unsigned char *pages;    /* of the input, between two that cannot be read */
    int64_t        room;     /* bytes of those between */
    unsigned char *in;       /* at their beginning or their end */
    int64_t        size, at; /* of an element; bytes from the beginning of `out` */
    int64_t        written;  /* bytes */
} rows;

static void set_random(unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)test_random();
}

/* Short ones and long ones that stay inside the input. */
static tess__run random_run(void)
{
    const int64_t step = test_random_in(-1, TESS__FILLED), n = test_random_in(0, test_random_in(0, 3) ? 40 : IN);
    const int64_t least = step == -1 && n > 0 ? n - 1 : 0, most = step == 1 ? IN - n : IN - 1;
    return (tess__run){ test_random_in(least, most < least ? least : most), step, n };
}

static void expect(rows *r, tess__run run)
{
    for (int64_t i = 0; i < run.n; i++) {
        const unsigned char *from = run.step == TESS__FILLED ? r->outside : r->in + (run.from + i * run.step) * r->size;
        memcpy(r->wanted + r->at + r->written, from, (size_t)r->size);
        r->written += r->size;
    }
}

/* Two rows, one after the other. */
static void lay(rows *r, tess__lay_fn *kernel)
{
    tess__line_writer w = { .size = r->size, .outside = (const char *)r->outside };
    w.kept = w.held = r->at % TESS__LINE;
    w.to = (char *)r->out + r->at - w.held;
    for (int row = 0; row < 2; row++) {
        tess__run runs[RUNS];
        const int n = (int)test_random_in(0, RUNS);
        for (int k = 0; k < n; k++) expect(r, runs[k] = random_run());
        kernel(&w, (const char *)r->in, runs, n);
    }
    CHECK_I64(w.to + w.held - (char *)r->out, r->at + r->written);
    tess__copy_end(w.to + w.kept, w.bytes + w.kept, w.held - w.kept);
    tess__stores_done();
}

static void check_rows(rows *r, const char *isa, int number, tess__lay_fn *kernel)
{
    r->size = (int64_t)1 << test_random_in(0, 4);
    r->at = GUARD + test_random_in(0, TESS__LINE - 1) / r->size * r->size;
    r->written = 0;
    r->in = number % 2 ? r->pages : r->pages + r->room - IN * r->size;
    set_random(r->in, (size_t)(IN * r->size));
    set_random(r->outside, sizeof r->outside);
    memset(r->out, 0xa5, sizeof r->out);
    memset(r->wanted, 0xa5, sizeof r->wanted);
    lay(r, kernel);
    if (memcmp(r->out, r->wanted, sizeof r->out) != 0)
        (void)test_failed(__FILE__, __LINE__, "%s: wrong in case %d: elements of %d bytes at %d", isa, number,
                          (int)r->size, (int)r->at);
}

/* Reading past the input is a fault: pages around it cannot be read. */
static void make_pages(rows *r)
{
    const int64_t  page = sysconf(_SC_PAGESIZE), inside = (16 * IN - 1) / page * page + page;
    unsigned char *all = mmap(NULL, (size_t)(inside + 2 * page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED);
    r->room = inside;
    r->pages = all + page;
    CHECK(mprotect(r->pages, (size_t)inside, PROT_READ | PROT_WRITE) == 0);
}

static void free_pages(rows *r)
{
    const int64_t page = sysconf(_SC_PAGESIZE);
    CHECK(munmap(r->pages - page, (size_t)(r->room + 2 * page)) == 0);
}

TEST(rows_from_runs)
{
    rows *r = aligned_alloc(TESS__LINE, sizeof *r);
    CHECK(r != NULL);
    make_pages(r);
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit(isa->name));
        for (int i = 0; i < test_fewer(2000); i++) check_rows(r, isa->name, i, tess__cpu_kernels()->lay);
    }
    CHECK_OK(tess_cpu_limit(NULL));
    free_pages(r);
    free(r);
}
