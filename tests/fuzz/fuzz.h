/* What a fuzz target gives its driver: libFuzzer's entry. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Must return 0, and leave nothing behind: it runs many times in one process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
