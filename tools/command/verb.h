/* What the command `tessera` can do: a table of verbs, each with its options, its help and its examples. Help, man
 * pages and completion are made from it. Operations of the library are verbs by their descriptors, without an entry
 * here. */
#ifndef TESSERA_COMMAND_VERB_H
#define TESSERA_COMMAND_VERB_H

#include "tessera.h"

typedef enum option_type {
    OPTION_FLAG,
    OPTION_TEXT, /* anything */
    OPTION_FILE, /* a name to complete */
    OPTION_INTEGER,
    OPTION_NUMBER,
    OPTION_CHOICE,  /* one of `choices` */
    OPTION_LENGTH,  /* pixels; or with A, nm, px: needs the pixel size */
    OPTION_CUTOFF,  /* resolution: Å; or A, nm, /px, sh */
    OPTION_EDGE,    /* shells; or sh, /px */
    OPTION_ANGLE,   /* degrees; or deg, rad */
    OPTION_DEFOCUS, /* with A, nm or um: programs differ in what a bare number would be */
    OPTION_MEMORY,  /* bytes; or K, M, G, T */
    OPTION_SLICES,  /* 0-9,12,20- */
    OPTION_XYZ,     /* one, two or three numbers x,y,z */
    OPTION_LENGTHS  /* one, two or three lengths x,y,z, each with its unit or in pixels */
} option_type;

typedef struct option {
    const char *name;    /* "apix", for --apix */
    const char *alias;   /* another name beside those of tess_same_name, or NULL */
    const char *value;   /* what stands for its value in help: "A"; NULL for a flag */
    const char *choices; /* "mean sum median", or NULL */
    const char *help;    /* one line, with the default in brackets */
    option_type type;
    char        letter;       /* 'o' for -o, or 0 */
    bool        many;         /* may be given more than once, and the order counts */
    bool        writes;       /* names a file that is written */
    bool        once;         /* one for all inputs of a verb that is run for each: without {name} */
    bool        is_particles; /* the file lists particles: it may be a .cs file of cryoSPARC */
    const char *mark;         /* what its verb replaces in the name, as "{half}", before it checks the names; or NULL */
} option;

/* Rows of a list of options; other members may follow the help: .many = true. */
#define FLAG(name_, ...)                                                                                               \
    {                                                                                                                  \
        .name = name_, .help = __VA_ARGS__                                                                             \
    }
#define VALUE(name_, value_, type_, ...)                                                                               \
    {                                                                                                                  \
        .name = name_, .value = value_, .type = type_, .help = __VA_ARGS__                                             \
    }
#define CHOICE(name_, value_, choices_, ...)                                                                           \
    {                                                                                                                  \
        .name = name_, .value = value_, .choices = choices_, .type = OPTION_CHOICE, .help = __VA_ARGS__                \
    }

/* The global options that a verb takes, by group (globals.c). -q, -v, --help, -j and --mem are always there. */
enum {
    GLOBAL_OUT = 1,     /* -o, -f, --dry-run; and but for pictures and tables GLOBAL_NUMBERS */
    GLOBAL_READ = 2,    /* --as, --bytes, --raw, --salvage, --grey, --root, --page, --member, --eer-…, --no-flip */
    GLOBAL_APIX = 4,    /* --apix */
    GLOBAL_SLICES = 8,  /* --slices, --from-one */
    GLOBAL_DEVICE = 16, /* --device; all verbs take it for the cpu, but do not speak of it */
    GLOBAL_TABLE = 32,  /* --json, --tsv */
    GLOBAL_SEED = 64,   /* --seed */
    GLOBAL_PROGRESS = 128,
    GLOBAL_NUMBERS = 256,     /* --dtype, --mode, --compress */
    GLOBAL_EACH = 512,        /* --keep-going: of verbs that are run for each input */
    GLOBAL_NO_NUMBERS = 1024, /* -o is a text: without GLOBAL_NUMBERS */
    GLOBAL_DIGITS = 2048,
    GLOBAL_NUMBER_TABLE = GLOBAL_TABLE | GLOBAL_DIGITS, /* a table with numbers that were computed */
    GLOBAL_INPUT = GLOBAL_READ | GLOBAL_APIX | GLOBAL_SLICES
};

/* Verbs that make one output of one input take several: EACH_FILE where -o names a file, EACH_NAMES where it is a
 * pattern of several names, EACH_TABLE where a table is printed and -o may be left out. */
typedef enum verb_each { EACH_NOT, EACH_FILE, EACH_NAMES, EACH_TABLE } verb_each;

typedef struct job job;

typedef struct verb {
    const char        *name;      /* of a sub-command with that of its verb: "ctf fit" */
    const char        *subject;   /* heading in `tessera help`: "files", "arithmetic", "pictures", … */
    const char        *summary;   /* one line, lower case, no full stop */
    const char        *arguments; /* "INPUT... -o OUT" */
    const char        *text;      /* what the manual says beyond that; paragraphs by blank lines; may be NULL */
    const option      *options;   /* ended by a NULL name; NULL if there are none of its own */
    const char *const *examples;  /* command lines, ended by NULL; CI runs them */
    const char        *job;       /* the job of the library that it runs, whose options it has too; or NULL */
    const char        *fills;     /* "odd even": options of that job that are not its own, as it sets them itself */
    const char        *beside;    /* "dark gain": files of that job's options that --slices and --as are not for */
    const char        *mark;      /* what it replaces in the name of -o, as `mark` of an option; or NULL */
    unsigned           globals;
    int                min, max;  /* number of arguments that are not options; max -1: any */
    verb_each          each;      /* is run once for each of its arguments (files/each_input.h) */
    bool               with_last; /* of those, the last is combined with each of the others */
    tess_status (*run)(job *job);
    const struct verb *const *commands; /* its sub-commands, one of which is run in its place; ended by NULL */
} verb;

/* The end of a verb's entry: its file calls them options, examples and run, and it takes `from` to `to` arguments. */
#define VERB_OF_FILE(from, to) .options = options, .examples = examples, .min = (from), .max = (to), .run = run

/* The same of a verb that makes one output of each input. */
#define VERB_FOR_EACH(how) VERB_OF_FILE(1, -1), .each = (how)

/* All verbs, in the order of their names; ended by NULL. */
extern const verb *const verbs[];

#endif
