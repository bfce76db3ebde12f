#compdef tbtui
# zsh completion of tbtui: eval "$(tbtui completion zsh)", or a file _tbtui in a folder of $fpath
# What fits is asked of the tbtui that is being typed; files are completed by zsh.

_tbtui() {
    local program=${${(Q)words[1]}/#\~\//$HOME/} paths line
    local -a typed answer plain described
    typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
    answer=("${(@f)$(_TBTUI_COMPLETE=zsh "$program" "${typed[@]}" 2>/dev/null </dev/null)}")
    paths=${answer[1]:-paths}
    for line in "${(@)answer[2,-1]}"; do
        case $line in
            *$'\t') plain+=("${line%$'\t'}") ;;
            *$'\t'*) described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    (( $#described )) && _describe -V 'tbtui' described
    (( $#plain )) && compadd -V tbtui -- "${plain[@]}"
    case $paths in
        paths) [[ $PREFIX == -*=* ]] && compset -P 1 '*='; _files ;;
        named) compset -P 1 '*:'; _files ;;
    esac
}

if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _tbtui "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _tbtui tbtui
fi
