/* Functions specific to MRC files: extended headers, validation, and editing of headers in place. See io.h for reading
 * and writing.
 */
#ifndef TESSERA_MRC_H
#define TESSERA_MRC_H

#include "tessera/io.h"

TESS_BEGIN_C

/* ---- Extended headers ---- */

/** Flags of known fields of a section. */
enum {
    TESS_MRC_TILT = 1,
    TESS_MRC_TILT_BETA = 2,
    TESS_MRC_TILT_AXIS = 4,
    TESS_MRC_STAGE_XY = 8,
    TESS_MRC_STAGE_Z = 16,
    TESS_MRC_SHIFT = 32,
    TESS_MRC_DEFOCUS = 64,
    TESS_MRC_DOSE = 128,
    TESS_MRC_EXPOSURE = 256,
    TESS_MRC_PIXEL_SIZE = 512,
    TESS_MRC_MAGNIFICATION = 1024,
    TESS_MRC_INTENSITY = 2048,
    TESS_MRC_VOLTAGE = 4096,
    TESS_MRC_PIECE = 8192,
    TESS_MRC_MEAN = 16384
};

/** Record of one section in an extended header: "SERI" from SerialEM, "AGAR" and older FEI records, "FEI1", "FEI2". */
typedef struct tess_info_mrc_section {
    double  tilt;          /* degrees */
    double  tilt_beta;     /* degrees */
    double  tilt_axis;     /* degrees */
    double  stage[3];      /* x, y, z, µm */
    double  shift[2];      /* image shift, x, y, µm */
    double  defocus;       /* µm, with the sign used in the file */
    double  dose;          /* electrons per Å² */
    double  exposure;      /* seconds */
    double  pixel_size[2]; /* x, y, Å */
    double  magnification;
    double  intensity; /* beam intensity, as a fraction of its range */
    double  voltage;   /* V */
    double  mean;      /* of the image */
    int32_t piece[3];  /* position in a montage: x, y in pixels, z */
    int32_t known;     /* which of these are known, TESS_MRC_ flags */
} tess_info_mrc_section;

/** Reads the record of section `i` from the extended header of an open file. info->known is 0 if there is no record, or
 *  none that is understood. The index of the section is checked. */
TESS_API TESS_MUST_CHECK tess_status tess_mrc_section_info(tess_info_mrc_section *info, const tess_file *file,
                                                           int64_t i);

/**
 * Creates the extended header for a file with only some of the sections of an open one, in the order given.
 *
 * `out` is allocated: a row of bytes (u8) for tess_meta.extended, with extended_type and extended_layout of the open
 * file. It is empty ({1,1,1,0}) if there is no extended header, or if its records cannot be separated.
 */
TESS_API TESS_MUST_CHECK tess_status tess_mrc_select_extended(tess_array *out, const tess_file *file,
                                                              const int64_t *sections, int64_t n);

/* ---- Checking ---- */

/** A violation of the format, or an irregularity of the data. */
typedef enum tess_mrc_fault {
    TESS_MRC_BAD_MAP = 1, /* "MAP " is missing */
    TESS_MRC_BAD_STAMP,   /* machine stamp */
    TESS_MRC_BAD_MODE,
    TESS_MRC_BAD_SIZE, /* NX, NY, NZ */
    TESS_MRC_BAD_GRID, /* MX, MY, MZ */
    TESS_MRC_BAD_CELL,
    TESS_MRC_BAD_AXES,
    TESS_MRC_BAD_SPACE_GROUP,
    TESS_MRC_BAD_LABELS,
    TESS_MRC_BAD_VERSION,
    TESS_MRC_BAD_EXTENDED, /* type or size of the extended header */
    TESS_MRC_BAD_STATISTICS,
    TESS_MRC_BAD_LENGTH, /* of the file */
    TESS_MRC_NOT_FINITE, /* NaN or infinities in the data */
    TESS_MRC_NOT_READ,   /* the data could not be read */
    TESS_MRC_BAD_ORIGIN
} tess_mrc_fault;

typedef struct tess_mrc_finding {
    int32_t code;      /* a tess_mrc_fault */
    int32_t fixable;   /* 1: tess_mrc_edit can repair it */
    char    field[20]; /* "MACHST" */
    char    found[40];
    char    wanted[40];
    char    text[160]; /* the complete message */
} tess_mrc_finding;

enum { TESS_MRC_MAX_FINDINGS = 32 };

/** Result of tess_mrc_check. A file without faults has n_findings 0. */
typedef struct tess_mrc_report {
    tess_meta        stats;     /* statistics of the data: min, max, mean, std and which are known */
    int64_t          n_nan;     /* number of NaNs */
    int64_t          n_inf;     /* number of infinite values */
    int32_t          data_read; /* 1: all data were read */
    int32_t          n_findings;
    tess_mrc_finding findings[TESS_MRC_MAX_FINDINGS];
} tess_mrc_report;

typedef struct tess_mrc_check_opts {
    int32_t  bytes;       /* a tess_bytes: signedness of bytes of mode 0 [by rule] */
    int32_t  header_only; /* 1: do not read the data [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_mrc_check_opts;

/** Checks a file against the MRC2014 format: its header, its size, and the statistics of the header against the data.
 *  Faults of the file are reported in the result; the function fails only if the file cannot be opened. */
TESS_API TESS_MUST_CHECK tess_status tess_mrc_check(tess_mrc_report *report, const char *path,
                                                    const tess_mrc_check_opts *opts);

/* ---- Changing headers ---- */

typedef struct tess_mrc_edit_opts {
    const double *pixel_size;  /* three numbers: d, h, w, Å; 0: unknown [NULL: unchanged] */
    const double *origin;      /* three numbers: d, h, w, Å [NULL: unchanged] */
    const char   *label;       /* label to add; the oldest is dropped if there are more than ten [none] */
    int64_t       depth;       /* VOLUMES: sections of each volume */
    int32_t       as;          /* a tess_sections: meaning of the sections [unchanged] */
    int32_t       bytes;       /* a tess_bytes: signedness of bytes of mode 0; not IMOD [unchanged] */
    int32_t       stats;       /* 1: compute the statistics from the data [0] */
    int32_t       repair;      /* 1: repair faults found by tess_mrc_check that concern the header [0] */
    const double *angles;      /* three numbers: alpha, beta, gamma of the cell, degrees [NULL: unchanged] */
    uint32_t      reserved[4]; /* must be 0 */
} tess_mrc_edit_opts;

/** Edits the header of a file in place: only its first 1024 bytes. The file must be on disk and not compressed. */
TESS_API TESS_MUST_CHECK tess_status tess_mrc_edit(const char *path, const tess_mrc_edit_opts *opts);

TESS_END_C

#endif
