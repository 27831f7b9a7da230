/* Rows put together from runs and written by whole lines, against a naive loop, on every instruction set: elements of
 * every size, runs of every kind and length, anywhere in a line, nothing written before or behind. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/memory/row_copy.h"
#include "support/isas.h"
#include "support/test.h"

enum {
    GUARD = 3 * TESS__CACHE_LINE,
    IN = 400, /* elements */
    RUNS = 5,
    ROWS = 2,
    WRITERS = 3,
    MOST = ROWS * RUNS * IN /* elements that a writer writes */
};

/* What one writer writes. */
typedef struct target {
    _Alignas(TESS__CACHE_LINE) unsigned char out[GUARD + 16 * MOST + GUARD], wanted[GUARD + 16 * MOST + GUARD];
    tess__line_writer writer;
    int64_t           at, written; /* bytes from the beginning of `out`; bytes */
} target;

typedef struct rows {
    target         targets[WRITERS];
    unsigned char  outside[16];
    unsigned char *pages;  /* of the input, between two that cannot be read */
    int64_t        length; /* bytes of those between */
    unsigned char *in;     /* at their beginning or their end */
    int64_t        size;   /* of an element */
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

static void expect(const rows *r, target *p, tess__run run)
{
    for (int64_t i = 0; i < run.n; i++) {
        const unsigned char *from = run.step == TESS__FILLED ? r->outside : r->in + (run.from + i * run.step) * r->size;
        memcpy(p->wanted + p->at + p->written, from, (size_t)r->size);
        p->written += r->size;
    }
}

static void begin(const rows *r, target *p)
{
    memset(p->out, 0xa5, sizeof p->out);
    memset(p->wanted, 0xa5, sizeof p->wanted);
    p->at = GUARD + test_random_in(0, TESS__CACHE_LINE - 1) / r->size * r->size;
    p->written = 0;
    p->writer.size = r->size;
    p->writer.outside = (const char *)r->outside;
    p->writer.kept = p->writer.held = p->at % TESS__CACHE_LINE;
    p->writer.to = (char *)p->out + p->at - p->writer.held;
}

/* Rows that are all alike, but for those that lie outside. */
static void list(const rows *r, target *p, int n_rows)
{
    tess__line_writer *w = &p->writer;
    w->n = 0;
    w->n_runs = (int)test_random_in(0, RUNS);
    for (int k = 0; k < w->n_runs; k++) w->n += (w->runs[k] = random_run()).n;
    for (int row = 0; row < n_rows; row++) {
        w->rows[row] = test_random_in(0, 3) ? (const char *)r->in : NULL;
        for (int k = 0; w->rows[row] && k < w->n_runs; k++) expect(r, p, w->runs[k]);
        if (!w->rows[row]) expect(r, p, (tess__run){ 0, TESS__FILLED, w->n });
    }
}

static void end(const target *p)
{
    const tess__line_writer *w = &p->writer;
    CHECK_I64(w->to + w->held - (const char *)p->out, p->at + p->written);
    tess__copy_end(w->to + w->kept, w->bytes + w->kept, w->held - w->kept);
}

static void check_rows(rows *r, const char *isa, int number, tess__lay_fn *kernel)
{
    const int          n = (int)test_random_in(1, WRITERS), times = (int)test_random_in(1, ROWS);
    tess__line_writer *writers[WRITERS];
    r->size = (int64_t)1 << test_random_in(0, 4);
    r->in = number % 2 ? r->pages : r->pages + r->length - IN * r->size;
    set_random(r->in, (size_t)(IN * r->size));
    set_random(r->outside, sizeof r->outside);
    for (int i = 0; i < n; i++) begin(r, &r->targets[i]), writers[i] = &r->targets[i].writer;
    for (int t = 0; t < times; t++) { /* a row at a time, or all at once */
        for (int i = 0; i < n; i++) list(r, &r->targets[i], ROWS / times);
        kernel(writers, n, ROWS / times);
    }
    for (int i = 0; i < n; i++) end(&r->targets[i]);
    tess__stores_done();
    for (int i = 0; i < n; i++)
        if (memcmp(r->targets[i].out, r->targets[i].wanted, sizeof r->targets[i].out) != 0)
            (void)test_failed(__FILE__, __LINE__, "%s: wrong in case %d: elements of %d bytes at %d", isa, number,
                              (int)r->size, (int)r->targets[i].at);
}

/* Reading past the input is a fault: pages around it cannot be read. */
static void make_pages(rows *r)
{
    const int64_t  page = sysconf(_SC_PAGESIZE), inside = (16 * IN - 1) / page * page + page;
    unsigned char *all = mmap(NULL, (size_t)(inside + 2 * page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED);
    r->length = inside;
    r->pages = all + page;
    CHECK(mprotect(r->pages, (size_t)inside, PROT_READ | PROT_WRITE) == 0);
}

static void free_pages(rows *r)
{
    const int64_t page = sysconf(_SC_PAGESIZE);
    CHECK(munmap(r->pages - page, (size_t)(r->length + 2 * page)) == 0);
}

TEST(rows_from_runs)
{
    rows *r = aligned_alloc(TESS__CACHE_LINE, sizeof *r);
    CHECK(r != NULL);
    make_pages(r);
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        for (int i = 0; i < test_fewer(2000); i++) check_rows(r, isa->name, i, tess__cpu_kernels()->memory.lay);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    free_pages(r);
    free(r);
}
