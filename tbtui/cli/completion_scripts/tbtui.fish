# fish completion of tbtui: tbtui completion fish | source
# What fits is asked of the tbtui that is being typed; files are completed by fish.

function __tbtui_ask -d 'What fits at the cursor: paths or none, then words; asked once for what is typed'
    set -l line (commandline -cp | string collect)
    if not set -q __tbtui_line; or test "$line" != "$__tbtui_line"
        set -l words (commandline -opc)
        set -l typed (commandline -ct)
        set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
        set -g __tbtui_answer (env _TBTUI_COMPLETE=fish $program $words[2..-1] "$typed" 2>/dev/null </dev/null)
        or set -g __tbtui_answer paths
        set -g __tbtui_line $line
    end
    printf '%s\n' $__tbtui_answer
end

complete -c tbtui -f -a '(__tbtui_ask)[2..-1]'
complete -c tbtui -n 'not contains -- (__tbtui_ask)[1] none' -F
