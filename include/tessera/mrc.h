/* What only MRC files have: records of each section, rules that a file may break, and headers that are changed where
 * they stand. See io.h for reading and writing them.
 */
#ifndef TESSERA_MRC_H
#define TESSERA_MRC_H

#include "tessera/io.h"

TESS_BEGIN_C

/* ---- Extended headers ---- */

/** Which info of a section are known. */
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

/** What an extended header says of one section: "SERI" of SerialEM, "AGAR" and the older FEI's, "FEI1", "FEI2". */
typedef struct tess_info_mrc_section {
    double  tilt;          /* degrees */
    double  tilt_beta;     /* degrees */
    double  tilt_axis;     /* degrees */
    double  stage[3];      /* x, y, z, µm */
    double  shift[2];      /* of the image, x, y, µm */
    double  defocus;       /* µm, with the sign of the file */
    double  dose;          /* electrons per Å² */
    double  exposure;      /* seconds */
    double  pixel_size[2]; /* x, y, Å */
    double  magnification;
    double  intensity; /* of the beam, as a part of its range */
    double  voltage;   /* V */
    double  mean;      /* of the image */
    int32_t piece[3];  /* of a montage: x, y in pixels, z */
    int32_t known;     /* TESS_MRC_ or-ed together: which of these are known */
} tess_info_mrc_section;

/** What the extended header of an open file says of section `i`. Nothing is known of it (info->known is 0) where there
 *  is no record of it, or none that is understood; the number of a section is checked. */
TESS_API TESS_MUST_CHECK tess_status tess_mrc_section_info(tess_info_mrc_section *info, const tess_file *file,
                                                           int64_t i);

/**
 * The extended header of a file that has only some of the sections of an open one, in the order given.
 *
 * `out` is made: a row of bytes (u8) for tess_meta.extended, with extended_type and extended_layout of the open file.
 * It is empty ({1,1,1,0}) where there is no extended header, or one whose records cannot be told apart.
 */
TESS_API TESS_MUST_CHECK tess_status tess_mrc_select_extended(tess_array *out, const tess_file *file,
                                                              const int64_t *sections, int64_t n);

/* ---- Checking ---- */

/** A rule of the format that a file breaks, or what is odd about its data. */
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
    int32_t fixable;   /* 1: tess_mrc_edit with repair mends it */
    char    field[20]; /* "MACHST" */
    char    found[40];
    char    wanted[40];
    char    text[160]; /* all of it in words */
} tess_mrc_finding;

enum { TESS_MRC_MAX_FINDINGS = 32 };

/** What tess_mrc_check found. A file without a fault has n_findings 0. */
typedef struct tess_mrc_report {
    tess_meta        stats;     /* of the data themselves: min, max, mean, std and which are known */
    int64_t          n_nan;     /* values that are not numbers */
    int64_t          n_inf;     /* infinite ones */
    int32_t          data_read; /* 1: all data were read */
    int32_t          n_findings;
    tess_mrc_finding findings[TESS_MRC_MAX_FINDINGS];
} tess_mrc_report;

typedef struct tess_mrc_check_opts {
    int32_t  bytes;       /* a tess_bytes: what bytes of mode 0 are [by rule] */
    int32_t  header_only; /* 1: do not read the data [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_mrc_check_opts;

/** Check a file against the rules of MRC2014, its size, and the statistics of its header against its data. A file that
 *  breaks them is no failure of this function; one that cannot be opened is. */
TESS_API TESS_MUST_CHECK tess_status tess_mrc_check(tess_mrc_report *report, const char *path,
                                                    const tess_mrc_check_opts *opts);

/* ---- Changing headers ---- */

typedef struct tess_mrc_edit_opts {
    const double *pixel_size;  /* three numbers: d, h, w, Å; 0 is unknown [NULL: as it is] */
    const double *origin;      /* three numbers: d, h, w, Å [NULL: as it is] */
    const char   *label;       /* to add; the oldest goes when there are ten [none] */
    int64_t       depth;       /* VOLUMES: sections of each volume */
    int32_t       as;          /* a tess_sections: what the sections are [as it is] */
    int32_t       bytes;       /* a tess_bytes: how bytes of mode 0 are to be read; not IMOD [as it is] */
    int32_t       stats;       /* 1: statistics from the data [0] */
    int32_t       repair;      /* 1: mend what tess_mrc_check finds and the header can say [0] */
    const double *angles;      /* three numbers: alpha, beta, gamma of the cell, degrees [NULL: as they are] */
    uint32_t      reserved[4]; /* must be 0 */
} tess_mrc_edit_opts;

/** Change the header of a file where it stands: its first 1024 bytes, nothing else. Only of a file on disk that is not
 *  compressed. */
TESS_API TESS_MUST_CHECK tess_status tess_mrc_edit(const char *path, const tess_mrc_edit_opts *opts);

TESS_END_C

#endif
