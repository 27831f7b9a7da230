/* Text files that go with tilt series: angles (.tlt, .rawtlt), transforms (.xf) and metadata (.mdoc).
 *
 * Numbers are written with the fewest digits that read back equal. Nothing is replaced unless opts.overwrite is 1.
 */
#ifndef TESSERA_SIDECAR_H
#define TESSERA_SIDECAR_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_sidecar_opts {
    int32_t  overwrite;   /* 1: replace a file that is there [0: an error] */
    uint32_t reserved[7]; /* must be 0 */
} tess_sidecar_opts;

/* ---- Tilt angles: one in each line, in degrees; of two numbers in each line, the first ---- */

/** Read angles into {n,1,1,1}, f64 if `out` is made here. `n_images` other than 0 must be their number (TESS_EARG). */
TESS_API TESS_MUST_CHECK tess_status tess_tilts_read(tess_array *out, const char *path, int64_t n_images);

/** Write the angles of an array of real numbers, in the order b, d, h, w. */
TESS_API TESS_MUST_CHECK tess_status tess_tilts_write(const char *path, const tess_array *in,
                                                      const tess_sidecar_opts *opts);

/* ---- Transforms: "a11 a12 a21 a22 dx dy" in each line ---- */

/**
 * Read transforms into {n,1,1,1} of mat23_f64. `n_images` other than 0 must be their number (TESS_EARG).
 *
 * The lines are for (x, y) from the centre of the image, and forward: x' = a11 x + a12 y + dx, with shifts in pixels.
 * Vectors of the library are (y, x), so the matrix that a line becomes is {a22, a21, dy, a12, a11, dx}.
 */
TESS_API TESS_MUST_CHECK tess_status tess_xf_read(tess_array *out, const char *path, int64_t n_images);

/** Write transforms: mat23_f64 or mat23_f32, in the order b, d, h, w. */
TESS_API TESS_MUST_CHECK tess_status tess_xf_write(const char *path, const tess_array *in,
                                                   const tess_sidecar_opts *opts);

/* ---- mdoc: "key = value", for all and in sections ---- */

/** What an mdoc file holds: keys for all, and sections "[ZValue = 0]" with keys of their own. All of it is kept, in its
 *  order, and written again. */
typedef struct tess_mdoc tess_mdoc;

TESS_API TESS_MUST_CHECK tess_status tess_mdoc_new(tess_mdoc **mdoc);
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_read(tess_mdoc **mdoc, const char *path);

/** The same from text of n bytes; `name` stands for the file in messages. */
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_parse(tess_mdoc **mdoc, const char *text, int64_t n, const char *name);
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_write(const char *path, const tess_mdoc *mdoc,
                                                     const tess_sidecar_opts *opts);

/** Free it. NULL is allowed. */
TESS_API void tess_mdoc_free(tess_mdoc *mdoc);

/** The section number that means: keys for all. */
enum { TESS_MDOC_GLOBAL = -1 };

/** How many sections there are, "[T = ...]" titles among them. */
TESS_API int64_t tess_mdoc_sections(const tess_mdoc *mdoc);

/** The section of an image: "[ZValue = z]"; -1 if there is none. */
TESS_API int64_t tess_mdoc_find(const tess_mdoc *mdoc, int64_t z);

/** The kind ("ZValue") and value ("0") of a section; NULL if there is none. */
TESS_API const char *tess_mdoc_kind(const tess_mdoc *mdoc, int64_t section);
TESS_API const char *tess_mdoc_title(const tess_mdoc *mdoc, int64_t section);

/** Key and value `i` of a section or of TESS_MDOC_GLOBAL; NULL if there is none. */
TESS_API const char *tess_mdoc_key(const tess_mdoc *mdoc, int64_t section, int64_t i);
TESS_API const char *tess_mdoc_value(const tess_mdoc *mdoc, int64_t section, int64_t i);

/** The value of a key, as "TiltAngle"; NULL if it is not there. Good until it is set or the mdoc is freed. */
TESS_API const char *tess_mdoc_get(const tess_mdoc *mdoc, int64_t section, const char *key);

/** Up to n numbers of a value ("StagePosition = 1.5 -2"); *found of them are there. A missing key is TESS_EARG, what is
 *  no number TESS_EFORMAT. */
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_numbers(double *numbers, int n, int *found, const tess_mdoc *mdoc,
                                                       int64_t section, const char *key);

/** Set a key, or add it at the end of its section. */
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_set(tess_mdoc *mdoc, int64_t section, const char *key,
                                                   const char *value);

/** Add a section at the end: kind "ZValue", title "12". */
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_add(int64_t *section, tess_mdoc *mdoc, const char *kind,
                                                   const char *title);

TESS_END_C

#endif
