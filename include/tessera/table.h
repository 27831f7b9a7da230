/* Descriptions of all operations, for tools, bindings and documentation.
 *
 * Each operation has one static tess_function_info beside its code. It also defines the operation's defaults and
 * ranges, so there is no second copy that could differ.
 */
#ifndef TESSERA_TABLE_H
#define TESSERA_TABLE_H

#include "tessera/array.h"

TESS_BEGIN_C

/** Role of an argument in the call. */
typedef enum tess_arg_role {
    TESS_ROLE_OUT = 1,  /* an output array */
    TESS_ROLE_IN,       /* an input array, or several */
    TESS_ROLE_REQUIRED, /* a value that the caller must give */
    TESS_ROLE_OPTION,   /* a field of the options struct */
    TESS_ROLE_RESULT    /* jobs: a field of the result struct */
} tess_arg_role;

/** Type of an argument. */
typedef enum tess_arg_type {
    TESS_ARG_ARRAY = 1,
    TESS_ARG_ARRAYS, /* a pointer to arrays and their number */
    TESS_ARG_SHAPE,
    TESS_ARG_DTYPE,
    TESS_ARG_DEVICE,
    TESS_ARG_AXIS, /* 0 to 3, or -1 to -4 */
    TESS_ARG_AXES, /* four axis numbers: a permutation */
    TESS_ARG_F64,
    TESS_ARG_I64,
    TESS_ARG_I32,
    TESS_ARG_FLAG,     /* int32_t: 0 or 1 */
    TESS_ARG_CHOICE,   /* int32_t: one of `choices` */
    TESS_ARG_ELEMENT,  /* pointer to one element */
    TESS_ARG_RESULT,   /* pointer to a number or an array that receives it; may be NULL */
    TESS_ARG_AXIS_SET, /* a set of TESS_B, TESS_D, TESS_H and TESS_W; 0 is all, but in options never b */
    TESS_ARG_U64,
    TESS_ARG_U32,
    TESS_ARG_TEXT,       /* const char *; may be NULL in an option */
    TESS_ARG_PATH,       /* const char *: a file name */
    TESS_ARG_META,       /* const tess_meta *: metadata of an array; may be NULL */
    TESS_ARG_NUMBERS,    /* a pointer to f64s and their number */
    TESS_ARG_REDUCTIONS, /* a pointer to tess_reductions, whose kinds are `choices`, and their number */
    TESS_ARG_OBJECT,     /* a pointer to an object with functions to create and free it, such as a tess_star */
    TESS_ARG_OP,         /* const tess_op *: an operator */
    TESS_ARG_STRUCT,     /* a pointer to a struct, such as a tess_ctf, whose `fields` are described */
    TESS_ARG_SOURCE,     /* jobs: const tess_source *: images from an array or a file */
    TESS_ARG_SINK,       /* jobs, options: const tess_sink *: destination of images [an array of the result] */
    TESS_ARG_COLUMNS,    /* jobs, results: a tess_array {1,1,rows,columns} of f64; `choices` names its columns */
    TESS_ARG_SOURCES     /* jobs, options: const tess_source *const *: several of them, ended by NULL; may be NULL */
} tess_arg_type;

/** Flags of an argument. */
enum {
    TESS_ARG_OPTIONAL = 1,      /* an array or a result that may be NULL */
    TESS_ARG_MADE = 2,          /* an output that must be allocated: its shape and dtype define the result */
    TESS_ARG_KEPT = 4,          /* an output that must be allocated and is only partly written */
    TESS_ARG_IS_ARRAY = 8,      /* options: a result that is a tess_array *; others are double * */
    TESS_ARG_WRITTEN = 16,      /* options: an output array, allocated or zeroed */
    TESS_ARG_COUNTS_BATCH = 32, /* a shape whose b is the number of batches */
    TESS_ARG_PER_AXIS = 64,     /* a shape used as a number for each axis; `fallback` has no effect */
    TESS_ARG_PER_BATCH = 128,   /* an array whose b is that of the inputs, or 1: it is split along b with them */
    TESS_ARG_ROWS = 256,        /* an array {b,1,1,m}: a row of numbers for each batch, or {1,1,1,m}, one for all */
    TESS_ARG_HOST = 512,        /* an array in host memory, also if the others are on a device */
    TESS_ARG_JOINS = 1024,      /* options: with it, batches of the result depend on others: work cannot be split */
    TESS_ARG_OF_ALL = 2048,     /* a result that is equal for each part along b */
    TESS_ARG_FIRST = 4096,      /* options: index of the first batch of a part in the whole */
    TESS_ARG_REDUCED = 8192,    /* a set of axes along which results have size 1 */
    TESS_ARG_SEVERAL = 16384,   /* with REDUCED: except along the innermost of them, where they have another size */
    TESS_ARG_JOINT = 32768,     /* options: a 0 means not given only if all joint options of the operation are 0 */
    TESS_ARG_VOLUME = 65536,    /* a source: ambiguous sections of a file are a volume */
    TESS_ARG_IMAGES = 131072    /* a source: ambiguous sections of a file are images */
};

/** A named value of a choice. Alternative names of values come last, without help (NULL). */
typedef struct tess_choice {
    const char *name;
    int32_t     value;
    const char *help;
} tess_choice;

/**
 * Description of an argument, an option or a field.
 *
 * `axes` names the axes b, d, h and w of an array whose own axes are not those of an image or a volume. Front ends
 * whose arrays have any number of axes, such as the Python module, derive from it which of them their callers see,
 * whatever the sizes:
 *
 *     "B,1,1,4"                a row of four numbers for each batch
 *     "B,D,3,3"                matrices, in any number of leading axes
 *     "n,1,1,2"                a list of n pairs, also for n = 1
 *     "B,1,directions?,shells" a curve for each batch, or several with the option `directions`
 *     "B,1,1,4|B,1,3,3"        quaternions or matrices
 *
 * There are four names, separated by commas:
 *
 *     a capital letter         a leading axis, shared with the batches of the other arguments and shown as they are
 *     1                        an axis that always has size 1 and is not shown
 *     directions?              an axis that is shown if its size is not 1, or if the caller gave the option of that
 *                              name or an array with such an axis
 *     another name, a size     one of the array's own axes, always shown; but d only if the arrays of the call whose
 *                              `axes` are NULL are volumes, or if there are none
 *
 * Of alternatives, separated by `|`, the first one whose sizes fit applies. NULL stands for an image or a volume with
 * its batches in front: the axes of the first array.
 */
typedef struct tess_arg_info {
    const char        *name;
    const char        *help;
    const char        *unit;     /* "" if there is none */
    const tess_choice *choices;  /* ended by a NULL name; NULL if there are none */
    double             min;      /* smallest value allowed */
    double             max;      /* largest value allowed */
    double             fallback; /* options, fields and sets of axes: the default, represented by 0; for sets of axes 0
                                    is all; NaN: computed by the operation */
    const char        *computed; /* options and fields: description of the computed default; otherwise NULL */
    size_t             offset;   /* options and fields: offset of the field in the struct, in bytes */
    size_t             size;     /* options and fields: size of the field, in bytes; STRUCT: size of the struct */
    tess_arg_role      role;
    tess_arg_type      type;
    uint32_t           flags;           /* TESS_ARG_ flags */
    uint32_t           unused;          /* 0 */
    const struct tess_arg_info *fields; /* STRUCT: its fields, f64, ended by a NULL name; otherwise NULL */
    const char                 *sample; /* a small valid argument, see tess_arg_sample; NULL if any will do */
    const char                 *axes;   /* arrays: names of their axes, see above; NULL: of an image or a volume */
} tess_arg_info;

/** The value of an argument that is not an option. */
typedef union tess_value {
    tess_array       *out; /* ROLE_OUT, ARRAY */
    const tess_array *in;  /* ROLE_IN, ARRAY */
    struct {               /* ARRAYS, NUMBERS, REDUCTIONS */
        union {
            const tess_array            *arrays;
            const double                *numbers;
            const struct tess_reduction *reductions;
        } of;
        int64_t n;
    } list;
    tess_shape                shape;
    tess_dtype                dtype;
    tess_device               device;
    int32_t                   i32; /* AXIS, AXIS_SET, I32, FLAG, CHOICE */
    int64_t                   i64;
    uint64_t                  u64;
    double                    f64;
    int32_t                   axes[4]; /* AXES */
    const void               *element;
    void                     *result; /* ROLE_OUT: double * of a RESULT, tess_shape * of a SHAPE */
    const char               *text;   /* TEXT, PATH */
    const struct tess_op     *op;
    const void               *structure; /* STRUCT: may be NULL if the row is OPTIONAL */
    const struct tess_source *source;    /* SOURCE: may be NULL if the row is OPTIONAL */
} tess_value;

/** How an operation can be processed in parts. */
typedef enum tess_cut {
    TESS_CUT_NONE,     /* not at all: it needs all of its inputs at once */
    TESS_CUT_ELEMENTS, /* along any axis: each element of the result needs only those at its position */
    TESS_CUT_BATCHES   /* along b, if no axis or set of axes contains b and shapes do not affect batches */
} tess_cut;

/** How the metadata of a result, such as its pixel size and origin, follow from those of the first input. */
typedef enum tess_metadata {
    TESS_METADATA_SIZES,    /* kept along axes that keep their size, dropped along others */
    TESS_METADATA_KEPT,     /* kept; a spectrum has the pixel size of its image */
    TESS_METADATA_PERMUTED, /* permuted by the AXES */
    TESS_METADATA_BINNED,   /* each pixel is a block of pixels of the input, of the size of the first PER_AXIS shape */
    TESS_METADATA_CROPPED,  /* the first PER_AXIS shape is removed in front, and the origin moves by it */
    TESS_METADATA_PADDED,   /* the first PER_AXIS shape is added in front, and the origin moves by it */
    TESS_METADATA_CENTRED   /* the origin moves so that pixel n / 2 keeps its position */
} tess_metadata;

typedef struct tess_function_info {
    const char          *name;   /* the function is tess_<name> */
    const char          *module; /* the header is tessera/<module>.h */
    const char          *help;   /* one sentence */
    const tess_arg_info *args;   /* in the order of the call; options last */
    size_t               n_args;
    size_t               opts_size;       /* bytes of the options struct; 0 if there is none */
    size_t               reserved_offset; /* offset of its `reserved` field */
    tess_cut             cut;
    tess_metadata        metadata;
    tess_status (*call)(const tess_value *values, const void *opts); /* see tess_function_call */
    uint32_t work_bytes; /* approximate memory of results and workspace per element read, bytes; 0: 16 */
    uint32_t unused;     /* 0 */
} tess_function_info;

/** Returns the number of operations. */
TESS_API size_t tess_function_count(void);

/** Returns operation `i`, in the order of their names; NULL if there is none. */
TESS_API const tess_function_info *tess_function_at(size_t i);

/** Finds an operation by name, such as "cast"; NULL if there is none. */
TESS_API const tess_function_info *tess_function_find(const char *name);

/**
 * Returns true if two names of arguments or options are equal, apart from case, `-` for `_`, British or American
 * spelling (`centre`, `center`), long or short forms (`maximum`, `max`) and the names that other programs use
 * (`pixel_size`, `apix`, `voxel_size`). The command and Python accept all of these for options of operations and jobs.
 * Returns false if one is NULL.
 */
TESS_API bool tess_same_name(const char *a, const char *b);

/**
 * Calls an operation by its description, like tess_<name> with these arguments.
 *
 *     tess_value values[3] = { { .out = &out }, { .in = &image }, { .shape = { { 1, 1, 2, 2 } } } };
 *     TESS_TRY(tess_function_call(tess_function_find("bin"), values, &(tess_bin_opts){ .sum = 1 }));
 *
 * `values` has an element for each row that is not an option, in their order. `opts` is the operation's options struct,
 * or NULL; it is ignored if the operation has none.
 */
TESS_API TESS_MUST_CHECK tess_status tess_function_call(const tess_function_info *op, const tess_value *values,
                                                        const void *opts);

/**
 * Marks the value in an option field as given by the caller, so that a 0 means the value 0 and not the default.
 *
 * For programs that fill in options by their descriptions and know which ones were given, such as the command and the
 * Python module: write the value, then call this. `row` is the option's row of `op`, `opts` the whole struct. A value
 * out of range is an error, also 0.
 */
TESS_API TESS_MUST_CHECK tess_status tess_option_given(const tess_function_info *op, const tess_arg_info *row,
                                                       void *opts);

/** Marks a field of a struct argument, such as a tess_ctf, as given; ranges are not checked. */
TESS_API void tess_field_given(const tess_arg_info *field, void *structure);

/** What a small valid array contains. */
typedef enum tess_sample_kind {
    TESS_SAMPLE_ANY,     /* real numbers of any dtype */
    TESS_SAMPLE_COMPLEX, /* "complex" */
    TESS_SAMPLE_INTEGER, /* "integer" */
    TESS_SAMPLE_INDEX,   /* "index": integers that are valid indices, such as 0 */
    TESS_SAMPLE_MASK,    /* "mask": bool, or numbers of which nonzero ones count as set */
    TESS_SAMPLE_IDENTITY /* "identity": identity matrices */
} tess_sample_kind;

/**
 * Determines shape and contents of a small valid argument from the `sample` of its row.
 *
 * Programs that call any operation, such as `tessera warm` and tests, choose one standard shape for all arguments of a
 * call. A `sample` states how an argument differs from an array of real numbers of that shape:
 *
 *     "b,1,1,4"                an array or a shape: four sizes
 *     "b,d,h,w/2+1 complex"    a half spectrum
 *     "mask"                   an array of the standard shape
 *     "2", "d3"                a number, a text: the value itself, not for this function
 *
 * Each size is a number, or b, d, h or w, the size of the standard shape along that axis; "/2" after the letter halves
 * it, and "+1" adds one. The sizes or the word may be omitted; NULL means that both are.
 */
TESS_API TESS_MUST_CHECK tess_status tess_arg_sample(tess_shape *shape, tess_sample_kind *kind,
                                                     const tess_arg_info *row, tess_shape standard);

TESS_END_C

#endif
