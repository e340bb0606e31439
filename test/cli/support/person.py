"""Runs a program in a pseudo-terminal and plays a person at it.

usage: person.py '[{"expect": "text", "send": "keys"}, ...]' program [argument ...]

Waits for each text in the output in turn, then sends the keys. Writes what the terminal showed, and ends with the
exit code of the program, or with 99 when a text did not come in time.
"""
import fcntl, json, os, pty, select, signal, struct, sys, termios, time

steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(os.environ.get("TERMINAL_COLUMNS", "120")), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])

shown, searched, deadline = b"", 0, time.monotonic() + 15
code = None
while True:
    if steps:
        at = shown.find(steps[0]["expect"].encode(), searched)
        if at >= 0:
            step = steps.pop(0)
            searched = at + len(step["expect"].encode())
            for key in step.get("send", ""):
                os.write(terminal, key.encode())
            continue
    if time.monotonic() > deadline:
        os.kill(pid, signal.SIGKILL)
        code = 99
    readable, _, _ = select.select([terminal], [], [], 0.2)
    if readable:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            chunk = b""
        shown += chunk
        if not chunk:
            break
    if code == 99:
        break

_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(shown)
sys.stdout.flush()
if code is None:
    code = os.waitstatus_to_exitcode(status)
if steps:
    sys.stderr.write("never shown: " + steps[0]["expect"])
    code = 99
os._exit(code if code >= 0 else 128 - code)
