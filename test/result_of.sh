#!/bin/sh
# What became of one test when all ran together (test/together.py); where that is not known, the test is run.
#
# usage: result_of.sh RESULTS NAME COMMAND...
results=$1.$PPID name=$2
shift 2
if [ -f "$results" ]; then
  verdict=$(grep -Fxm1 -e "PASS $name" -e "FAIL $name" -e "SKIP $name" "$results")
  case $verdict in
    PASS*) exit 0 ;;
    SKIP*) echo "skipped: $name"; exit 77 ;;
    FAIL*) sed -n "\|^---- $name\$|,\|^---- end of $name\$|p" "$results.log"; exit 1 ;;
  esac
fi
exec "$@"
