import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endServices, installed, NPM_INSTALL, packed, put, run } from "./machine.ts";
import { modelServer } from "./model-server.ts";
import type { Program } from "./programs.ts";

const TOKEN = "sk-live-0123456789abcdef";
const CONFIG = `
enforced = true

[[hooks]]
id = "no-pwned"
point = "tool.pre_execute"
match = { tool = "exec", command = "pwned" }
handler_inline = 'orcs.deny("no pwned files, please")'

[[hooks]]
id = "mask"
point = "tool.post_execute"
match = { tool = "exec", command = "token" }
handler_inline = '''
local masked = orcs.json_encode(ctx.payload.result):gsub("sk%-live%-%w+", "MASKED")
return orcs.replace(orcs.json_decode(masked))
'''
`;

/** The user of the sessions; root installs. */
const USER = 4242;
/** Programs with another root: a folder in place of /etc, for this process and what it starts. */
const WITH_ETC = 'mount --bind "$0" /etc && exec "$@"';

/**
 * Install orcs in the settings that a program reads for all users of a machine, and run sessions as a user who has none
 * of orcs. The machine is a mount namespace with an /etc of its own.
 * @returns what must hold, and whether it does
 */
export async function everybodys(name: string, program: Program, folder: string) {
  const { bin, node } = installed(program, folder);
  const root = mkdtempSync(join(tmpdir(), `orcs-live-everybody-${name}-`));
  chmodSync(root, 0o755);
  const [etc, opt, home, project] = ["etc", "opt", "home", "project"].map((each) =>
    join(root, each),
  ) as [string, string, string, string];
  cpSync("/etc", etc, { recursive: true, verbatimSymlinks: true });
  put(
    join(etc, "passwd"),
    `${readFileSync("/etc/passwd", "utf8")}dev:x:${USER}:${USER}::${home}:/bin/sh\n`,
  );
  put(join(etc, "orcs/orcs.toml"), CONFIG);
  put(join(opt, "package.json"), "{}");
  execFileSync("npm", [...NPM_INSTALL, packed(root)], { cwd: opt, stdio: "ignore" });
  const orcs = join(opt, "node_modules/.bin/orcs");

  const path = process.env["PATH"] ?? "";
  const asRoot = { PATH: path, HOME: join(root, "root"), SHELL: "/bin/sh" };
  const inside = (args: readonly string[]) => ["--mount", "sh", "-c", WITH_ETC, etc, ...args];
  const administer = (verb: string) => {
    const args = inside([orcs, verb, "--host", name, "--machine", "--yes"]);
    const { status, stdout, stderr } = spawnSync("unshare", args, {
      cwd: root,
      env: asRoot,
      encoding: "utf8",
    });
    return { status, said: stdout + stderr };
  };
  const { everybody } = program;
  const installedAll = administer("install");
  if (everybody === undefined) {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    return {
      "orcs says that it knows no settings of it for a whole machine":
        installedAll.status !== 0 && installedAll.said.includes("for a whole machine"),
    };
  }
  const file = join(etc, everybody.file);
  const findings: Record<string, boolean> = {
    [`orcs install --machine wrote /etc/${everybody.file}`]:
      installedAll.status === 0 && existsSync(file) && statSync(file).uid === 0,
  };

  const ownFile = (path: string, text: string): void => put(join(home, path), text);
  for (const each of [home, project, join(root, "run")]) mkdirSync(each, { mode: 0o700 });
  for (const [path, text] of Object.entries(program.home)) ownFile(path, text);
  put(join(project, "token.txt"), `token=${TOKEN}\n`);
  /** One session of the user, in which the model runs these commands. */
  const play = async (commands: readonly string[]) => {
    const script = [...commands.map((command) => program.shell(command)), { text: "finished" }];
    const model = await modelServer(script, program.speak, program.position);
    for (const [path, text] of Object.entries(program.project?.(model.url) ?? {})) {
      put(join(project, path), text);
    }
    for (const each of [home, project, join(root, "run")]) own(each);
    const env = {
      PATH: node === undefined ? path : `${node}:${path}`,
      HOME: home,
      USER: "dev",
      SHELL: "/bin/sh",
      XDG_RUNTIME_DIR: join(root, "run"),
      ...program.env(model.url),
    };
    const as = ["setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];
    const args = inside([...as, bin, ...program.args(model.url)]);
    const { code, output } = await run("unshare", args, project, env);
    await model.close();
    put(join(root, `session-${commands.length}.txt`), output);
    const ended = code === 0 && model.requests.length === script.length;
    return { said: model.requests.join("\n"), ended, code };
  };

  const first = await play(["touch pwned", "cat token.txt"]);
  const pwned = join(project, "pwned");
  Object.assign(findings, {
    [`the session of a user without entries ended by itself (exit ${first.code})`]: first.ended,
    "a denied command did not run": !existsSync(pwned),
    "the model was told why, and whose policy it is":
      first.said.includes("no pwned files, please") && first.said.includes("of this machine"),
    "a masked result reached the model masked":
      first.said.includes("MASKED") && !first.said.includes(TOKEN),
  });
  const { off } = everybody;
  ownFile(off.file, off.text);
  const second = await play(["touch pwned"]);
  findings[
    `with ${off.what} in the user's settings, the command ${off.ends ? "ran" : "did not run"}`
  ] = second.ended && existsSync(pwned) === off.ends;
  rmSync(pwned, { force: true });
  const removed = administer("uninstall");
  findings["orcs uninstall --machine left nothing"] = removed.status === 0 && !existsSync(file);
  endServices(home);
  if (Object.values(findings).every(Boolean))
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  else process.stdout.write(`kept for a look: ${root}\n${installedAll.said}\n`);
  return findings;
}

/** Whether this process can be such a machine: it needs to be root. */
export function canBeAMachine(): boolean {
  return process.getuid?.() === 0 && spawnSync("unshare", ["--mount", "true"]).status === 0;
}

/** Make a folder with everything in it the user's. */
function own(folder: string): void {
  execFileSync("chown", ["-R", `${USER}:${USER}`, folder]);
}
