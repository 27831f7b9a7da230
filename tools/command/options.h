/* Options as they come on a command line. */
#ifndef TESSERA_COMMAND_OPTIONS_H
#define TESSERA_COMMAND_OPTIONS_H

#include "command/job.h"

/* An option that was given, and its text. */
struct given {
    const option *option;
    const char   *value; /* "" for a flag */
};

/* Take the n words after the verb apart, into j->given and j->arguments. Options may stand anywhere; "--" ends them;
 * "-" and numbers such as -1.5 are arguments. */
tess_status options_parse(job *j, char **words, int n);

/* Does the text suit the option's type? Fails with a message that names the option, the text, and what is allowed. */
tess_status option_check(const option *o, const char *text);

/* The i-th option of a verb that is not a global one: those of its job that it does not fill
 * itself, then its own; NULL after the last. */
const option *verb_own_option(const verb *v, int i);

/* The i-th option of a verb: its own, then the global ones that it takes; NULL after the last. */
const option *verb_option(const verb *v, int i);

/* Does it have this name or alias, in any spelling? */
bool option_is_named(const option *o, const char *name);

/* Is a name in a list of names with blanks between them? '_' and '-' are alike; the list may be NULL. */
bool lists_name(const char *names, const char *name);

/* How to call it in a message: "--apix", "-o". In `text`. */
const char *option_called(const option *o, char text[48]);

#endif
