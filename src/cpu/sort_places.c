/* Keys put in order by their bytes, the lowest first: each pass keeps the order of the one before. */
#include "cpu/sort_places.h"

#include <string.h>

#include "core/memory.h"

enum { DIGITS = 256 };

/* Keys and places, where they are and where they go. */
typedef struct sorting {
    void    *keys, *spare_keys;
    int64_t *places, *spare_places; /* NULL: not wanted */
    int64_t  n;
    bool     moved; /* places are there: before the first pass they are the numbers themselves */
} sorting;

#define U uint8_t
#define SUFFIX 1
#include "cpu/sort_places.c.inc"
#define U uint16_t
#define SUFFIX 2
#include "cpu/sort_places.c.inc"
#define U uint32_t
#define SUFFIX 4
#include "cpu/sort_places.c.inc"
#define U uint64_t
#define SUFFIX 8
#include "cpu/sort_places.c.inc"

static bool is_trivial(const int64_t *count, int64_t n)
{
    for (int d = 0; d < DIGITS; d++)
        if (count[d]) return count[d] == n;
    return true;
}

static void swap(sorting *s)
{
    void    *keys = s->keys;
    int64_t *places = s->places;
    s->keys = s->spare_keys, s->spare_keys = keys;
    s->places = s->spare_places, s->spare_places = places;
    s->moved = true;
}

static void sort(sorting *s, int64_t size)
{
    int64_t count[8][DIGITS];
    memset(count, 0, sizeof count);
    if (size == 1) count_1(s, count);
    else if (size == 2) count_2(s, count);
    else if (size == 4) count_4(s, count);
    else count_8(s, count);
    for (int digit = 0; digit < size; digit++) {
        int64_t *start = count[digit], sum = 0;
        if (is_trivial(start, s->n)) continue;
        for (int d = 0; d < DIGITS; d++) {
            const int64_t c = start[d];
            start[d] = sum;
            sum += c;
        }
        if (size == 1) pass_1(s, digit, start);
        else if (size == 2) pass_2(s, digit, start);
        else if (size == 4) pass_4(s, digit, start);
        else pass_8(s, digit, start);
        swap(s);
    }
}

tess_status tess__sort_places(const char *fn, void *keys, int64_t *places, int64_t n, int64_t size)
{
    const size_t key_bytes = ((size_t)(n * size) + 63) / 64 * 64, bytes = key_bytes + (places ? (size_t)n * 8 : 0);
    char        *spare = tess__alloc(bytes ? bytes : 1);
    TESS_CHECK(spare, TESS_ENOMEM, "%s: no memory for %zu bytes to sort", fn, bytes);
    sorting s = { .keys = keys, .spare_keys = spare, .places = places, .n = n };
    if (places) s.spare_places = (int64_t *)(void *)(spare + key_bytes);
    sort(&s, size);
    if (s.keys != keys) memcpy(keys, s.keys, (size_t)(n * size));
    if (places && !s.moved)
        for (int64_t i = 0; i < n; i++) places[i] = i;
    if (places && s.places != places) memcpy(places, s.places, (size_t)n * sizeof *places);
    tess__free(spare);
    return TESS_OK;
}
