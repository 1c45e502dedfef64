/* What a failed execve(2) really missed. */
#ifndef BRAND_WHY_EXEC_H
#define BRAND_WHY_EXEC_H

#include "common/host/err.h"

/* Names the cause of errnum, the answer of execve(path): the file, its #! interpreter, its ELF loader, its architecture.
 * Looks files up in the calling process's root, which may be hostile. Returns the shell's exit status for it: 127 where
 * something is missing, else 126. */
int brand_why_exec(const char *path, int errnum, struct err *e);

#endif
