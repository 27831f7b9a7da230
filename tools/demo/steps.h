/* The steps of `tessera demo`: command lines from noise to a map, whose files are each other's inputs. */
#ifndef TESSERA_DEMO_STEPS_H
#define TESSERA_DEMO_STEPS_H

enum { STEP_WORDS = 40, STEP_FILES = 8 };

typedef struct demo_step {
    const char *part;                  /* the title of the part that begins with it, or NULL */
    const char *title;                 /* what it shows, one sentence */
    const char *words[STEP_WORDS + 1]; /* the command line behind "tessera", ended by NULL */
    const char *more[STEP_FILES + 1];  /* what it writes beside the files that its -o, --star and --plot name */
    const char *figure;                /* what its result is called in the summary, or NULL */
    const char *unit;                  /* of the figure */
    const char *before; /* the figure is the number behind this text in what is printed; NULL: the last word */
} demo_step;

extern const demo_step demo_steps[];
extern const int       n_demo_steps;

/* The i-th file that a step writes, or NULL. */
const char *step_output(const demo_step *s, int i);

#endif
