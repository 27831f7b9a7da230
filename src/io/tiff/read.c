/* TIFF reader: strips and tiles of pages, decoded by several threads, each with its own handle of libtiff. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <inttypes.h>
#include <string.h>

#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/device/stream.h"
#include "io/file/byteswap.h"
#include "io/file/colour.h"

enum {
    TASK_BYTES = 1 << 18,    /* decoded, that a task has at least */
    SEGMENT_BYTES = 1 << 20, /* of uncompressed strips and tiles, read in one call */
    STORED = 0,              /* which workspace of a handle */
    ELEMENTS = 1,
    OTHER = 2
};

/* A region of a file that is read. */
typedef struct job {
    tess_file               *file;
    tess__tiff_file         *state;
    const tess__file_region *region;
    const tess_array        *out;
    int64_t                  tasks; /* of each page: the maximum of all pages */
} job;

/* A rectangle of a page that is read in one call: a strip, a tile, or some rows of one. */
typedef struct segment {
    uint32_t block;      /* libtiff's number of the strip or tile */
    int64_t  skip;       /* rows of the block before it */
    int64_t  row, col;   /* of the page */
    int64_t  rows, cols; /* those of a tile may go beyond the page */
} segment;

/* ---- Segments of a page ---- */

/* Rows of a strip or tile that are read in one call. */
static int64_t segment_rows(const tess__tiff_file *state, const tess__tiff_page *page)
{
    if (!page->raw) return page->block_h;
    const int64_t rows = SEGMENT_BYTES / tess__tiff_row_bytes(&state->kind, page);
    return rows < 1 ? 1 : rows > page->block_h ? page->block_h : rows;
}

static int64_t blocks_across(const tess__tiff_file *state, const tess__tiff_page *page)
{
    return ((int64_t)state->kind.width + page->block_w - 1) / page->block_w;
}

static int64_t n_segments(const tess__tiff_file *state, const tess__tiff_page *page)
{
    const int64_t down = ((int64_t)state->kind.height + page->block_h - 1) / page->block_h;
    const int64_t segments = (page->block_h + segment_rows(state, page) - 1) / segment_rows(state, page);
    return down * segments * blocks_across(state, page);
}

/* Segments of a task. */
static int64_t segments_per_task(const tess__tiff_file *state, const tess__tiff_page *page)
{
    const int64_t bytes = tess__tiff_row_bytes(&state->kind, page) * segment_rows(state, page);
    return bytes >= TASK_BYTES ? 1 : TASK_BYTES / bytes;
}

static int64_t n_tasks(const tess__tiff_file *state, const tess__tiff_page *page)
{
    const int64_t each = segments_per_task(state, page);
    return (n_segments(state, page) + each - 1) / each;
}

static segment segment_of(const tess__tiff_file *state, const tess__tiff_page *page, int64_t i)
{
    const int64_t rows = segment_rows(state, page), cuts = (page->block_h + rows - 1) / rows;
    const int64_t across = blocks_across(state, page), block = i / cuts, height = state->kind.height;
    segment       p = { .block = (uint32_t)block, .skip = i % cuts * rows };
    p.row = block / across * page->block_h + p.skip;
    p.col = block % across * page->block_w;
    p.cols = page->block_w;
    p.rows = page->block_h - p.skip < rows ? page->block_h - p.skip : rows;
    if ((!page->tiled || page->raw) && height - p.row < p.rows) p.rows = height - p.row;
    return p;
}

/* ---- From the file to elements ---- */

static tess_status reject_block(const job *j, const tess__tiff_handle *h, const segment *p, const char *why,
                                const char *said)
{
    const tess__tiff_page *page = &j->state->pages[h->page];
    TESS_FAIL(TESS_EFORMAT, "file_read: %s: page %" PRId64 ", %s %" PRIu32 " %s%s", tess__source_name(h->source),
              page->number, page->tiled ? "tile" : "strip", p->block, why, said);
}

/* Bytes of an uncompressed strip or tile. */
static tess_status read_raw(const job *j, tess__tiff_handle *h, const segment *p)
{
    const tess__tiff_page *page = &j->state->pages[h->page];
    const int64_t          row = tess__tiff_row_bytes(&j->state->kind, page), n = row * p->rows;
    const int64_t          at = (int64_t)TIFFGetStrileOffset(h->tiff, p->block) + page->shift + p->skip * row;
    int64_t                got = 0;
    TESS_TRY(tess__tiff_workspace(h, STORED, n));
    if (at >= 0) TESS_TRY(tess__source_read(h->source, at, h->workspace[STORED], n, &got));
    if (got < n) {
        if (!j->file->opts.salvage) TESS_TRY(reject_block(j, h, p, "is truncated", ""));
        memset(h->workspace[STORED] + got, 0, (size_t)(n - got));
        atomic_store(&j->state->damaged, true);
    }
    const tess_dtype dtype = j->state->kind.dtype;
    if (j->file->info.big_endian == tess__is_little_endian() && !tess__tiff_is_packed(&j->state->kind))
        TESS_TRY(tess__byteswap(h->workspace[STORED], n / tess__dtype_size(dtype), dtype));
    return TESS_OK;
}

/* What libtiff makes of a strip or tile, in a workspace that was filled with a byte. False: not all of it is there.
 * Some decoders tell of damage and go on. */
static bool decode_over(tess__tiff_handle *h, const tess__tiff_page *page, uint32_t block, int which, int64_t n,
                        int byte)
{
    if (byte >= 0) memset(h->workspace[which], byte, (size_t)n);
    h->message.text[0] = '\0';
    h->failed = TESS_OK;
    const tmsize_t got = page->tiled ? TIFFReadEncodedTile(h->tiff, block, h->workspace[which], (tmsize_t)n)
                                     : TIFFReadEncodedStrip(h->tiff, block, h->workspace[which], (tmsize_t)n);
    return h->failed == TESS_OK && got == (tmsize_t)n && !h->message.text[0];
}

/* Has a row of `cols` pixels of one bit this byte everywhere? */
static bool is_row_of(const unsigned char *row, int64_t cols, unsigned char byte)
{
    for (int64_t i = 0; i < cols / 8; i++)
        if (row[i] != byte) return false;
    return cols % 8 == 0 || (row[cols / 8] ^ byte) >> (8 - cols % 8) == 0;
}

/* A group 4 fax may end before its last row, which libtiff then leaves as it was, without a word. */
static bool decode_fax(tess__tiff_handle *h, const tess__tiff_page *page, uint32_t block, int which, int64_t n)
{
    enum { ONE = 0x55, OTHER_BITS = 0xaa };
    const unsigned char *last = h->workspace[which] + n - (page->block_w + 7) / 8;
    return decode_over(h, page, block, which, n, ONE) &&
           (!is_row_of(last, page->block_w, ONE) ||
            (decode_over(h, page, block, which, n, OTHER_BITS) && !is_row_of(last, page->block_w, OTHER_BITS)));
}

/* A strip or tile through libtiff, that of `plane` if samples are in separate planes. */
static tess_status decode(const job *j, tess__tiff_handle *h, const segment *p, int plane, int which)
{
    const tess__tiff_page *page = &j->state->pages[h->page];
    const int64_t          n = tess__tiff_row_bytes(&j->state->kind, page) * p->rows;
    const int64_t          in_plane = n_segments(j->state, page); /* strips and tiles are segments here */
    const uint32_t         block = p->block + (uint32_t)(plane * in_plane);
    const bool             salvage = j->file->opts.salvage != 0;
    TESS_TRY(tess__tiff_workspace(h, which, n));
    const bool whole = page->compression == COMPRESSION_CCITTFAX4 && j->state->kind.bits == 1
                           ? decode_fax(h, page, block, which, n)
                           : decode_over(h, page, block, which, n, salvage ? 0 : -1);
    if (h->failed != TESS_OK) TESS_TRY(h->failed);
    if (whole) return TESS_OK;
    if (!salvage)
        TESS_TRY(reject_block(j, h, p, "cannot be decoded; it is truncated or damaged", tess__tiff_said(&h->message)));
    (void)decode_over(h, page, block, which, n, 0);
    atomic_store(&j->state->damaged, true);
    return TESS_OK;
}

/* Three samples of a pixel to one. */
static tess_status to_grey(const job *j, tess__tiff_handle *h, const segment *p)
{
    const tess__tiff_kind *kind = &j->state->kind;
    const int64_t          n = p->rows * p->cols, size = tess__dtype_size(kind->dtype);
    const unsigned char   *red = h->workspace[STORED];
    TESS_TRY(tess__tiff_workspace(h, ELEMENTS, n * size));
    if (j->state->inks) tess__tiff_mix_inks((uint16_t *)(void *)h->workspace[STORED], n);
    if (!j->state->pages[h->page].separate) {
        tess__grey(h->workspace[ELEMENTS], red, red + size, red + 2 * size, kind->samples, n, kind->dtype);
        return TESS_OK;
    }
    TESS_TRY(decode(j, h, p, 1, ELEMENTS));
    TESS_TRY(decode(j, h, p, 2, OTHER));
    tess__grey(h->workspace[ELEMENTS], red, h->workspace[ELEMENTS], h->workspace[OTHER], 1, n, kind->dtype);
    return TESS_OK;
}

/* Elements without what follows each: an alpha that is dropped. */
static tess_status first_samples(const job *j, tess__tiff_handle *h, const segment *p)
{
    const size_t   size = (size_t)tess__dtype_size(j->state->kind.dtype);
    const int64_t  n = p->rows * p->cols;
    unsigned char *to = NULL;
    TESS_TRY(tess__tiff_workspace(h, ELEMENTS, n * (int64_t)size));
    to = h->workspace[ELEMENTS];
    for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)i * size, h->workspace[STORED] + 2 * (size_t)i * size, size);
    return TESS_OK;
}

/* Colours that libtiff converts. */
static tess_status convert(const job *j, tess__tiff_handle *h, const segment *p)
{
    const int64_t n = p->rows * p->cols, corner[2] = { p->row, p->col };
    TESS_TRY(tess__tiff_workspace(h, ELEMENTS, n));
    TESS_TRY(tess__tiff_workspace(h, OTHER, n * (int64_t)sizeof(uint32_t)));
    h->message.text[0] = '\0';
    h->failed = TESS_OK;
    const bool done = tess__tiff_grey_block(h->workspace[ELEMENTS], (uint32_t *)(void *)h->workspace[OTHER], h,
                                            &j->state->pages[h->page], corner, p->rows);
    if (h->failed != TESS_OK) TESS_TRY(h->failed);
    if (done && !h->message.text[0]) return TESS_OK;
    if (!j->file->opts.salvage)
        TESS_TRY(reject_block(j, h, p, "cannot be decoded; it is truncated or damaged", tess__tiff_said(&h->message)));
    if (!done) memset(h->workspace[ELEMENTS], 0, (size_t)n);
    atomic_store(&j->state->damaged, true);
    return TESS_OK;
}

/* The elements of a segment: `*width` of a row. */
static tess_status elements_of(const job *j, tess__tiff_handle *h, const segment *p, unsigned char **elements,
                               int64_t *width)
{
    const tess__tiff_file *state = j->state;
    const tess__tiff_page *page = &state->pages[h->page];
    *width = state->halved ? 2 * p->cols : p->cols;
    if (state->kind.rgba) {
        TESS_TRY(convert(j, h, p));
        *elements = h->workspace[ELEMENTS];
        return TESS_OK;
    }
    if (page->raw) TESS_TRY(read_raw(j, h, p));
    else TESS_TRY(decode(j, h, p, 0, STORED));
    *elements = h->workspace[STORED];
    if (state->halved || tess__tiff_is_packed(&state->kind)) {
        TESS_TRY(tess__tiff_workspace(h, ELEMENTS, p->rows * *width * tess__dtype_size(state->kind.dtype)));
        if (state->halved)
            tess__tiff_unpack_halves(h->workspace[ELEMENTS], h->workspace[STORED], p->rows, *width, true);
        else tess__tiff_unpack(h->workspace[ELEMENTS], h->workspace[STORED], p->rows, *width, state->kind.bits);
        *elements = h->workspace[ELEMENTS];
    } else if (state->colours) {
        TESS_TRY(to_grey(j, h, p));
        *elements = h->workspace[ELEMENTS];
    } else if (state->kind.samples == 2 && !page->separate) {
        TESS_TRY(first_samples(j, h, p));
        *elements = h->workspace[ELEMENTS];
    }
    if (state->palette)
        for (int64_t i = 0; i < p->rows * *width; i++) (*elements)[i] = h->grey[(*elements)[i]];
    return TESS_OK;
}

/* ---- From elements to the array ---- */

/* Which of n indices from + k * step lie in low .. low + count - 1: k from *first on, as many as returned. */
static int64_t inside(int64_t from, int64_t step, int64_t n, int64_t low, int64_t count, int64_t *first)
{
    const int64_t up = step > 0 ? step : -step, high = low + count - 1;
    const int64_t before = step > 0 ? low - from : from - high; /* to be gone before the first */
    const int64_t reach = step > 0 ? high - from : from - low;  /* to the last */
    if (reach < 0) return 0;
    *first = before <= 0 ? 0 : (before + up - 1) / up;
    const int64_t last = reach / up < n - 1 ? reach / up : n - 1;
    return last < *first ? 0 : last - *first + 1;
}

/* Where the columns or rows of a segment go; `n` is 0 if nowhere. */
typedef struct target {
    int64_t first, n; /* of the output */
    int64_t at, step; /* of the segment: index of the first, and distance to the next */
} target;

static target rows_of(const job *j, const segment *p)
{
    const int64_t from = j->region->from[2], step = j->region->step[2], height = j->state->kind.height;
    const int64_t rows = height - p->row < p->rows ? height - p->row : p->rows; /* tiles may go beyond */
    const int64_t low = j->state->flip ? height - p->row - rows : p->row;
    target        t = { .step = j->state->flip ? -step : step };
    t.n = inside(from, step, j->region->n[2], low, rows, &t.first);
    const int64_t row = from + t.first * step;
    t.at = (j->state->flip ? height - 1 - row : row) - p->row;
    return t;
}

static target columns_of(const job *j, const segment *p)
{
    const int64_t k = j->state->halved ? 2 : 1, whole = j->state->kind.width - p->col;
    const int64_t cols = whole < p->cols ? whole : p->cols;
    target        t = { .step = j->region->step[3] };
    t.n = inside(j->region->from[3], t.step, j->region->n[3], k * p->col, k * cols, &t.first);
    t.at = j->region->from[3] + t.first * t.step - k * p->col;
    return t;
}

/* The page of an image of the region. */
static int64_t page_of(const job *j, int64_t image)
{
    const tess__file_region *p = j->region;
    const int64_t b = p->from[0] + image / p->n[1] * p->step[0], d = p->from[1] + image % p->n[1] * p->step[1];
    return b * j->file->info.shape.d + d;
}

static tess_status copy_out(const job *j, int64_t image, unsigned char *elements, int64_t width, const target *r,
                            const target *c)
{
    const tess_dtype dtype = j->state->kind.dtype;
    tess_array       from = { .shape = TESS_SHAPE(1, 1, r->n, c->n), .dtype = dtype, .device = tess_cpu() };
    tess_array       to = *j->out;
    from.strides = TESS_STRIDES(0, 0, r->step * width, c->step);
    from.data = elements + (r->at * width + c->at) * tess__dtype_size(dtype);
    const int64_t skip = image / j->region->n[1] * to.strides.b + image % j->region->n[1] * to.strides.d;
    to.data = (char *)to.data + (skip + r->first * to.strides.h + c->first * to.strides.w) * tess__dtype_size(to.dtype);
    to.shape = from.shape;
    TESS_TRY(tess_cast(&to, &from, to.dtype, NULL));
    TESS_TRY(tess__sync("file_read", tess_cpu())); /* the caller's stream may queue it; the workspace is reused */
    return TESS_OK;
}

/* ---- Tasks ---- */

static tess_status read_segment(const job *j, tess__tiff_handle *h, int64_t image, const segment *p)
{
    const target   rows = rows_of(j, p), columns = columns_of(j, p);
    unsigned char *elements = NULL;
    int64_t        width = 0;
    if (rows.n == 0 || columns.n == 0) return TESS_OK;
    TESS_TRY(elements_of(j, h, p, &elements, &width));
    TESS_TRY(copy_out(j, image, elements, width, &rows, &columns));
    return TESS_OK;
}

/* The grey of each colour of a palette: 16 bits each, or 8 in files of old. */
static tess_status read_palette(const job *j, tess__tiff_handle *h)
{
    const int n = 1 << j->state->kind.bits;
    uint16_t *red = NULL, *green = NULL, *blue = NULL;
    int       shift = 0;
    TESS_CHECK(TIFFGetField(h->tiff, TIFFTAG_COLORMAP, &red, &green, &blue) && red && green && blue, TESS_EFORMAT,
               "file_read: %s: page %" PRId64 " has a palette without colours", tess__source_name(h->source),
               j->state->pages[h->page].number);
    for (int i = 0; i < n; i++)
        if (red[i] > 255 || green[i] > 255 || blue[i] > 255) shift = 8;
    for (int i = 0; i < n; i++) {
        const uint16_t colour[3] = { (uint16_t)(red[i] >> shift), (uint16_t)(green[i] >> shift),
                                     (uint16_t)(blue[i] >> shift) };
        uint16_t       grey;
        tess__grey(&grey, &colour[0], &colour[1], &colour[2], 1, 1, TESS_U16);
        h->grey[i] = (unsigned char)grey;
    }
    return TESS_OK;
}

static tess_status go_to(const job *j, tess__tiff_handle *h, int64_t page)
{
    if (h->page == page) return TESS_OK;
    TESS_TRY(tess__tiff_go_to(h, j->state->pages, page));
    if (j->state->kind.rgba) (void)TIFFSetField(h->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT); /* rows as stored */
    else if (j->state->kind.photometric == PHOTOMETRIC_YCBCR)
        (void)TIFFSetField(h->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    if (j->state->palette) TESS_TRY(read_palette(j, h));
    return TESS_OK;
}

static tess_status read_task(const job *j, tess__tiff_handle *h, int64_t i)
{
    const int64_t          image = i / j->tasks, page = page_of(j, image);
    const tess__tiff_page *p = &j->state->pages[page];
    const int64_t          each = segments_per_task(j->state, p), first = i % j->tasks * each;
    const int64_t          n = n_segments(j->state, p), last = n - first < each ? n : first + each;
    if (first >= n) return TESS_OK;
    TESS_TRY(go_to(j, h, page));
    for (int64_t k = first; k < last; k++) {
        const segment cut = segment_of(j->state, p, k);
        if (cut.rows > 0) TESS_TRY(read_segment(j, h, image, &cut));
    }
    return TESS_OK;
}

/* A handle that nobody uses: one that is at the wanted page, if there is one, any, or a new one. */
static tess_status borrow(const job *j, tess__tiff_handle **handle, int64_t page)
{
    tess__tiff_handle **best = NULL;
    (void)pthread_mutex_lock(&j->state->lock);
    for (tess__tiff_handle **h = &j->state->idle; *h; h = &(*h)->next)
        if (!best || (*h)->page == page) best = h;
    *handle = best ? *best : NULL;
    if (best) *best = (*best)->next;
    (void)pthread_mutex_unlock(&j->state->lock);
    if (!*handle) TESS_TRY(tess__tiff_handle_open(handle, j->file->source));
    return TESS_OK;
}

static void give_back(const job *j, tess__tiff_handle *handle)
{
    (void)pthread_mutex_lock(&j->state->lock);
    handle->next = j->state->idle;
    j->state->idle = handle;
    (void)pthread_mutex_unlock(&j->state->lock);
}

static tess_status run_task(void *context, int64_t i)
{
    const job         *j = context;
    tess__tiff_handle *handle;
    TESS_TRY(borrow(j, &handle, page_of(j, i / j->tasks)));
    const tess_status status = read_task(j, handle, i);
    if (status != TESS_OK) handle->page = -1;
    give_back(j, handle);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__tiff_read_region(tess_file *file, const tess__file_region *region, const tess_array *out)
{
    tess__tiff_file *state = file->state;
    job              j = { .file = file, .state = state, .region = region, .out = out, .tasks = 1 };
    const int64_t    n = region->n[0] * region->n[1];
    for (int64_t k = 0; k < n; k++) {
        const int64_t tasks = n_tasks(state, &state->pages[page_of(&j, k)]);
        if (tasks > j.tasks) j.tasks = tasks;
    }
    const int threads = tess__source_is_shared(file->source) ? tess_threads_get() : 1;
    TESS_TRY(tess__parallel_tasks(n * j.tasks, threads, run_task, &j));
    if (atomic_exchange(&state->damaged, false))
        tess__file_warn(file, TESS_ODD_FRAME, "", "", "",
                        "strips or tiles are truncated or damaged; missing values are 0");
    return TESS_OK;
}

#endif
