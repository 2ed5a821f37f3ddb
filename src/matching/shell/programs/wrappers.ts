import { COMPOSE, DOCKER, KUBECTL, MACHINE_EXEC } from "./container-wrappers.ts";
import type { Wrapper } from "./options.ts";
import { PLAIN } from "./options.ts";
import { PACKAGE_WRAPPERS } from "./package-wrappers.ts";
import { USER_WRAPPERS } from "./user-wrappers.ts";

function scripts(short: string, ...long: readonly string[]): Wrapper {
  return { short, long, scripts: [...Array.from(short), ...long], operands: Infinity };
}

/** Options of tar whose values are scripts. */
const TAR_SCRIPTS =
  "info-script new-volume-script to-command use-compress-program rsh-command".split(" ");

/** Programs that do not run a command in their words, but scripts in some of their options. */
const SCRIPT_OPTIONS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["ctest", scripts("", "launcher")],
  ["fzf", scripts("", "preview")],
  ["man", scripts("P", "pager")],
  [
    "nodemon",
    { short: "xew", long: ["exec", "ext", "watch"], scripts: ["x", "exec"], operands: Infinity },
  ],
  ["rg", scripts("", "pre", "hostname-bin")],
  [
    "rsync",
    {
      short: "efMTBf",
      long: ["rsh", "rsync-path", "exclude", "include"],
      scripts: ["e", "rsh", "rsync-path"],
      operands: Infinity,
    },
  ],
  ["sbatch", scripts("", "wrap")],
  ["sort", scripts("", "compress-program")],
  ["split", scripts("", "filter")],
  [
    "tar",
    {
      short: "bCfFgHIKLNTVX",
      long: ["file", "directory", "exclude", ...TAR_SCRIPTS],
      scripts: ["F", "I", ...TAR_SCRIPTS],
      operands: Infinity,
    },
  ],
  [
    "zip",
    { short: "bintx", long: ["unzip-command"], scripts: ["unzip-command"], operands: Infinity },
  ],
]);

const TIMEOUT: Wrapper = {
  short: "ks",
  long: ["kill-after", "signal"],
  flags: ["foreground", "preserve-status", "verbose"],
  operands: 1,
};

const FLY: Wrapper = {
  next: {
    ssh: {
      next: {
        console: {
          short: "aCr",
          scripts: ["C", "command"],
          long: ["command", "app"],
          operands: Infinity,
        },
      },
    },
  },
};

/** Short options of `cargo watch` take shell lines (`-s`) or words for cargo (`-x`). */
const CARGO_WATCH: Wrapper = {
  short: "sxwidBCEL",
  long: ["shell", "exec", "watch", "ignore", "delay", "workdir", "env"],
  scripts: ["s", "shell"],
  after: ["--"],
  operands: Infinity,
};

const TMUX_WINDOW: Wrapper = { short: "censtFlxy", joined: true };

const BEHIND_E: Wrapper = { after: ["-e", "--command", "-x", "--"], operands: Infinity };

/** Programs that run a command among their words. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  // Words that zsh and fish accept before a command.
  ["-", { inPlace: true, functions: true }],
  ["nocorrect", { inPlace: true, functions: true }],
  ["noglob", { inPlace: true, functions: true }],
  ["and", { inPlace: true, functions: true }],
  ["not", { inPlace: true, functions: true }],
  ["or", { inPlace: true, functions: true }],
  ["repeat", { operands: 1, functions: true }],
  ["adb", { short: "HLPst", next: { shell: { short: "e", joined: true, elsewhere: true } } }],
  ["alacritty", BEHIND_E],
  ["arch", { short: "de" }],
  ["at", { short: "fqt", shell: true, operands: Infinity }],
  ["aws-vault", { next: { exec: { short: "drmt", operands: 1, after: ["--"] } } }],
  ["batch", { shell: true, operands: Infinity }],
  ["builtin", { inPlace: true }],
  ["busybox", PLAIN],
  ["cargo", { next: { watch: CARGO_WATCH } }],
  ["cargo-watch", { ...CARGO_WATCH, also: { next: { watch: CARGO_WATCH } } }],
  ["chamber", { next: { exec: { after: ["--"], operands: Infinity } } }],
  ["choom", { short: "np", long: ["adjust", "pid"], idle: ["p", "pid"] }],
  ["caffeinate", { short: "tw" }],
  ["chronic", PLAIN],
  ["chrt", { short: "TPD", operands: 1, idle: ["p", "pid"] }],
  ["command", { inPlace: true, idle: ["v", "V"] }],
  [
    "concurrently",
    {
      short: "cnpsl",
      long: ["names", "prefix", "prefix-colors", "success"],
      flags: ["kill-others", "raw"],
      each: true,
    },
  ],
  ["cross-env", { assignments: true }],
  ["cross-env-shell", { assignments: true, joined: true }],
  ["dbus-run-session", { long: ["config-file"] }],
  ["dbus-launch", { flags: ["exit-with-session"] }],
  ["docker", DOCKER],
  ["docker-compose", COMPOSE],
  [
    "doppler",
    {
      next: { run: { long: ["command"], scripts: ["command"], after: ["--"], operands: Infinity } },
    },
  ],
  ["dotenv", { short: "efpv", after: ["--"] }],
  ["dotenvx", { next: { run: { short: "f", after: ["--"] } } }],
  ["daemonize", { short: "aceopulE" }],
  [
    "ansible",
    {
      short: "maiultfeM",
      long: ["args", "module-name"],
      scripts: ["a", "args"],
      operands: Infinity,
    },
  ],
  ["clush", { short: "wgxf", joined: true, elsewhere: true }],
  ["fly", FLY],
  ["flyctl", FLY],
  [
    "gcloud",
    {
      next: {
        compute: {
          next: {
            ssh: { long: ["command", "zone", "project"], scripts: ["command"], operands: Infinity },
          },
        },
      },
    },
  ],
  ["pdsh", { short: "wxgltuRf", joined: true, elsewhere: true }],
  ["pssh", { short: "hHlpoetOxX", joined: true, elsewhere: true }],
  ["dumb-init", PLAIN],
  ["eatmydata", PLAIN],
  ["emulate", { short: "o", operands: 1, as: "sh" }],
  ["entr", { joined: ["s"] }],
  [
    "env",
    {
      short: "uCSP",
      long: ["unset", "chdir", "split-string"],
      flags: [
        "block-signal",
        "debug",
        "default-signal",
        "ignore-environment",
        "ignore-signal",
        "null",
      ],
      assignments: true,
      directory: ["C", "chdir"],
      split: ["S", "split-string"],
      last: ["S", "split-string"],
      unset: ["u", "unset"],
    },
  ],
  ["exec", { short: "a" }],
  ["faketime", { short: "f", operands: 1 }],
  ["flatpak-spawn", { long: ["env", "directory"], flags: ["host", "clear-env", "watch-bus"] }],
  [
    "flock",
    {
      short: "cwE",
      long: ["command", "timeout", "wait", "conflict-exit-code"],
      flags: ["close", "exclusive", "nb", "no-fork", "nonblock", "shared", "unlock", "verbose"],
      scripts: ["c", "command"],
      operands: 1,
    },
  ],
  ["gdb", { short: "x", after: ["--args"], operands: Infinity }],
  ["gnome-terminal", BEHIND_E],
  ["gtimeout", TIMEOUT],
  ["heroku", { next: { run: { short: "as", long: ["app"], elsewhere: true, joined: true } } }],
  [
    "hyperfine",
    {
      short: "wmMrpcPDLSuNn",
      long: [
        "warmup",
        "runs",
        "prepare",
        "cleanup",
        "setup",
        "export-json",
        "export-markdown",
        "shell",
      ],
      flags: ["show-output", "ignore-failure"],
      scripts: ["p", "prepare", "c", "cleanup", "s", "setup"],
      each: true,
    },
  ],
  ["ifne", PLAIN],
  [
    "ionice",
    { short: "cnpPu", long: ["class", "classdata"], flags: ["ignore"], idle: ["p", "P", "u"] },
  ],
  [
    "infisical",
    {
      next: {
        run: {
          long: ["command", "env", "path", "projectId", "tags", "token", "watch-interval"],
          scripts: ["command"],
          after: ["--"],
        },
      },
    },
  ],
  ["i386", PLAIN],
  ["kitty", PLAIN],
  ["linux32", PLAIN],
  ["linux64", PLAIN],
  ["konsole", BEHIND_E],
  ["kubectl", KUBECTL],
  ["limactl", { next: { shell: { ...MACHINE_EXEC, long: ["workdir"] } } }],
  ["ltrace", { short: "aAeEFlnosuwxp" }],
  ["lvm", PLAIN],
  ["lxc", { next: { exec: MACHINE_EXEC } }],
  ["incus", { next: { exec: MACHINE_EXEC } }],
  ["mpirun", { short: "nHx", long: ["np", "host", "hostfile"] }],
  ["multipass", { next: { exec: MACHINE_EXEC } }],
  ["nerdctl", DOCKER],
  ["nice", { short: "n", long: ["adjustment"] }],
  ["nohup", PLAIN],
  ["numactl", { short: "CNmpi" }],
  ["oc", KUBECTL],
  ["onchange", { after: ["--"] }],
  ["op", { next: { run: { long: ["env-file"], after: ["--"] } } }],
  [
    "perf",
    { next: { stat: { short: "eorpC" }, record: { short: "eoFgpC" }, trace: { short: "eop" } } },
  ],
  ["podman", DOCKER],
  ["prlimit", { short: "po" }],
  ["proxychains", { short: "f" }],
  ["proxychains4", { short: "f" }],
  ["rlwrap", { short: "abcCDefgHilmMnpPqsStwz" }],
  [
    "rtk",
    { also: { next: { err: PLAIN, proxy: PLAIN, run: PLAIN, summary: PLAIN, test: PLAIN } } },
  ],
  ["screen", { short: "cehpSst", idle: ["r", "x"] }],
  [
    "script",
    {
      short: "cEBIOTm",
      long: ["command", "echo", "log-out", "log-io"],
      flags: ["append", "flush", "force", "quiet", "return"],
      scripts: ["c", "command"],
      operands: 1,
    },
  ],
  [
    "sem",
    {
      short: "jP",
      long: ["jobs", "id", "semaphorename", "semaphoretimeout", "max-procs"],
      flags: ["bg", "fg", "wait"],
      joined: true,
    },
  ],
  ["setarch", { operands: 1, also: PLAIN }],
  ["setsid", { flags: ["ctty", "fork", "wait"] }],
  ["sops", { next: { "exec-env": { operands: 1, joined: true } } }],
  ["srun", { short: "nNcptAJw", long: ["ntasks", "nodes", "partition", "time"], flags: ["pty"] }],
  ["ssh-agent", { short: "aEPt" }],
  ["stdbuf", { short: "ioe", long: ["input", "output", "error"] }],
  ["strace", { short: "abeEIoOpPsSuUX", long: ["trace", "output"], flags: ["follow-forks"] }],
  ["systemd-inhibit", { long: ["what", "who", "why", "mode"] }],
  ["taskset", { operands: 1, flags: ["cpu-list", "all-tasks"], idle: ["p", "pid"] }],
  [
    "time",
    {
      short: "fo",
      long: ["format", "output"],
      flags: ["append", "portability", "quiet", "verbose"],
    },
  ],
  ["timeout", TIMEOUT],
  ["tini", PLAIN],
  [
    "tmux",
    {
      short: "cfLST",
      next: {
        "display-popup": { short: "bcdehsSTtwxy", joined: true },
        "if-shell": { short: "t", each: true },
        new: TMUX_WINDOW,
        "new-session": TMUX_WINDOW,
        "new-window": TMUX_WINDOW,
        neww: TMUX_WINDOW,
        "pipe-pane": { short: "t", joined: true },
        "respawn-pane": { short: "cet", joined: true },
        "respawn-window": { short: "cet", joined: true },
        "run-shell": { short: "cdt", joined: true },
        run: { short: "cdt", joined: true },
        "send-keys": { short: "ctN", joined: true },
        send: { short: "ctN", joined: true },
        "split-window": TMUX_WINDOW,
        splitw: TMUX_WINDOW,
      },
    },
  ],
  ["torify", PLAIN],
  ["torsocks", { short: "aPu" }],
  ["toybox", PLAIN],
  ["unbuffer", PLAIN],
  [
    "vagrant",
    {
      next: {
        ssh: {
          short: "c",
          long: ["command"],
          scripts: ["c", "command"],
          elsewhere: true,
          operands: Infinity,
        },
      },
    },
  ],
  ["valgrind", { flags: ["leak-check", "track-origins"] }],
  [
    "watch",
    {
      short: "nq",
      long: ["interval", "equexit"],
      flags: ["beep", "chgexit", "color", "differences", "errexit", "exec", "no-title", "precise"],
      joined: true,
    },
  ],
  [
    "watchexec",
    { short: "ewfi", long: ["exts", "watch", "filter", "ignore"], flags: ["clear", "restart"] },
  ],
  ["winpty", PLAIN],
  ["wsl", { short: "du", long: ["distribution", "user", "exec"], after: ["--", "-e", "--exec"] }],
  ["x86_64", PLAIN],
  ["xterm", BEHIND_E],
  [
    "xvfb-run",
    {
      short: "efnpsw",
      long: ["server-args", "server-num", "error-file"],
      flags: ["auto-servernum"],
    },
  ],
  ...PACKAGE_WRAPPERS,
  ...SCRIPT_OPTIONS,
  ...USER_WRAPPERS,
]);
