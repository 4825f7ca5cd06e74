"""Runs a command for which permissions of files count, for root as well.

Root gives up its capabilities, and with no_new_privs execve() cannot give them back (capabilities(7)). Another user
would do too, but a checkout need not be open to others."""
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
VERSION_3 = 0x20080522
PR_SET_NO_NEW_PRIVS = 38


def check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
header = (ctypes.c_uint32 * 2)(VERSION_3, 0)  # of this process
check(libc.capset(header, (ctypes.c_uint32 * 6)()))  # none effective, permitted, inheritable
os.execvp(sys.argv[1], sys.argv[1:])
