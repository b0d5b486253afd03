"""Runs a command on a pseudo-terminal: argv is JSON {"command": [...], "answers": [[text to wait for, keys], ...]}.

Prints what the terminal got, then a line "exit N".
"""
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios

asked = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execvp(asked["command"][0], asked["command"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", asked["rows"], asked["columns"], 0, 0))
output = b""
answers = list(asked["answers"])
looked = 0
while select.select([terminal], [], [], 60)[0]:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    output += part
    if answers and answers[0][0].encode() in output[looked:]:
        looked = len(output)
        os.write(terminal, answers.pop(0)[1].encode())
_, status = os.waitpid(child, 0)
sys.stdout.buffer.write(output)
print("\nexit", os.waitstatus_to_exitcode(status))
