# complete.zsh SCRIPT LINE: what zsh offers at the end of the line, a word per line.
# There is no way to ask zsh but to press Tab in a terminal.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT=; unsetopt zle_bracketed_paste 2>/dev/null; stty -echo; cd ${(q)PWD}
autoload -Uz compinit && compinit -u -D
fpath=(${(q)1:h} \$fpath); autoload -Uz ${1:t}; compdef ${1:t} heapdrift
compadd() {
    local -a offered
    if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
        builtin compadd \"\$@\"
    else
        builtin compadd -A offered \"\$@\"
        print -rl -- \"<\"\${^offered}\">\"
        builtin compadd \"\$@\"
    fi
    return 0
}
finish() { print -r -- '<<end>>' }
zle -C tell-words complete-word _main_complete
press() { comppostfuncs=(finish); zle tell-words; }
zle -N press; bindkey '^I' press
print -r -- '<<ready>>'"
local all= more
while [[ $all != *$'\n'*'<<ready>>'* ]]; do zpty -r shell more || break; all+=$more; done
zpty -w -n shell "$2"$'\t'
all=
while [[ $all != *'<<end>>'* ]]; do zpty -r shell more || break; all+=$more; done
print -r -- "$all" | tr -d '\r' | sed -n 's/^.*<\([^<>][^>]*\)>$/\1/p'
zpty -d shell
