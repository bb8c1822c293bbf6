/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of option_table.c for reports. */
VALUE(AGAINST, LIST, OF(REPORT), OURS, "against", NULL, inputs, "BASE",
      "Compare with this profile: what grew, shrank, is new, is gone. May be repeated: all are merged"),
    VALUE(BINARY, LIST, OF(REPORT), OURS, "binary", NULL, inputs, "PROGRAM",
          "The program that was profiled: report which of its functions have counts, and which of the "
          "profile's are of another build; or make a profile of samples. May be repeated, for its shared "
          "libraries"),
    FLAG(CS, OF(REPORT), OURS, "cs", inputs,
         "Of IR profiles, report the context-sensitive counts; by default, the others, if there are any"),
    VALUE(TITLE, STRING, OF(REPORT), OURS, "title", NULL, output, "TEXT",
          "The title (default: the names of the profiles)"),
    FLAG(MARKDOWN, OF(REPORT) | OF(DIFF), OURS | ELF, "markdown", output,
         "Write Markdown, in short, for a comment on a pull request or the summary of a CI job, as without "
         "this option if the name of the output ends with .md"),
    CHOICE(DEMANGLE, 1, OF(REPORT), OURS, "demangle", output, "Show names as in the source code (default)"),
    CHOICE(DEMANGLE, 0, OF(REPORT), OURS, "no-demangle", output, "Show names as they are in the profile"),
    VALUE(HTML, STRING, OF(MERGE), OURS | ELF, "html", NULL, output, "FILE",
          "Also write a page for browsers: what the result says, and what became of each input, those with "
          "losses first"),
