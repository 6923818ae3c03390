/// The scripts of `folio completion`. They contain no knowledge of the commands but call the
/// program, so they work with every version.
enum CompletionScripts {
    static func script(for shell: CompletionCommand.Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static let bash = #"""
        # bash completion for folio. Install it as ~/.local/share/bash-completion/completions/folio, or: source <(folio completion bash)

        _folio() {
            local line=${COMP_LINE:0:COMP_POINT} words=() word='' text last=0 i
            # COMP_WORDS has the pieces between the signs of COMP_WORDBREAKS. Those that no space parts are one word.
            for ((i = 0; i <= COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                text=${line%%[![:space:]]*}
                line=${line#"$text"}
                # The word at the cursor ends there.
                ((i == COMP_CWORD)) && word=$line
                if ((i > 0)) && [[ -z $text ]]; then
                    words[last]+=$word
                else
                    last=${#words[@]}
                    words+=("$word")
                fi
                line=${line#"$word"}
            done

            local answer
            answer=$("${words[0]/#\~/$HOME}" completion --words bash "${words[@]:1}" 2>/dev/null) || return 0

            # Readline replaces $2, the end of the last word.
            local head=${words[last]%"$2"} flags='' files=()
            COMPREPLY=()
            while IFS= read -r text; do
                if [[ -z $flags ]]; then
                    flags=$text
                else
                    text=${text%%$'\t'*}
                    COMPREPLY+=("${text#"$head"}")
                fi
            done <<<"$answer"

            [[ $flags == *nospace* ]] && compopt -o nospace 2>/dev/null
            if [[ $flags == files* ]]; then
                while IFS= read -r text; do files+=("$text"); done < <(compgen -f -- "$2")
                ((${#files[@]})) && compopt -o filenames 2>/dev/null
                COMPREPLY+=("${files[@]}")
            else
                compopt +o default 2>/dev/null
            fi
            return 0
        }

        complete -o default -F _folio folio

        """#

    private static let zsh = #"""
        #compdef folio
        # zsh completion for folio. Install it as _folio in a folder of fpath, or: source <(folio completion zsh)

        _folio() {
            local program=${(Q)words[1]} line flags
            local -a answer texts shown
            program=${program/#\~/$HOME}
            answer=("${(@f)$($program completion --words zsh "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
            flags=$answer[1]
            for line in "${(@)answer[2,-1]}"; do
                [[ -n $line ]] || continue
                texts+=("${line%%$'\t'*}")
                shown+=("${${line/$'\t'/  -- }%  -- }")
            done
            if (( $#texts )); then
                if [[ $flags == *nospace* ]]; then
                    compadd -Q -S '' -l -d shown -a texts
                else
                    compadd -Q -l -d shown -a texts
                fi
            fi
            [[ $flags == files* ]] && _files
            return 0
        }

        if [[ $funcstack[1] == _folio ]]; then
            _folio "$@"
        else
            compdef _folio folio
        fi

        """#

    private static let fish = #"""
        # fish completion for folio. Install it as ~/.config/fish/completions/folio.fish, or: folio completion fish | source

        function __folio_complete
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l program $words[1]
            set -e words[1]
            set -l answer ($program completion --words fish $words "$current" 2>/dev/null)
            or return
            string match -q 'files*' -- $answer[1]
            and __fish_complete_path "$current"
            set -e answer[1]
            for line in $answer
                echo $line
            end
        end

        complete -c folio -f -a '(__folio_complete)'

        """#
}
