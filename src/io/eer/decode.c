/* Run-length decoding of electron events: runs of empty pixels, each followed by an event's position in its pixel. Bits
 * are packed from the lowest of each byte on. */
#include "io/eer/decode.h"

static inline uint64_t load_word(const unsigned char *p)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word |= (uint64_t)p[i] << 8 * i;
    return word;
}

/* At least 56 bits, of which the zeros behind the end are some; false: no others are left. */
static inline bool refill(tess__eer_cursor *c)
{
    if ((c->next - c->end) * 8 >= c->n) return false;
    c->word |= load_word(c->next) << c->n;
    c->next += (63 - c->n) >> 3;
    c->n |= 56;
    return true;
}

static inline unsigned take(tess__eer_cursor *c, int n)
{
    const unsigned value = (unsigned)(c->word & ((UINT64_C(1) << n) - 1));
    c->word >>= n;
    c->n -= n;
    return value;
}

enum { MAX_BITS = 32 /* of a run and a position, and more */ };

int64_t tess__eer_max_pixels(const tess__eer_code *code, int64_t n)
{
    const int64_t max = INT64_MAX >> (code->run_bits + 4), longest = (INT64_C(1) << code->run_bits) - 1;
    return (n < max ? n : max) * 8 / code->run_bits * longest;
}

/* ---- Finding bands ---- */

/* Go on to the first event at or behind pixel `end`; false if the bits are over before. */
static bool go_to(tess__eer_cursor *cursor, const tess__eer_code *code, int64_t end, int64_t last)
{
    tess__eer_cursor c = *cursor;
    const int        run_bits = code->run_bits, position_bits = code->x_bits + code->y_bits;
    const unsigned   longest = (1u << run_bits) - 1;
    while (c.at < end) {
        if (c.is_event) {
            (void)take(&c, position_bits);
            if (++c.at == last) break;
        }
        if (c.n < MAX_BITS && !refill(&c)) return false;
        const unsigned run = take(&c, run_bits);
        c.at += run;
        c.is_event = run != longest;
    }
    *cursor = c;
    return true;
}

bool tess__eer_find_bands(tess__eer_cursor *bands, int64_t n, const tess__eer_file *movie, const unsigned char *bytes,
                          int64_t n_bytes, int64_t rows)
{
    const int64_t    last = movie->width * movie->height;
    tess__eer_cursor c = { .next = bytes, .end = bytes + n_bytes };
    for (int64_t i = 0; i < n; i++) {
        const int64_t end = i < n - 1 ? (i + 1) * rows * movie->width : last;
        bands[i] = c;
        if (!go_to(&c, &movie->code, end, last)) return false;
    }
    return c.at == last && (c.next - c.end) * 8 <= c.n;
}

/* ---- Counting ---- */

#define PIXEL uint8_t
#define COUNT count_u8
#include "io/eer/count_events.h"

#define PIXEL uint16_t
#define COUNT count_u16
#include "io/eer/count_events.h"

void tess__eer_count(const tess__eer_image *image, const tess__eer_file *movie, const tess__eer_cursor *from,
                     int64_t end_row)
{
    (image->dtype == TESS_U8 ? count_u8 : count_u16)(image, movie, *from, end_row);
}
