"""What a real shell completes: bash and zsh on a terminal of their own, where keys are pressed, and fish, which
says it when asked."""

import os
import pathlib
import pty
import re
import select
import subprocess
import time


class Terminal:
    """A shell on a terminal. show() gives its command line; keys are sent as they are typed."""

    def __init__(self, command, folder, program, setup):
        # Nothing of the caller's: no prompt, no files of settings, no history.
        environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "dumb", "LC_ALL": "C.UTF-8",
                       "HOME": str(folder), "HISTFILE": ""}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.seen = ""
        self.send("stty -echo columns 400 rows 100\n" + setup + "\necho rea''dy\n")
        self.wait(r"ready")

    def send(self, keys):
        os.write(self.terminal, keys.encode())

    def wait(self, pattern, seconds=30):
        """Reads until `pattern` was printed, and gives its match."""
        end = time.monotonic() + seconds
        while True:
            match = re.search(pattern, self.seen, re.DOTALL)
            if match:
                self.seen = self.seen[match.end():]
                return match
            if time.monotonic() > end:
                raise TimeoutError(f"no {pattern!r} in what the shell printed:\n{self.seen}")
            if select.select([self.terminal], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.terminal, 65536).decode(errors="replace")
                except OSError as error:
                    raise TimeoutError(f"the shell ended; it printed:\n{self.seen}") from error

    def line_after(self, keys):
        """The command line after these keys, which then is cleared."""
        self.send(keys + "\x07")
        line = self.wait(r"<<<(.*?)>>>").group(1)
        self.send("\x15") # kill the line
        return line

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


class Bash(Terminal):
    def __init__(self, folder, program, script):
        super().__init__(["bash", "--norc", "--noprofile", "-i"], folder, program, f"""PS1=
source '{script}'
bind 'set bell-style none'
bind '"\\C-t": insert-completions'
bind -x '"\\C-g": printf "<<<%s>>>\\n" "$READLINE_LINE"'""")

    def completed(self, typed):
        """The line after TAB."""
        return self.line_after(typed + "\t")

    def candidates(self, typed):
        """All candidates for the word that is being typed."""
        line = self.line_after(typed + "\x14")
        before = typed[:re.search(r"[^ =:]*$", typed).start()]
        return line[len(before):].split() if line.startswith(before) else [line]


class Zsh(Terminal):
    def __init__(self, folder, program, script):
        super().__init__(["zsh", "-f", "-i"], folder, program, f"""PS1= RPS1= PROMPT_EOL_MARK=
unsetopt prompt_cr prompt_sp beep list_ambiguous auto_menu auto_list; setopt no_list_beep bash_auto_list
fpath=('{script.parent}' $fpath); autoload -U compinit; compinit -D -u
zle -C all-matches complete-word _generic
zstyle ':completion:*' completer _complete
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' old-matches false
zstyle ':completion:all-matches:*' insert true
bindkey -e; bindkey '^T' all-matches
show() {{ print -r -- "<<<$BUFFER>>>"; }}; zle -N show; bindkey '^G' show""")

    completed = Bash.completed

    def candidates(self, typed):
        line = self.line_after(typed + "\x14")
        before = typed[:re.search(r"[^ =]*$", typed).start()]
        # Of "--target=a --target=b" the values.
        words = line[len(typed[:typed.rfind(" ") + 1]):].split()
        prefix = typed[typed.rfind(" ") + 1:len(before)]
        return [word[len(prefix):] if prefix and word.startswith(prefix) else word for word in words]


class Fish:
    def __init__(self, folder, program, script):
        self.folder, self.script = folder, script
        self.environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "dumb", "HOME": str(folder),
                            "LC_ALL": "C.UTF-8"}

    def lines(self, typed):
        done = subprocess.run(
            ["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', str(self.script), typed],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout.splitlines()

    def candidates(self, typed):
        prefix = typed[typed.rfind(" ") + 1:]
        prefix = prefix[:prefix.find("=") + 1]
        return [line.split("\t")[0][len(prefix):] for line in self.lines(typed)]

    def completed(self, typed):
        """As fish puts it when there is one candidate."""
        words = [line.split("\t")[0] for line in self.lines(typed)]
        assert len(words) == 1, words
        space = "" if words[0][-1] in "=/:" else " "
        return typed[:typed.rfind(" ") + 1] + words[0] + space

    def close(self):
        pass


SHELLS = {"bash": Bash, "zsh": Zsh, "fish": Fish}
SCRIPTS = {"bash": "share/bash-completion/completions/lanewise", "zsh": "share/zsh/site-functions/_lanewise",
           "fish": "share/fish/vendor_completions.d/lanewise.fish"}


def start(shell, folder, prefix):
    """The shell with the completion script of an installed tree."""
    prefix = pathlib.Path(prefix)
    return SHELLS[shell](folder, prefix / "bin/lanewise", prefix / SCRIPTS[shell])
