"""Runs a command on a terminal, and prints what it wrote there; escape sequences are shown as {1;31m}.

usage: terminal.py COLUMNS COMMAND...

The exit code is the command's. A carriage return alone is shown as {CR}: what a line was rewritten at.
"""

import fcntl
import os
import pty
import re
import struct
import sys
import termios


def main():
    columns, command = int(sys.argv[1]), sys.argv[2:]
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execvp(command[0], command)
    written = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # EIO: the command has closed it
            part = b""
        if not part:
            break
        written += part
    text = written.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "{CR}")
    sys.stdout.write(re.sub("\x1b\\[([0-9;]*[A-Za-z])", r"{\1}", text))
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
