/* Sidecar files of tilt series: angles (.tlt, .rawtlt), transforms (.xf) and metadata (.mdoc).
 *
 * Numbers are written with the fewest digits that read back equal. Existing files are overwritten only if
 * opts.overwrite is 1.
 */
#ifndef TESSERA_SIDECAR_H
#define TESSERA_SIDECAR_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_sidecar_opts {
    int32_t  overwrite;   /* 1: overwrite an existing file [0: an existing file is an error] */
    uint32_t reserved[7]; /* must be 0 */
} tess_sidecar_opts;

/* ---- Tilt angles: one in each line, in degrees; of two numbers in each line, the first ---- */

/** Reads tilt angles into {n,1,1,1}, f64 if newly allocated. A nonzero `n_images` must equal their number
 *  (TESS_EARG). */
TESS_API TESS_MUST_CHECK tess_status tess_tilts_read(tess_array *out, const char *path, int64_t n_images);

/** Writes tilt angles from an array of real numbers, in the order b, d, h, w. */
TESS_API TESS_MUST_CHECK tess_status tess_tilts_write(const char *path, const tess_array *in,
                                                      const tess_sidecar_opts *opts);

/* ---- Transforms: "a11 a12 a21 a22 dx dy" in each line ---- */

/**
 * Reads transforms into {n,1,1,1} of mat23_f64. A nonzero `n_images` must equal their number (TESS_EARG).
 *
 * The lines are forward transforms of (x, y), measured from the centre of the image: x' = a11 x + a12 y + dx, with
 * shifts in pixels. Vectors in the library are (y, x), so a line becomes the matrix {a22, a21, dy, a12, a11, dx}.
 */
TESS_API TESS_MUST_CHECK tess_status tess_xf_read(tess_array *out, const char *path, int64_t n_images);

/** Writes transforms: mat23_f64 or mat23_f32, in the order b, d, h, w. */
TESS_API TESS_MUST_CHECK tess_status tess_xf_write(const char *path, const tess_array *in,
                                                   const tess_sidecar_opts *opts);

/* ---- mdoc: "key = value", for all and in sections ---- */

/** Contents of an mdoc file: global keys, and sections "[ZValue = 0]" with their own keys. Everything is kept and
 *  written again in the same order. */
typedef struct tess_mdoc tess_mdoc;

TESS_API TESS_MUST_CHECK tess_status tess_mdoc_new(tess_mdoc **mdoc);
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_read(tess_mdoc **mdoc, const char *path);

/** Parses an mdoc file from n bytes of text; `name` is used as the file name in messages. */
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_parse(tess_mdoc **mdoc, const char *text, int64_t n, const char *name);
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_write(const char *path, const tess_mdoc *mdoc,
                                                     const tess_sidecar_opts *opts);

/** Frees an mdoc. NULL is allowed. */
TESS_API void tess_mdoc_free(tess_mdoc *mdoc);

/** The section number of the global keys. */
enum { TESS_MDOC_GLOBAL = -1 };

/** Returns the number of sections, including "[T = ...]" titles. */
TESS_API int64_t tess_mdoc_sections(const tess_mdoc *mdoc);

/** Finds the section of an image, "[ZValue = z]"; -1 if there is none. */
TESS_API int64_t tess_mdoc_find(const tess_mdoc *mdoc, int64_t z);

/** Return the kind ("ZValue") and value ("0") of a section; NULL if there is none. */
TESS_API const char *tess_mdoc_kind(const tess_mdoc *mdoc, int64_t section);
TESS_API const char *tess_mdoc_title(const tess_mdoc *mdoc, int64_t section);

/** Return key and value `i` of a section or of TESS_MDOC_GLOBAL; NULL if there is none. */
TESS_API const char *tess_mdoc_key(const tess_mdoc *mdoc, int64_t section, int64_t i);
TESS_API const char *tess_mdoc_value(const tess_mdoc *mdoc, int64_t section, int64_t i);

/** Returns the value of a key, such as "TiltAngle"; NULL if it is missing. Valid until it is set or the mdoc is
 *  freed. */
TESS_API const char *tess_mdoc_get(const tess_mdoc *mdoc, int64_t section, const char *key);

/** Reads up to n numbers of a value ("StagePosition = 1.5 -2"); *found receives their number. A missing key is
 *  TESS_EARG, and text that is not a number TESS_EFORMAT. */
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_numbers(double *numbers, int n, int *found, const tess_mdoc *mdoc,
                                                       int64_t section, const char *key);

/** Sets a key, or adds it at the end of its section. */
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_set(tess_mdoc *mdoc, int64_t section, const char *key,
                                                   const char *value);

/** Adds a section at the end, such as kind "ZValue", title "12". */
TESS_API TESS_MUST_CHECK tess_status tess_mdoc_add(int64_t *section, tess_mdoc *mdoc, const char *kind,
                                                   const char *title);

TESS_END_C

#endif
