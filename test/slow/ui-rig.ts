import { spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { folder, PATIENT, ROOT } from "../dist/orcs.ts";
import { ask, dispatchAt, serving, surroundings, trustedByServices } from "../dist/service.ts";

/** A guard in a script of its own, and hooks that do something else. */
export const GUARDED = {
  "hooks/no-force.lua": `-- Nobody's work is lost.
return {
  id = "no-force",
  point = "tool.pre_execute",
  match = { tool = "exec" },
  handler = function(ctx)
    local command = ctx.payload.args.command
    if command:find("--force", 1, true) then return orcs.deny("a force push loses work") end
  end,
}
`,
  "orcs.toml": `${PATIENT}
[[hooks]]
script = "hooks/no-force.lua"

[[hooks]]
id = "short-log"
point = "tool.pre_execute"
match = { tool = "exec", command = '^git log' }
handler_inline = 'ctx.payload.args.command = ctx.payload.args.command .. " -n 20"; return ctx'

[[hooks]]
id = "no-remote"
priority = 1
point = "tool.pre_execute"
mode = "audit"
match = { tool = "exec", command = '^git push' }
handler_inline = 'return orcs.deny("not to a remote")'

[[hooks]]
id = "only-writes"
point = "tool.pre_execute"
match = { tool = "write" }
handler_inline = 'return orcs.ask("really?")'
`,
};

export interface Ui {
  readonly dir: string;
  readonly url: string;
  readonly port: number;
  readonly service: Awaited<ReturnType<typeof serving>>;
  /** Run the hooks on a call, in the service. */
  call(args: object, more?: object): Promise<Readonly<Record<string, unknown>>>;
}

/** A service, and `orcs ui` beside it; both are gone after the test. */
export async function startUi(files: Readonly<Record<string, string>> = GUARDED): Promise<Ui> {
  const dir = folder(files);
  await trustedByServices(dir);
  const service = await serving(dir);
  const ui = spawn(process.execPath, [join(ROOT, "dist/cli/main.js"), "ui", "--json"], {
    cwd: dir,
    env: { ...process.env, ...surroundings(dir) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void ui.kill("SIGKILL"));
  const text = await new Promise<string>((resolve, reject) => {
    let out = "";
    ui.stdout.setEncoding("utf8").on("data", (part: string) => {
      out += part;
      if (out.includes("\n")) resolve(out);
    });
    ui.on("close", (code) => reject(new Error(`orcs ui ended with ${code}`)));
  });
  const { url, port } = JSON.parse(text) as { url: string; port: number };
  return {
    dir,
    url,
    port,
    service,
    call: async (args, more = {}) => {
      const request = dispatchAt(dir, args);
      const payload = { ...request.payload, ...more };
      return JSON.parse(await ask(service.at.socket, { ...request, payload })) as never;
    },
  };
}
