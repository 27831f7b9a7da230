/* Types of the inputs that an element-wise operator does not have. */
#if INPUTS < 1
#define IN1_TYPE uint8_t
#endif
#if INPUTS < 2
#define IN2_TYPE uint8_t
#endif
#if INPUTS < 3
#define IN3_TYPE uint8_t
#endif
