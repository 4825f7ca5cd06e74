# Prints the index of the device of type "null" in what `lanewise devices` printed.
import sys

for line in open(sys.argv[1]):
    if " null " in line:
        print(line.split()[0])
        break
