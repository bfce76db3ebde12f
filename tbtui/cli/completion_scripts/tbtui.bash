# bash completion of tbtui: eval "$(tbtui completion bash)"
# What fits is asked of the tbtui that is being typed; files are completed by readline. Works from bash 3.2 on.

_tbtui() {
    local rest=${COMP_LINE:0:COMP_POINT} program=${1/#\~\//$HOME/} word meaning answer paths typed i
    local -a words=()
    # Readline breaks words at = and : too, which are parts of words here: what no space divides is joined again.
    rest=${rest#*"${COMP_WORDS[0]}"}
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ ${#words[@]} -eq 0 || $rest == [[:space:]]* ]]; then
            rest=${rest#"${rest%%[![:space:]]*}"}
            words+=("")
        fi
        if ((i == COMP_CWORD)); then word=$rest; fi
        words[${#words[@]} - 1]+=$word
        rest=${rest#"$word"}
    done
    typed=${words[${#words[@]} - 1]}

    COMPREPLY=()
    answer=$(_TBTUI_COMPLETE=bash "$program" "${words[@]}" 2>/dev/null </dev/null) || return 0
    {
        read -r paths
        while IFS=$'\t' read -r word meaning; do
            if [[ $typed == -*=* && $COMP_WORDBREAKS == *=* ]]; then word=${word#*=}; fi
            COMPREPLY+=("$word")
        done
    } <<<"$answer"
    if [[ $paths == none ]]; then
        compopt +o default +o bashdefault 2>/dev/null # bash 4: no files instead
    elif [[ ${#COMPREPLY[@]} -gt 0 ]]; then
        compopt -o filenames 2>/dev/null # bash 4: a slash behind directories
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$typed")
    fi
    return 0
}

complete -o default -o bashdefault -F _tbtui tbtui
