import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ORCS = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/**
 * A machine: folders of its own, the configuration of its administrator, and `orcs serve`. `calls` runs one call after
 * another against it until it is stopped.
 */
export async function startMachine(folder, toml, files) {
  const env = {
    ...process.env,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_RUNTIME_DIR: join(folder, "run"),
    NO_COLOR: "1",
  };
  for (const each of ["config/orcs", "state", "run", "work"])
    mkdirSync(join(folder, each), { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries({ "orcs.toml": toml, ...files }))
    writeFileSync(join(folder, "config/orcs", name), text, { mode: 0o600 });
  const child = spawn(process.execPath, [ORCS, "serve", "--json"], {
    cwd: join(folder, "work"),
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (log += text));
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout });
  const [said] = await Promise.race([once(lines, "line"), ended.then(() => [undefined])]);
  if (said === undefined) throw new Error(`orcs serve has ended: ${log}`);
  const { socket } = JSON.parse(said);
  const ask = await openConnection(socket);
  return {
    /** The outcome of a call of a tool, as the service answers it; "dropped" without an answer. */
    call: (command) =>
      ask({
        v: 1,
        op: "dispatch",
        point: "tool.pre_execute",
        payload: { tool_name: "exec", args: { command } },
      }),
    log: () => log,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
    kill: () => child.kill("SIGKILL"),
  };
}

/** One connection; requests are answered in their order. */
async function openConnection(path) {
  const socket = connect(path);
  await once(socket, "connect");
  const waiting = [];
  createInterface({ input: socket }).on("line", (line) => waiting.shift()?.(JSON.parse(line)));
  const drop = () => {
    for (const resolve of waiting.splice(0)) resolve("dropped");
  };
  socket.on("error", drop);
  socket.on("close", drop);
  return (request) =>
    new Promise((resolve) => {
      if (socket.destroyed) return resolve("dropped");
      waiting.push(resolve);
      socket.write(`${JSON.stringify(request)}\n`);
    });
}
