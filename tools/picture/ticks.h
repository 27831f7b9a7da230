/* Round numbers: where the marks of an axis go and what is written beside them, and how long a scale bar is. */
#ifndef TESSERA_PICTURE_TICKS_H
#define TESSERA_PICTURE_TICKS_H

#include <stdbool.h>

enum { MAX_TICKS = 72, TICK_TEXT = 40 };

typedef struct ticks {
    int    n;
    double at[MAX_TICKS];
    char   label[MAX_TICKS][TICK_TEXT]; /* may be "" on a log axis */
    double step;                        /* linear: between two of them */
    int    exponent;                    /* linear: labels are of value / 10^exponent */
} ticks;

/* Multiples of 1, 2 or 5 times a power of ten from low to high: about `most` of them, not more (2 to 16). */
void ticks_linear(ticks *t, double low, double high, int max);

/* Powers of ten, or 1, 2, 5 times them where those are few; 0 < low < high. */
void ticks_log(ticks *t, double low, double high, int max);

/* On an axis of reciprocal lengths from low to high, round lengths 1 / x; `least` is how far apart they must be. */
void ticks_reciprocal(ticks *t, double low, double high, double min);

/* Widen a range to the next round numbers: `most` as above. One that is empty is widened about its value. */
void ticks_widen(double *low, double *high, int max, bool is_log);

/* The largest of 1, 2, 5 times a power of ten that is not above a number over 0. */
double round_length(double max);

/* A number as text for people: as few digits as tell it, at most `digits`, with a real minus sign. */
char *tick_number(char text[TICK_TEXT], double value, int digits);

/* 10^n as text, raised. */
char *tick_power(char text[TICK_TEXT], int exponent);

#endif
