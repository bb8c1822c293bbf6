/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Transport of the profile out of the processor. */
#ifndef BARE_PORT_H
#define BARE_PORT_H

#include <stddef.h>

/* Opens a file for writing. Negative: the file cannot be opened. */
int port_open(const char *name);

/* Returns 0 if everything was written. */
int port_write(int port, const void *bytes, size_t n);
int port_close(int port);

/* Ends the program. */
_Noreturn void leave(int code);

#endif
