/* Floating-point environment: all work is done to nearest, with subnormals and with exceptions masked, whatever the
 * calling program has set for itself; the caller's is as it was afterwards.
 *
 * Looking costs a nanosecond or two, changing some ten: nothing is changed where the caller's environment is the
 * library's already, as it is in nearly all programs. Exception flags are not part of what is compared: those that the
 * caller had stay raised, and work may raise others.
 */
#ifndef TESS_CORE_DEVICE_FLOAT_ENV_H
#define TESS_CORE_DEVICE_FLOAT_ENV_H

#include <fenv.h>
#include <stdint.h>

#if defined(__x86_64__)

typedef uint32_t tess__float_env; /* MXCSR: rounding, masks, flush-to-zero, denormals-are-zero, flags */

#define TESS__FLOAT_ENV UINT32_C(0x1f80)
#define TESS__FLOAT_FLAGS UINT32_C(0x3f)

/* "memory": what is read or written on one side of it stays there, and so does the arithmetic with it. */
static inline void tess__float_load(uint32_t env) { __asm__ volatile("ldmxcsr %0" : : "m"(env) : "memory"); }

static inline tess__float_env tess__float_enter(void)
{
    const uint32_t before = __builtin_ia32_stmxcsr();
    if ((before & ~TESS__FLOAT_FLAGS) != TESS__FLOAT_ENV) tess__float_load(TESS__FLOAT_ENV);
    return before;
}

static inline void tess__float_leave(const tess__float_env *before)
{
    if ((*before & ~TESS__FLOAT_FLAGS) != TESS__FLOAT_ENV) tess__float_load(*before);
}

#elif defined(__aarch64__)

typedef uint64_t tess__float_env; /* FPCR: rounding, traps, flush-to-zero; flags are elsewhere and are not touched */

static inline tess__float_env tess__float_enter(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    if (before != 0) __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)) : "memory");
    return before;
}

static inline void tess__float_leave(const tess__float_env *before)
{
    if (*before != 0) __asm__ volatile("msr fpcr, %0" : : "r"(*before) : "memory");
}

#else

typedef fenv_t tess__float_env;

static inline tess__float_env tess__float_enter(void)
{
    fenv_t before;
    (void)fegetenv(&before);
    (void)fesetenv(FE_DFL_ENV);
    return before;
}

static inline void tess__float_leave(const tess__float_env *before) { (void)fesetenv(before); }

#endif

/* From here to the end of the block the library's environment. */
#define TESS__FLOAT_SCOPE()                                                                                            \
    __attribute__((cleanup(tess__float_leave))) const tess__float_env float_env_before = tess__float_enter();          \
    (void)float_env_before

/* The same of all units that the C library may ask for the rounding of its digits (x87's, too): some hundred
 * nanoseconds, for conversions from and to text. */
typedef struct tess__text_env {
    fenv_t          all;
    tess__float_env vectors;
} tess__text_env;

tess__text_env tess__text_enter(void);
void           tess__text_leave(const tess__text_env *before);

#define TESS__TEXT_SCOPE()                                                                                             \
    __attribute__((cleanup(tess__text_leave))) const tess__text_env text_env_before = tess__text_enter();              \
    (void)text_env_before

/* The library's environment for a thread of its own, which has begun with that of the thread that started it. */
void tess__float_begin_thread(void);

#endif
