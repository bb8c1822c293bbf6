# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of llvm-profdata for fish. Made by docs/generate.py of the command's own tables: do not edit.

# Whether the words that were typed begin with these, and with no other ones where --only is given.
function __llvm_profdata_is
    set -l only no
    if test "$argv[1]" = --only
        set only yes
        set -e argv[1]
    end
    set -l typed (commandline -opc)
    set -e typed[1]
    for word in $argv
        test "$typed[1]" = "$word"
        or return 1
        set -e typed[1]
    end
    test $only = no -o (count $typed) = 0
end

complete -c llvm-profdata -f -n '__llvm_profdata_is --only' -a merge -d 'Merge profiles into one'
complete -c llvm-profdata -f -n '__llvm_profdata_is --only' -a show -d 'Print what is in a profile'
complete -c llvm-profdata -f -n '__llvm_profdata_is --only' -a overlap -d 'Print how much two profiles have in common'
complete -c llvm-profdata -f -n '__llvm_profdata_is --only' -a order -d 'Print an order of functions for a fast program start'
complete -c llvm-profdata -f -n '__llvm_profdata_is --only' -l help -d 'Explain the program'
complete -c llvm-profdata -f -n '__llvm_profdata_is --only' -l version -d 'Version of the program'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -s f -l input-files -r -F -d 'A list of inputs, one [WEIGHT,]FILE per line'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l weighted-input -x -d 'An input whose counts are multiplied by WEIGHT, a whole number of at least 1. May be repeated'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -s o -l output -r -F -d 'Where to write'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l binary -d 'Indexed profile, the format that compilers read'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l extbinary -d 'The same as --binary'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l text -d 'Text'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l sparse -d 'Leave out functions that never ran'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l memprof-version -x -a '0 1 2 3 4' -d 'Version of the memory profile (MemProf)'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l memprof-full-schema -d 'Store all known fields of allocations, not only those that compilers use'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l temporal-profile-trace-reservoir-size -x -d 'Largest number of temporal traces to keep'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l temporal-profile-max-trace-length -x -d 'Largest number of functions to keep in a temporal trace'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l function -x -d 'Only functions whose name contains a match of this extended regular expression'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l no-function -x -d 'Leave out functions whose name contains a match of this regular expression'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -s r -l remapping-file -r -F -d 'Rename functions by lines \'OLD NEW\' of whole names'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l failure-mode -x -a 'any all warn' -d 'When bad inputs are a failure'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l instr -d 'Instrumentation profile'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l sample -d 'Sample profile (not supported yet)'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -s j -l num-threads -x -d 'Number of threads'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l color -d 'Colours in messages'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -s h -l help -d 'Explain the command'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l help-hidden -d 'Explain the command with all options'
complete -c llvm-profdata -n '__llvm_profdata_is merge' -l version -d 'Version of the program'
complete -c llvm-profdata -n '__llvm_profdata_is show' -s o -l output -r -F -d 'Where to write'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l instr -d 'Instrumentation profile'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l sample -d 'Sample profile (not supported yet)'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l memory -d 'Memory profile (MemProf) of an indexed profile'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l all-functions -d 'Every function'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l function -x -d 'Functions whose name contains TEXT'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l value-cutoff -x -d 'Leave out functions whose largest count is below N'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l list-below-cutoff -d 'List only the functions whose largest count is below --value-cutoff'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l covered -d 'List only the names of the functions that ran'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l showcs -d 'Show the context-sensitive counts'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l topn -x -d 'List the N functions with the largest counts'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l hot-func-list -d 'List the hot functions'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l counts -d 'Counter values'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l ic-targets -d 'Targets of indirect calls'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l show-vtables -d 'Vtables'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l memop-sizes -d 'Sizes of memory operations'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l text -d 'Print the functions as a text profile'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l detailed-summary -d 'How many blocks make up which share of the counts'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l detailed-summary-cutoffs -x -d 'Shares of the counts for --detailed-summary and --hot-func-list, in millionths'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l binary-ids -d 'Binary ids'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l profile-version -d 'Version of the file'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l temporal-profile-traces -d 'Temporal traces'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l show-format -x -a 'text json yaml' -d 'Format of the output'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l color -d 'Colours in messages'
complete -c llvm-profdata -n '__llvm_profdata_is show' -s h -l help -d 'Explain the command'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l help-hidden -d 'Explain the command with all options'
complete -c llvm-profdata -n '__llvm_profdata_is show' -l version -d 'Version of the program'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -s o -l output -r -F -d 'Where to write'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -l cs -d 'Compare the context-sensitive counts'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -l function -x -d 'Also print functions that both profiles have and whose name contains TEXT'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -l value-cutoff -x -d 'Also print functions that both profiles have and whose largest count in TEST is at least N'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -l instr -d 'Instrumentation profile'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -l sample -d 'Sample profile (not supported yet)'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -l color -d 'Colours in messages'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -s h -l help -d 'Explain the command'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -l help-hidden -d 'Explain the command with all options'
complete -c llvm-profdata -n '__llvm_profdata_is overlap' -l version -d 'Version of the program'
complete -c llvm-profdata -n '__llvm_profdata_is order' -s o -l output -r -F -d 'Where to write'
complete -c llvm-profdata -n '__llvm_profdata_is order' -l num-test-traces -x -d 'Use the last N traces only to measure how good the order is'
complete -c llvm-profdata -n '__llvm_profdata_is order' -l color -d 'Colours in messages'
complete -c llvm-profdata -n '__llvm_profdata_is order' -s h -l help -d 'Explain the command'
complete -c llvm-profdata -n '__llvm_profdata_is order' -l help-hidden -d 'Explain the command with all options'
complete -c llvm-profdata -n '__llvm_profdata_is order' -l version -d 'Version of the program'
