/* What a compiled kernel and the simulated driver share: where the running thread is, and the calls that need others.
 * C for the driver, C++ for kernels; without any other header. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

typedef struct sim_index {
    unsigned int x, y, z;
} sim_index;

enum sim_warp_kind { SIM_SHFL, SIM_SHFL_UP, SIM_SHFL_DOWN, SIM_SHFL_XOR, SIM_BALLOT, SIM_MATCH, SIM_SYNCWARP };

/* A call that the lanes of `mask` make together. */
typedef struct sim_warp_call {
    int                kind;
    int                line;
    unsigned int       mask;
    unsigned int       argument; /* a lane, a distance or a pattern of bits */
    unsigned int       width;    /* of the parts that shuffle among themselves */
    unsigned long long value;
} sim_warp_call;

typedef struct sim_machine {
    sim_index thread, block, block_size, grid_size;
    void (*barrier)(int line);
    unsigned long long (*warp)(const sim_warp_call *call);
} sim_machine;

/* Beside each kernel, as <name>_simulated. */
typedef struct sim_kernel {
    void (*run)(const void *argument);
    unsigned long long argument_size;
    int                most_threads;
} sim_kernel;

/* Each module exports a function of this type as sim_attach. */
typedef void sim_attach_function(const sim_machine *machine, char **shared, unsigned long long *shared_size);

/* Before the bytes of a shared object: a "cubin". */
typedef struct sim_image {
    char               magic[8]; /* SIM_IMAGE */
    unsigned long long size;     /* of what follows */
    int                arch;     /* 90 for sm_90 */
    int                ptx;      /* made for compute_90: newer devices take it, too */
} sim_image;
#define SIM_IMAGE "tesssim"

#endif
