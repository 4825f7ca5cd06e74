"""Starts a command, waits until it has a child that stays, kills it, and fails unless the child is gone soon after."""
import pathlib
import subprocess
import sys
import time


def wait_for(what, is_there):
    deadline = time.monotonic() + 60
    while not is_there():
        if time.monotonic() > deadline:
            sys.exit(f"waited in vain for {what}")
        time.sleep(0.02)


def children(pid):
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue # gone meanwhile
        if int(fields[1]) == pid:
            found.append(int(status.parent.name))
    return found


def is_gone(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def old_child(pid, seen):
    """A child that was there a second ago: others compile a shader, and go."""
    for child in children(pid):
        if time.monotonic() - seen.setdefault(child, time.monotonic()) > 1:
            return child
    return None


command = subprocess.Popen(sys.argv[1:])
seen = {}
wait_for("a child that stays", lambda: old_child(command.pid, seen))
child = old_child(command.pid, seen)
command.kill()
command.wait()
wait_for("the end of the child", lambda: is_gone(child))
