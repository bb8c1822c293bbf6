/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the commands about BOLT's address translation share. */
#ifndef CLI_BAT_H
#define CLI_BAT_H

#include <anyprof/bat.h>

#include "report.h"

/* Opens the file of the command line, which -o must not replace. 0, or an exit code: reported. */
int bat_open(struct apf_bat **bat, const struct session *session, const struct arguments *args);

/* Reads the program that --original names, if there is that option. 0, or an exit code: reported. */
int bat_original(struct apf_bat *bat, const struct session *session, const struct arguments *args);

#endif
