#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every source, script and build file says its licence within its first five lines.
. "$(dirname "$0")/_lib.sh"

want='SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception'
while read -r file; do
    head -n 5 "$file" | grep -qF "$want" || fail "$file: no '$want' in the first five lines"
done < <(
    tree . -- -name '*.[chSs]' -o -name '*.cc' -o -name '*.cpp' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' \
        -o -name '*.in' -o -name CMakeLists.txt -o -name '*.yml' -o -name '*.yaml' -o -name '.clang-*' \
        -o -name .editorconfig -o -name .gitignore | grep -vE '(^|/)(data|golden|corpus)/'
    [ -e .ci/run ] && echo .ci/run
)
finish
