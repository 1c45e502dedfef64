/* The end of a program's arena. */
#ifndef DTRACE_MEM_IMPL_H
#define DTRACE_MEM_IMPL_H

struct dt_chunk;

void dt_chunks_free(struct dt_chunk *ch);

#endif
