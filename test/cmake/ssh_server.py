"""An ssh server for a test: on 127.0.0.1, for one key, runs each command by sh and writes it to a file.

usage: ssh_server.py PORT KEY LOG     KEY: the host's key; KEY.pub is the one that it lets in
"""

import asyncio
import sys

import asyncssh

port, key, log = int(sys.argv[1]), sys.argv[2], sys.argv[3]


async def run(process):
    with open(log, "a", encoding="utf-8") as commands:
        commands.write(process.command + "\n")
    child = await asyncio.create_subprocess_exec(
        "sh", "-c", process.command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE)
    out, errors = await child.communicate()
    process.stdout.write(out)
    process.stderr.write(errors)
    process.exit(child.returncode)


async def serve():
    await asyncssh.listen("127.0.0.1", port, server_host_keys=[key], authorized_client_keys=key + ".pub",
                          process_factory=run, encoding=None)
    await asyncio.Event().wait()


asyncio.run(serve())
