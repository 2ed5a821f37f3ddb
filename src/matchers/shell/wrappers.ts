import type { OptionSpec } from "./options.ts";

/** How the command that a program starts stands among its words. */
export interface Wrapper extends OptionSpec {
  /** Words between the options and the command. */
  readonly operands?: number;
  /** Whether `NAME=value` may stand before the command. */
  readonly assignments?: true;
  /** Whether the words are joined by spaces and given to a shell. */
  readonly joined?: true;
  /** Whether it runs in another place: with another working directory, without the variables of the line. */
  readonly elsewhere?: true;
  /** Whether the command stands after `--`, where there is one. */
  readonly afterDashes?: true;
  /** Options that have it run nothing. */
  readonly idle?: readonly string[];
  /** Options whose value is a script. */
  readonly scripts?: readonly string[];
  /** Options whose value is the working directory of the command. */
  readonly directory?: readonly string[];
  /** Options whose value is the program that runs; what follows are its arguments. */
  readonly entry?: readonly string[];
  /** Options with which, or whether always, a shell reads the standard input when no command is named. */
  readonly shell?: readonly string[] | true;
  /** Words, after the options, by which a wrapper follows. */
  readonly next?: Readonly<Record<string, Wrapper>>;
}

const CONTAINER_EXEC: Wrapper = {
  short: "euw",
  long: ["env", "env-file", "user", "workdir", "detach-keys", "index"],
  operands: 1,
  elsewhere: true,
};

const CONTAINER_RUN: Wrapper = {
  short: "acehlmpuvw",
  long: [
    "add-host",
    "annotation",
    "attach",
    "blkio-weight",
    "cap-add",
    "cap-drop",
    "cgroup-parent",
    "cgroupns",
    "cidfile",
    "cpu-period",
    "cpu-quota",
    "cpu-shares",
    "cpus",
    "cpuset-cpus",
    "detach-keys",
    "device",
    "dns",
    "domainname",
    "entrypoint",
    "env",
    "env-file",
    "expose",
    "gpus",
    "group-add",
    "health-cmd",
    "hostname",
    "ip",
    "ipc",
    "isolation",
    "label",
    "label-file",
    "link",
    "log-driver",
    "log-opt",
    "mac-address",
    "memory",
    "memory-swap",
    "mount",
    "name",
    "network",
    "network-alias",
    "pid",
    "pids-limit",
    "platform",
    "publish",
    "pull",
    "restart",
    "runtime",
    "security-opt",
    "shm-size",
    "stop-signal",
    "storage-opt",
    "sysctl",
    "tmpfs",
    "ulimit",
    "user",
    "userns",
    "volume",
    "volumes-from",
    "workdir",
  ],
  operands: 1,
  elsewhere: true,
  entry: ["entrypoint"],
};

const COMPOSE: Wrapper = {
  short: "fp",
  long: ["file", "project-name", "profile", "env-file", "project-directory", "ansi", "progress"],
  next: { exec: CONTAINER_EXEC, run: CONTAINER_RUN },
};

const DOCKER: Wrapper = {
  short: "cHl",
  long: ["config", "context", "host", "log-level", "tlscacert", "tlscert", "tlskey"],
  next: {
    exec: CONTAINER_EXEC,
    run: CONTAINER_RUN,
    container: { next: { exec: CONTAINER_EXEC, run: CONTAINER_RUN } },
    compose: COMPOSE,
  },
};

const PACKAGE_RUNNER: Wrapper = {
  short: "cpw",
  long: [
    "call",
    "package",
    "workspace",
    "filter",
    "registry",
    "cache",
    "dir",
    "loglevel",
    "prefix",
  ],
  scripts: ["c", "call"],
};

const PLAIN: Wrapper = {};

const KUBECTL_EXEC: Wrapper = {
  short: "cnf",
  long: ["container", "namespace", "filename", "pod-running-timeout", "context", "kubeconfig"],
  operands: 1,
  elsewhere: true,
  afterDashes: true,
};

const KUBECTL: Wrapper = {
  short: "ns",
  long: ["namespace", "context", "kubeconfig", "cluster", "user", "server", "token"],
  next: { exec: KUBECTL_EXEC, run: { ...KUBECTL_EXEC, long: ["image", "namespace", "restart"] } },
};

const SUDO: Wrapper = {
  short: "aCcDghpRrTtUu",
  long: [
    "auth-type",
    "close-from",
    "chdir",
    "group",
    "host",
    "login-class",
    "other-user",
    "prompt",
    "chroot",
    "role",
    "command-timeout",
    "type",
    "user",
  ],
  assignments: true,
  directory: ["D", "chdir"],
  idle: ["e", "edit", "K", "k", "l", "list", "V", "v", "validate"],
  shell: ["s", "shell", "i", "login"],
};

const SU: Wrapper = {
  short: "cgGsTw",
  long: [
    "command",
    "session-command",
    "group",
    "supp-group",
    "shell",
    "pty",
    "whitelist-environment",
  ],
  scripts: ["c", "command", "session-command"],
  idle: [],
  operands: 99,
};

/** Programs that run a command which stands among their words. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["arch", PLAIN],
  ["aws-vault", { next: { exec: { short: "drmt", operands: 1, afterDashes: true } } }],
  ["batch", { shell: true, operands: 99 }],
  ["at", { shell: true, short: "fqt", operands: 99 }],
  ["builtin", PLAIN],
  ["bundle", { next: { exec: PLAIN } }],
  ["bun", { next: { x: PLAIN } }],
  ["bunx", { short: "p", long: ["package"] }],
  ["busybox", PLAIN],
  ["caffeinate", { short: "tw" }],
  ["chroot", { long: ["userspec", "groups"], operands: 1, elsewhere: true }],
  ["chrt", { short: "TPD", operands: 1, idle: ["p", "pid"] }],
  ["command", { idle: ["v", "V"] }],
  ["conda", { next: { run: { short: "np", long: ["name", "prefix", "cwd"] } } }],
  ["corepack", PLAIN],
  ["cross-env", { assignments: true }],
  ["dbus-run-session", { long: ["config-file"] }],
  ["direnv", { next: { exec: { operands: 1 } } }],
  ["doas", { short: "aCu", idle: ["L"], shell: ["s"] }],
  ["docker", DOCKER],
  ["docker-compose", COMPOSE],
  ["dotenv", { short: "efpv", afterDashes: true }],
  ["eatmydata", PLAIN],
  ["entr", PLAIN],
  [
    "env",
    {
      short: "uCS",
      long: ["unset", "chdir", "split-string"],
      assignments: true,
      directory: ["C", "chdir"],
      idle: [],
    },
  ],
  ["exec", { short: "a" }],
  ["fakeroot", { short: "lsib" }],
  ["firejail", PLAIN],
  [
    "flock",
    {
      short: "cwE",
      long: ["command", "timeout", "wait", "conflict-exit-code"],
      scripts: ["c", "command"],
      operands: 1,
    },
  ],
  ["gdb", { short: "x", idle: [] }],
  [
    "hyperfine",
    {
      short: "wmMrpcPDLSu",
      long: ["warmup", "runs", "prepare", "cleanup", "setup", "export-json"],
      joined: true,
    },
  ],
  ["ionice", { short: "cnpPu", idle: ["p", "P", "u"] }],
  ["kubectl", KUBECTL],
  ["lxc", { next: { exec: { operands: 1, elsewhere: true, afterDashes: true } } }],
  ["ltrace", { short: "aAeEFlnosuwxp" }],
  ["mise", { next: { exec: { afterDashes: true }, x: { afterDashes: true } } }],
  ["nerdctl", DOCKER],
  ["nice", { short: "n", long: ["adjustment"] }],
  [
    "nix",
    {
      next: {
        develop: { scripts: [], short: "c", long: ["command"], entry: ["c", "command"] },
        shell: { entry: ["c", "command"], short: "c", long: ["command"] },
      },
    },
  ],
  [
    "nix-shell",
    { short: "pA", long: ["run", "command"], scripts: ["run", "command"], idle: [], operands: 99 },
  ],
  ["nohup", PLAIN],
  ["npm", { next: { exec: PACKAGE_RUNNER, x: PACKAGE_RUNNER } }],
  ["npx", PACKAGE_RUNNER],
  ["nsenter", { short: "tSG", elsewhere: true }],
  ["pdm", { next: { run: PLAIN } }],
  ["pipenv", { next: { run: PLAIN } }],
  ["pkexec", { long: ["user"] }],
  [
    "pnpm",
    { short: "CF", long: ["dir", "filter"], next: { exec: PACKAGE_RUNNER, dlx: PACKAGE_RUNNER } },
  ],
  ["pnpx", PACKAGE_RUNNER],
  ["podman", DOCKER],
  ["poetry", { short: "C", long: ["directory"], next: { run: PLAIN } }],
  ["proxychains", { short: "f" }],
  ["proxychains4", { short: "f" }],
  ["rbenv", { next: { exec: PLAIN } }],
  ["rlwrap", PLAIN],
  ["runuser", { ...SU, short: "cgGsTuw", long: [...(SU.long ?? []), "user"], operands: 0 }],
  ["rye", { next: { run: PLAIN } }],
  ["screen", { short: "cehpSst", idle: ["ls", "r", "x"] }],
  [
    "script",
    {
      short: "cEBIOTm",
      long: ["command", "echo", "log-out"],
      scripts: ["c", "command"],
      operands: 1,
    },
  ],
  ["setarch", { operands: 1 }],
  ["setpriv", { long: ["reuid", "regid", "groups", "inh-caps", "bounding-set", "securebits"] }],
  ["setsid", PLAIN],
  ["sg", { operands: 1, joined: true, short: "" }],
  ["stdbuf", { short: "ioe", long: ["input", "output", "error"] }],
  ["strace", { short: "abeEIoOpPsSuUX" }],
  ["su", SU],
  ["sudo", SUDO],
  [
    "systemd-run",
    {
      short: "EpuHM",
      long: [
        "unit",
        "property",
        "setenv",
        "slice",
        "uid",
        "gid",
        "working-directory",
        "description",
        "on-active",
        "on-calendar",
        "timer-property",
      ],
    },
  ],
  ["systemd-inhibit", PLAIN],
  ["taskset", { operands: 1, idle: ["p", "pid"] }],
  ["time", { short: "fo", long: ["format", "output"] }],
  ["timeout", { short: "ks", long: ["kill-after", "signal"], operands: 1 }],
  ["gtimeout", { short: "ks", long: ["kill-after", "signal"], operands: 1 }],
  [
    "tmux",
    {
      short: "cfLST",
      next: {
        new: { short: "censtFxy", joined: true },
        "new-session": { short: "censtFxy", joined: true },
        neww: { short: "ceFnt", joined: true },
        "new-window": { short: "ceFnt", joined: true },
        "split-window": { short: "celFt", joined: true },
        "run-shell": { short: "cdt", joined: true },
        "send-keys": { short: "ctN", joined: true },
      },
    },
  ],
  ["torify", PLAIN],
  ["torsocks", PLAIN],
  ["toybox", PLAIN],
  ["unbuffer", PLAIN],
  ["unshare", { short: "SG" }],
  [
    "uv",
    {
      next: {
        run: {
          short: "p",
          long: ["python", "with", "project", "directory", "extra", "group", "package", "env-file"],
        },
        tool: { next: { run: { short: "p", long: ["from", "with", "python"] } } },
      },
    },
  ],
  ["uvx", { short: "p", long: ["from", "with", "python"] }],
  ["valgrind", PLAIN],
  [
    "vagrant",
    {
      next: {
        ssh: {
          short: "c",
          long: ["command"],
          scripts: ["c", "command"],
          elsewhere: true,
          operands: 99,
        },
      },
    },
  ],
  ["watch", { short: "nq", long: ["interval", "equexit"], joined: true }],
  ["xvfb-run", { short: "efnpsw", long: ["server-args", "server-num", "error-file"] }],
  ["yarn", { next: { exec: PLAIN, dlx: { short: "p", long: ["package"] } } }],
]);
