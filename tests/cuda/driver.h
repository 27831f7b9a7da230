/* Inside the simulated driver. One lock guards everything; work runs under it, except functions of the host's. */
#ifndef SIM_DRIVER_H
#define SIM_DRIVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/control.h"

enum {
    SIM_OK = 0,
    SIM_INVALID_VALUE = 1,
    SIM_OUT_OF_MEMORY = 2,
    SIM_NOT_INITIALIZED = 3,
    SIM_NO_DEVICE = 100,
    SIM_INVALID_DEVICE = 101,
    SIM_INVALID_IMAGE = 200,
    SIM_INVALID_CONTEXT = 201,
    SIM_NO_BINARY = 209,
    SIM_INVALID_HANDLE = 400,
    SIM_NOT_FOUND = 500,
    SIM_NOT_READY = 600,
    SIM_ILLEGAL_ADDRESS = 700,
    SIM_OUT_OF_RESOURCES = 701,
    SIM_LAUNCH_FAILED = 719,
    SIM_NOT_PERMITTED = 800,
    SIM_NOT_SUPPORTED = 801,
};
enum { SIM_MOST_DEVICES = 8, SIM_FILL = 0xA5 };

/* ---- Calls (driver_state.c) -------------------------------------------------------------------------------------- */

enum sim_needs {
    SIM_ANY_TIME = 0,
    SIM_AFTER_INIT = 1,
    SIM_IN_CONTEXT = 3, /* and after cuInit */
};

pthread_mutex_t *sim_mutex(void);
int              sim_take_lock(void);
void             sim_drop_lock(const int *held);

/* Count and log a call; 0, or what it must return. */
int sim_begin(const char *name, int needs);

/* Log a call that releases something: 0, or what it must return at once. Its last line is `return sim_sticky();`. */
int sim_begin_release(const char *name);
int sim_sticky(void);

#define SIM_LOCKED() const int held_ __attribute__((cleanup(sim_drop_lock), unused)) = sim_take_lock()
#define SIM_RETURN_IF(code)                                                                                            \
    do {                                                                                                               \
        const int code_ = (code);                                                                                      \
        if (code_ != SIM_OK) return code_;                                                                             \
    } while (0)
#define SIM_REQUIRE(condition, code)                                                                                   \
    do {                                                                                                               \
        if (!(condition)) return (code);                                                                               \
    } while (0)
#define SIM_CALL(needs)                                                                                                \
    SIM_LOCKED();                                                                                                      \
    SIM_RETURN_IF(sim_begin(__func__, (needs)))
#define SIM_RELEASE()                                                                                                  \
    SIM_LOCKED();                                                                                                      \
    SIM_RETURN_IF(sim_begin_release(__func__))

void sim_note(const char *name); /* into the log */

/* The program under test did what a GPU punishes: say it and end the process. */
SIM_API _Noreturn void sim_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool sim_is_lazy(void);
bool sim_is_reverse(void);
void sim_set_in_host_function(bool inside); /* of this thread: no call is allowed there */

/* ---- Devices and contexts (driver_device.c) ---------------------------------------------------------------------- */

typedef struct sim_context {
    uint32_t magic;
    int      device;
    int      retained;
} sim_context;

int          sim_device_count(void);
int          sim_capability(void);
sim_context *sim_current(void);
sim_context *sim_context_of(int device);
int64_t      sim_live_contexts(const char *what); /* -1: not one of its words */

/* ---- Streams (driver_stream.c) ----------------------------------------------------------------------------------- */

typedef struct sim_stream sim_stream;

enum sim_place {
    SIM_ON_HOST,   /* bookkeeping, copies that open what they touch themselves */
    SIM_ON_DEVICE, /* with the memory of the stream's device open, and its guards checked after it */
    SIM_UNLOCKED,  /* a function of the host's */
};

/* The stream of a handle, which may be the default one of the current context; NULL if it is none. */
sim_stream *sim_stream_of(void *handle);
int         sim_stream_device(const sim_stream *stream);

/* Queue work with a copy of `argument`; run at once unless lazy. */
int     sim_enqueue(sim_stream *stream, const char *name, int place, void (*run)(void *argument), const void *argument,
                    size_t size);
void    sim_drain_device(int device); /* -1: all */
int64_t sim_live_streams(const char *what);

/* For the other simulated libraries: work on a stream's device; a CUDA error code. */
SIM_API int sim_submit(void *stream, const char *name, void (*run)(void *argument), const void *argument, size_t size);
/* Their calls count like the driver's own. */
SIM_API int  sim_library_call(const char *name);
SIM_API void sim_library_release(const char *name);
SIM_API void sim_track(const char *what, int change); /* "plans" "handles" "programs" */

/* ---- Memory (driver_memory.c) ------------------------------------------------------------------------------------ */

typedef struct sim_block {
    uintptr_t        data;
    size_t           size;
    size_t           pages; /* in bytes, guards included; they begin a guard before data */
    int              device;
    bool             live;    /* false while the allocation itself is queued */
    bool             leaving; /* its release is queued */
    int64_t          number;
    struct sim_pool *pool;
} sim_block;

int        sim_memory_init(int devices);
bool       sim_is_device_address(uintptr_t address); /* in a device's range, allocated or not */
sim_block *sim_block_of(uintptr_t address);          /* NULL: not allocated */
bool       sim_is_pinned(uintptr_t address, size_t size);
void       sim_block_open(const sim_block *block, bool open);
void       sim_memory_open(int device, bool open);
void       sim_memory_check(int device, const char *after);
int64_t    sim_live_memory(const char *what);
int64_t    sim_live_host(const char *what); /* driver_host.c */
void       sim_pools_synchronized(int device);

/* ---- Modules and launches (driver_module.c, driver_launch.c, driver_fiber.c) ------------------------------------- */

struct sim_machine;
struct sim_kernel;

typedef struct sim_module {
    uint32_t             magic;
    int                  device;
    int                  file;
    void                *library;
    char                *shared; /* static shared memory of all its kernels */
    unsigned long long   shared_size;
    struct sim_function *functions;
    struct sim_module   *next;
} sim_module;

typedef struct sim_function {
    uint32_t                 magic;
    sim_module              *module;
    const struct sim_kernel *kernel;
    struct sim_function     *next;
    char                     name[];
} sim_function;

bool    sim_is_function(const sim_function *function);
int64_t sim_live_modules(const char *what);

extern struct sim_machine sim_now;

/* Run the threads of one block; sim_now says which. */
void sim_run_block(void (*kernel)(const void *argument), const void *argument, const char *name);
/* The running thread, in words, for messages. */
void sim_describe_thread(char *text, size_t size);

#endif
