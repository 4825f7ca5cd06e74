#compdef lanewise
# Completion of lanewise for zsh. `lanewise complete` says what may stand where the cursor is; this file
# only carries it over.

_lanewise() {
  local line pattern
  local -a typed fields going_on complete_words suffixes
  local files=no
  typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
  for line in "${(@f)$(${(Q)words[1]/#\~/$HOME} complete "${typed[@]}" 2>/dev/null)}"; do
    fields=("${(@s:	:)line}")
    case $fields[1] in
      prefix) compset -P "${(b)fields[2]}" ;;
      # _describe takes what stands behind a colon for the explanation.
      word)
        if [[ $fields[2] == *[=:] ]]; then
          going_on+=("${fields[2]//:/\\:}:$fields[3]")
        else
          complete_words+=("${fields[2]//:/\\:}:$fields[3]")
        fi ;;
      folders) files=folders ;;
      files) files=yes; suffixes=("${(@)fields[2,-1]}") ;;
    esac
  done
  local found=1
  (( $#complete_words )) && _describe -t values 'lanewise' complete_words && found=0
  (( $#going_on )) && _describe -t values 'lanewise' going_on -S '' && found=0
  case $files in
    folders) _files -/ && found=0 ;;
    yes)
      if (( $#suffixes )); then
        _files -g "*.(${(j:|:)suffixes})(-.)" && found=0
      else
        _files && found=0
      fi ;;
  esac
  return found
}

# As an autoloaded function it is called at once; a file that is sourced only declares it.
if [[ $funcstack[1] == _lanewise ]]; then
  _lanewise "$@"
else
  compdef _lanewise lanewise
fi
