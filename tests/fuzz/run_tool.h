/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the tool as main() does, in this process; outside.h gets the files that it writes. */
#ifndef TESTS_FUZZ_RUN_TOOL_H
#define TESTS_FUZZ_RUN_TOOL_H

enum { RUN_TOOL_WORDS_MAX = 12 };

/* With these words, up to a NULL or RUN_TOOL_WORDS_MAX of them, and a file behind them. */
void run_tool(const char *const *words, const char *file);

#endif
