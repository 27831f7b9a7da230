/* Recovery of ZIP archives without a central directory: a scan for local headers of arrays. */
#include <inttypes.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/zip/zip.h"
#include "io/zip/zip_bytes.h"
#include "io/file/grow.h"

/* An archive that is scanned from its front to its end. */
typedef struct search {
    tess__zip           *zip;
    int64_t              capacity; /* of members */
    int64_t              size;     /* of the file */
    int64_t              budget;   /* bytes that may be searched for sizes: many headers must not take forever */
    int64_t              at;       /* of the first byte of `bytes` in the file */
    int64_t              n;        /* bytes there are */
    const unsigned char *here;     /* the bytes at an offset, and how many are left from there on */
    int64_t              left;
    unsigned char        bytes[1 << 16];
} search;

enum { MIN_SEEN = 32 /* bytes visible at an offset, but for the end of the file */ };

/* Go to an offset: `here` are then at least MIN_SEEN bytes, or all there are. */
static tess_status look(search *s, int64_t offset)
{
    if (offset < s->at || offset + MIN_SEEN > s->at + s->n) {
        s->at = offset;
        TESS_TRY(tess__source_read(s->zip->source, offset, s->bytes, sizeof s->bytes, &s->n));
    }
    s->here = s->bytes + (offset - s->at);
    s->left = s->n - (offset - s->at);
    return TESS_OK;
}

/* The next offset from *offset on where "PK" may begin a record; the end of the file if there is none. */
static tess_status find_mark(search *s, int64_t *offset)
{
    while (*offset < s->size) {
        TESS_TRY(look(s, *offset));
        if (s->left < 4) break;
        const unsigned char *p = memchr(s->here, 'P', (size_t)(s->left - 3));
        *offset += p ? p - s->here : s->left - 3;
        if (p && p[1] == 'K') return TESS_OK;
        *offset += p ? 1 : 0;
    }
    *offset = s->size;
    return TESS_OK;
}

/* ---- A member ---- */

/* The data descriptor behind the bytes of a member that begin at `data`: its packed size must be the distance to it. */
static tess_status find_descriptor(search *s, tess__zip_member *m, int64_t data, bool *found)
{
    *found = false;
    for (int64_t offset = data; s->budget > 0; offset++) {
        const int64_t from = offset;
        TESS_TRY(find_mark(s, &offset));
        s->budget -= offset - from + 1;
        if (offset == s->size) return TESS_OK;
        TESS_TRY(look(s, offset));
        const unsigned char *b = s->here;
        if (s->left < 16 || get32(b) != ZIP_DESCRIPTOR) continue;
        const uint64_t before = (uint64_t)(offset - data);
        const bool     wide = s->left >= 24 && get64(b + 8) == before && get64(b + 16) <= (uint64_t)1 << 60;
        if (!wide && (get32(b + 8) != before || get32(b + 12) == 0)) continue; /* 0 if it is wide, and cut */
        m->crc = get32(b + 4);
        m->packed_size = (int64_t)before;
        m->size = wide ? (int64_t)get64(b + 16) : get32(b + 12);
        *found = true;
        return TESS_OK;
    }
    return TESS_OK;
}

/* Does a name that ends in .npy follow the local header at an offset? */
static tess_status is_array(const search *s, int64_t offset, const unsigned char *local, bool *yes)
{
    char          end[4];
    const int64_t n_name = get16(local + 26), data = offset + ZIP_LOCAL_SIZE + n_name + get16(local + 28);
    *yes = false;
    if (n_name <= 4 || data > s->size) return TESS_OK;
    TESS_TRY(tess__source_read_all(s->zip->source, offset + ZIP_LOCAL_SIZE + n_name - 4, end, 4, "a name"));
    *yes = memcmp(end, ".npy", 4) == 0;
    return TESS_OK;
}

/* Sizes from the local header, with those of ZIP64 behind the name; false: they follow the bytes, or are missing. */
static tess_status read_sizes(const search *s, tess__zip_member *m, const unsigned char *local, int64_t data,
                              bool *known)
{
    const int64_t  n_extra = get16(local + 28);
    unsigned char *extra = tess__alloc((size_t)n_extra + 1);
    uint64_t       size = get32(local + 22), packed = get32(local + 18);
    uint64_t      *values[] = { &size, &packed };
    TESS_CHECK(extra, TESS_ENOMEM, "open: %s: no memory for the header of a member", tess__source_name(s->zip->source));
    const tess_status status =
        tess__source_read_all(s->zip->source, data - n_extra, extra, n_extra, "the header of a member");
    const bool taken = status == TESS_OK && tess__zip_take64(extra, n_extra, values, 2);
    tess__free(extra);
    TESS_TRY(status);
    *known = taken && !(m->flags & ZIP_SIZES_FOLLOW) && size <= (uint64_t)1 << 60 && packed <= (uint64_t)1 << 60;
    m->size = *known ? (int64_t)size : 0;
    m->packed_size = *known ? (int64_t)packed : 0;
    return TESS_OK;
}

/* The member whose local header is at an offset, as far as it is there. */
static tess_status take_member(search *s, int64_t offset)
{
    unsigned char    local[ZIP_LOCAL_SIZE];
    bool             known = false;
    tess__zip       *z = s->zip;
    tess__zip_member m = { .offset = offset, .limit = s->size };
    memcpy(local, s->here, sizeof local);
    m.crc = get32(local + 14);
    m.method = get16(local + 8);
    m.flags = get16(local + 6);
    const int64_t data = offset + ZIP_LOCAL_SIZE + get16(local + 26) + get16(local + 28);
    TESS_TRY(read_sizes(s, &m, local, data, &known));
    if (!known) TESS_TRY(find_descriptor(s, &m, data, &known));
    const int64_t left = s->size - data;
    m.cut = !known || m.packed_size > left;
    if (m.cut) m.packed_size = left;
    if (!known) m.size = m.method == TESS__ZIP_DEFLATED ? 1032 * left : left;
    TESS_TRY(tess__grow("open", &z->members, z->n_members, 1, &s->capacity, sizeof m));
    z->members[z->n_members++] = m;
    return TESS_OK;
}

/* ---- All of them ---- */

static tess_status find_members(search *s)
{
    for (int64_t offset = 0;; offset++) {
        bool yes = false;
        TESS_TRY(find_mark(s, &offset));
        if (offset == s->size) return TESS_OK;
        TESS_TRY(look(s, offset));
        if (s->left < ZIP_LOCAL_SIZE || get32(s->here) != ZIP_LOCAL) continue;
        TESS_TRY(is_array(s, offset, s->here, &yes));
        if (!yes) continue;
        TESS_TRY(take_member(s, offset));
        const tess__zip_member *m = &s->zip->members[s->zip->n_members - 1];
        offset += ZIP_LOCAL_SIZE + (m->cut ? 0 : m->packed_size) - 1;
    }
}

static tess_status read_names(tess__zip *zip)
{
    unsigned char local[ZIP_LOCAL_SIZE];
    const char   *file = tess__source_name(zip->source);
    int64_t       capacity = 1;
    for (int64_t i = 0; i < zip->n_members; i++) {
        TESS_TRY(tess__source_read_all(zip->source, zip->members[i].offset, local, sizeof local, "a header"));
        capacity += 3 * get16(local + 26) + 1;
    }
    zip->names = tess__alloc((size_t)capacity);
    TESS_CHECK(zip->names, TESS_ENOMEM, "open: %s: no memory for %" PRId64 " names", file, zip->n_members);
    char *name = zip->names;
    for (int64_t i = 0; i < zip->n_members; i++) {
        tess__zip_member *m = &zip->members[i];
        TESS_TRY(tess__source_read_all(zip->source, m->offset, local, sizeof local, "a header"));
        const int64_t n = get16(local + 26);
        TESS_TRY(tess__source_read_all(zip->source, m->offset + ZIP_LOCAL_SIZE, name + 2 * n, n, "a name"));
        m->name = name;
        name += tess__zip_copy_name(name, (const unsigned char *)name + 2 * n, n) + 1;
    }
    return TESS_OK;
}

static tess_status scan(tess__zip *zip)
{
    const int64_t size = tess__source_size(zip->source);
    search       *s = tess__alloc(sizeof *s);
    TESS_CHECK(s, TESS_ENOMEM, "open: %s: no memory to search it", tess__source_name(zip->source));
    *s = (search){ .zip = zip, .size = size, .budget = 16 * size };
    const tess_status status = find_members(s);
    tess__free(s);
    TESS_TRY(status);
    TESS_TRY(read_names(zip));
    return TESS_OK;
}

tess_status tess__zip_scan(tess__zip **zip, tess__source *source)
{
    const char *name = tess__source_name(source);
    TESS_CHECK(tess__source_size(source) >= 0, TESS_EUNSUPPORTED,
               "open: %s: the file is compressed, which is not supported for NPZ files; decompress it first", name);
    tess__zip *z = tess__alloc(sizeof *z);
    TESS_CHECK(z, TESS_ENOMEM, "open: %s: no memory for the archive", name);
    *z = (tess__zip){ .source = source, .scanned = true };
    const tess_status status = scan(z);
    if (status != TESS_OK) tess__zip_close(z);
    else *zip = z;
    TESS_TRY(status);
    return TESS_OK;
}
