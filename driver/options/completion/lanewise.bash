# Completion of lanewise for bash. `lanewise complete` says what may stand where the cursor is; this file
# only carries it over.

_lanewise() {
  # bash takes words apart at = and : as well; what no space parts is one word.
  local line=${COMP_LINE:0:COMP_POINT} words=() word trimmed i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    trimmed=${line#"${line%%[![:space:]]*}"}
    if ((${#word} > ${#trimmed})); then word=$trimmed; fi # the cursor is within it
    if ((i == 0)) || [[ $trimmed != "$line" ]]; then
      words+=("$word")
    else
      words[${#words[@]} - 1]+=$word
    fi
    line=${trimmed#"$word"}
  done
  local current=${words[${#words[@]} - 1]} program=${words[0]/#\~/$HOME}
  # What readline replaces is the last part only.
  local kept=$((${#current} - ${#2}))

  local kind text rest prefix='' value=$current files='' suffixes=() replies=()
  while IFS=$'\t' read -r kind text rest; do
    case $kind in
      prefix) prefix=$text value=${current#"$text"} ;;
      word) replies+=("$prefix$text") ;;
      folders) files=folders ;;
      files) files=yes; IFS=$'\t' read -r -a suffixes <<<"$text"$'\t'"$rest" ;;
    esac
  done < <("$program" complete "${words[@]:1}" 2>/dev/null)

  if [[ ${#replies[@]} -eq 1 && ${replies[0]} == *[=:] ]]; then compopt -o nospace; fi
  if [[ -n $files ]]; then
    compopt -o filenames
    local path suffix
    while IFS= read -r path; do
      if [[ -d ${path/#\~/$HOME} ]]; then
        replies+=("$prefix$path")
        continue
      fi
      [[ $files == folders ]] && continue
      [[ ${#suffixes[@]} -eq 0 ]] && replies+=("$prefix$path")
      for suffix in "${suffixes[@]}"; do
        if [[ $path == *".$suffix" ]]; then
          replies+=("$prefix$path")
          break
        fi
      done
    done < <(compgen -f -- "$value")
  fi
  COMPREPLY=()
  for text in "${replies[@]}"; do COMPREPLY+=("${text:kept}"); done
}

complete -F _lanewise lanewise
