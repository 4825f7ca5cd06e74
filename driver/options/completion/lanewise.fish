# Completion of lanewise for fish. `lanewise complete` says what may stand where the cursor is; this file
# only carries it over.

function __lanewise_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l prefix ''
    for line in ($program complete $words[2..-1] "$current" 2>/dev/null)
        set -l fields (string split \t -- $line)
        switch $fields[1]
            case prefix
                set prefix $fields[2]
            case word
                printf '%s%s\t%s\n' $prefix $fields[2] "$fields[3]"
            case files folders
                set -l value (string sub -s (math (string length -- "$prefix") + 1) -- "$current")
                # What fish knows of files, as for a command without completions of its own.
                for path in (complete -C "__lanewise_no_such_command $value" | string split -f 1 \t)
                    if string match -q -- '*/' $path
                        printf '%s%s\n' $prefix $path
                    else if test $fields[1] = files
                        if test (count $fields) -eq 1
                            printf '%s%s\n' $prefix $path
                        else
                            for suffix in $fields[2..-1]
                                if string match -q -- "*.$suffix" $path
                                    printf '%s%s\n' $prefix $path
                                    break
                                end
                            end
                        end
                    end
                end
        end
    end
end

complete -c lanewise -f -a '(__lanewise_complete)'
