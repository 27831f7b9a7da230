/* Real numbers of a kernel, and the functions of the formulas that are for them.
 *
 * The program defines WIDE: reals are f64. */
#if WIDE
typedef double real;
#define TYPED(name) name##_f64
#define FMA __builtin_fma
#else
typedef float real;
#define TYPED(name) name##_f32
#define FMA __builtin_fmaf
#endif
