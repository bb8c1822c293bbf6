#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every source, script and build file says its licence within its first five lines.
. "$(dirname "$0")/_lib.sh"

want='SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception'
mapfile -t files < <(
    tree . -- -name '*.[chSs]' -o -name '*.cc' -o -name '*.cpp' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' \
        -o -name '*.in' -o -name CMakeLists.txt -o -name '*.yml' -o -name '*.yaml' -o -name '.clang-*' \
        -o -name .editorconfig -o -name .gitignore | grep -vE '(^|/)(data|golden|corpus)/'
    [ -e .ci/run ] && echo .ci/run
)
while read -r file; do
    fail "$file: no '$want' in the first five lines"
done < <(awk -v want="$want" '
    FNR <= 5 && index($0, want) { has[FILENAME] = 1 }
    END { for (i = 1; i < ARGC; i++) if (!has[ARGV[i]]) print ARGV[i] }' "${files[@]}")
finish
