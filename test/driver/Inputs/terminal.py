"""Runs a command on a terminal, and prints what it wrote there; escape sequences are shown as {1;31m}.

usage: terminal.py [--progress] COLUMNS COMMAND...

The exit code is the command's. The line that says what a command is at comes when it has taken half a second, on a
busy machine any command: it is left out unless --progress asks for it. A carriage return is then shown as {CR}.
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading

END = b"\0"


def main():
    arguments = sys.argv[1:]
    shows_progress = arguments[0] == "--progress"
    if shows_progress:
        arguments.pop(0)
    columns, command = int(arguments[0]), arguments[1:]
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal)

    # Of a terminal that nobody has open any more Linux may lose what was written last: it stays open, and a mark says
    # where the command's output ends.
    def mark_end():
        process.wait()
        os.write(terminal, END)

    threading.Thread(target=mark_end).start()
    written = b""
    while not written.endswith(END):
        written += os.read(reader, 65536)
    written = written.removesuffix(END)
    text = written.decode("utf-8", "replace").replace("\r\n", "\n")
    if not shows_progress:
        text = re.sub("\r[^\r\n]*\x1b\\[K", "", text)
    sys.stdout.write(re.sub("\x1b\\[([0-9;]*[A-Za-z])", r"{\1}", text.replace("\r", "{CR}")))
    return process.wait()


if __name__ == "__main__":
    sys.exit(main())
