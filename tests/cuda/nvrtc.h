/* Inside the simulated NVRTC: a program, and how it is compiled. */
#ifndef SIM_NVRTC_H
#define SIM_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

enum {
    NVRTC_OK = 0,
    NVRTC_OUT_OF_MEMORY = 1,
    NVRTC_INVALID_INPUT = 3,
    NVRTC_INVALID_PROGRAM = 4,
    NVRTC_INVALID_OPTION = 5,
    NVRTC_COMPILATION = 6,
    NVRTC_INTERNAL = 11,
};
enum { MOST_OPTIONS = 64 };

typedef struct program {
    char  *source, *name;
    int    header_count;
    char **headers, **header_names;
    char  *log;
    char  *image; /* a sim_image and its bytes */
    size_t image_size;
} program;

/* What the options come to. */
typedef struct request {
    int         arch, ptx;
    bool        contract;
    const char *passed[MOST_OPTIONS]; /* -D, -U, -I */
    int         passed_count;
    char        defined_arch[64];
} request;

/* Compile, or take what an equal program came to before. */
int sim_make_image(program *p, const request *r);

#endif
