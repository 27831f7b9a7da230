/* Bin lookup of histograms: element x is in the bin with edges[i] <= x < edges[i+1], the last one with its right edge.
 *
 * Edges of equal bins are those of NumPy's linspace, rounded to f32 or f16 for elements of these. The bin comes from a
 * multiplication; since that is monotonic in x, it is right for all x if it is right at each edge and just below, and
 * this is checked before. Where it may be one too low, a comparison with the next edge corrects it; where it is worse,
 * since there are hardly any numbers between the edges, binary search is used.
 */
#include <math.h>
#include <string.h>

#include "core/check/check.h"
#include "core/dtype.h"
#include "core/device/memory.h"
#include "cpu/convert/convert.h"
#include "cpu/index/histogram.h"
#include "cpu/isa.h"
#include "formulas/histogram.op.h"

/* Most bins whose numbers are exact in f32. */
enum { MAX_F32_BINS = 1 << 22 };

/* ---- Edges ---- */

static tess_status read_edges(tess__binning *b, const tess__histogram *work)
{
    const int64_t strides[2] = { 1, work->edges.strides.w };
    tess__cpu_kernels()->memory.copy[tess__size_class(sizeof(double))]((char *[]){ (char *)b->edges, work->edges.data },
                                                                       strides, b->n + 1, NULL);
    TESS_TRY(tess__check_rising(work->name, "opts->edges", b->edges, b->n + 1));
    return TESS_OK;
}

double tess__bin_width(const tess__binning *b, int64_t bin)
{
    const double width = b->edges[bin + 1] - b->edges[bin];
    return b->single ? (double)(float)width : width;
}

/* ---- Bins by multiplication ---- */

/* Workspace for the edges in the kernel's dtype, the number just below each, and the bins of these. */
typedef struct workspace {
    void    *edges, *below;
    int32_t *bin, *bin_below;
} workspace;

static void set_edges(const tess__binning *b, const workspace *r, void *next)
{
    float  *edges = r->edges, *below = r->below, *behind = next;
    double *wide = r->edges, *wide_below = r->below, *wide_behind = next;
    for (int64_t i = 0; i <= b->n; i++) {
        const double following = i + 1 < b->n ? b->edges[i + 1] : (double)NAN;
        if (b->dtype == TESS_F32) {
            edges[i] = (float)b->edges[i];
            below[i] = nextafterf(edges[i], -INFINITY);
            behind[i] = (float)following;
        } else {
            wide[i] = b->edges[i];
            wide_below[i] = nextafter(wide[i], -(double)INFINITY);
            wide_behind[i] = following;
        }
    }
}

/* True if the bin found is that of the element, for every element; if `lower`, that or the one before. */
static bool holds(const tess__binning *b, const workspace *r, bool lower)
{
    tess__cpu_kernels()->index.bins[b->dtype](r->bin, r->edges, b->n, &b->equal);
    tess__cpu_kernels()->index.bins[b->dtype](r->bin_below, r->below, b->n, &b->equal);
    for (int64_t i = 0; i < b->n; i++) {
        if (r->bin[i] > i || r->bin[i] < i - lower) return false;
        if (i > 0 && r->bin_below[i] > i - 1) return false;
    }
    return true;
}

/* False if binary search is needed. */
static bool multiply(tess__binning *b, char *memory)
{
    const size_t size = (size_t)tess__dtype_size(b->dtype), n = (size_t)b->n + 1;
    workspace    r = { .edges = memory + n * size, .below = memory + 2 * n * size };
    const double scale = (double)b->n / (b->edges[b->n] - b->edges[0]);
    r.bin = (int32_t *)(void *)(memory + 3 * n * size);
    r.bin_below = r.bin + n;
    if (!isfinite(b->dtype == TESS_F32 ? (double)(float)scale : scale)) return false;
    set_edges(b, &r, memory);
    b->equal = (tess__bins){ .low = b->edges[0], .high = b->edges[b->n], .scale = scale, .n = (int32_t)b->n };
    b->equal.next = memory;
    b->equal.exact = true;
    if (holds(b, &r, false)) return true;
    b->equal.scale *= b->dtype == TESS_F32 ? 1 - 0x1p-21 : 1 - 0x1p-50;
    if (!holds(b, &r, true)) return false;
    b->equal.exact = false;
    return true;
}

/* ---- Setup ---- */

/* Elements of one byte have 256 values: a lookup table holds the bin of each. */
static void make_map(tess__binning *b, tess_dtype dtype)
{
    const int64_t          ones[2] = { 1, 1 };
    const tess__conversion c = tess__conversion_of(dtype, b->dtype, TESS__CLAMP, TESS_PART_DEFAULT);
    unsigned char          bytes[256];
    double                 values[256];
    for (int i = 0; i < 256; i++) bytes[i] = (unsigned char)i;
    c.row((char *[]){ (char *)values, (char *)bytes }, ones, 256, &c);
    tess__find_bins(b, b->map, values, 256);
    b->mapped = b->direct = true;
    b->dtype = dtype;
}

tess_status tess__make_binning(tess__binning *b, const tess__histogram *work)
{
    const bool       by_caller = work->edges.data != NULL;
    const tess_dtype in = work->in.dtype, edges = by_caller ? TESS_F64 : tess__edge_dtype(work->low, work->high, in);
    memset(b, 0, sizeof *b);
    b->n = work->bins;
    b->single = edges == TESS_F32;
    b->dtype = (edges == TESS_F16 || edges == TESS_F32) && b->n <= MAX_F32_BINS ? TESS_F32 : TESS_F64;
    const size_t bytes = (size_t)(b->n + 1) * (4 * sizeof(double) + 2 * sizeof(int32_t));
    b->memory = tess__alloc(bytes);
    TESS_CHECK(b->memory, TESS_ENOMEM, "%s: no memory for %zu bytes of bins", work->name, bytes);
    b->edges = b->memory;
    if (by_caller) {
        const tess_status status = read_edges(b, work);
        if (status != TESS_OK) {
            tess__free(b->memory);
            return status;
        }
    } else {
        for (int64_t i = 0; i <= b->n; i++) b->edges[i] = tess__edge(i, b->n, work->low, work->high, edges);
    }
    b->searched = by_caller || !multiply(b, (char *)(b->edges + b->n + 1));
    if (b->searched) b->dtype = TESS_F64;
    b->direct = b->dtype == in;
    if (tess__dtype_size(in) == 1) make_map(b, in);
    return TESS_OK;
}

static void search_bins(const tess__binning *b, int32_t *bin, const double *x, int64_t n)
{
    int64_t at[512];
    tess__cpu_kernels()->index.search[TESS_F64](at, b->edges, b->n + 1, x, n, true);
    for (int64_t i = 0; i < n; i++) {
        const int64_t found = at[i] > b->n ? b->n - 1 : at[i] - 1;
        bin[i] = (int32_t)(x[i] >= b->edges[0] && x[i] <= b->edges[b->n] ? found : b->n);
    }
}

void tess__find_bins(const tess__binning *b, int32_t *bin, const void *x, int64_t n)
{
    if (b->mapped) {
        const unsigned char *bytes = x;
        for (int64_t i = 0; i < n; i++) bin[i] = b->map[bytes[i]];
    } else if (b->searched) {
        search_bins(b, bin, x, n);
    } else {
        tess__cpu_kernels()->index.bins[b->dtype](bin, x, n, &b->equal);
    }
}
