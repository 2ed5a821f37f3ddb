import { once } from "node:events";
import { expect, it } from "vitest";
import { HookRig } from "../dist/hook-rig.ts";
import { served } from "../dist/processes.ts";

it("a service blocked by a module denies in time and is killed; the next event is handled without it", async () => {
  const rig = new HookRig({
    "orcs.toml":
      '[serve]\nauto = false\n[[hooks]]\npoint = "tool.pre_execute"\nmodule = "./check.mjs#check"\n',
    "check.mjs":
      'export const check = (ctx) => { if (ctx.payload.args.command === "loop") for (;;) {} };\n',
  });
  await rig.trust();
  const { child: service } = await served(rig.dir, rig.env);
  const ended = once(service, "exit");
  const before = await rig.command("claude-code", "ls");
  expect(before).toMatchObject({ code: 0, stdout: "" });
  const started = performance.now();
  const blocked = await rig.command("claude-code", "loop", { args: ["--timeout", "6"] });
  expect(blocked.stdout).toContain('"permissionDecision":"deny"');
  expect(blocked.stdout).toContain("and was ended");
  expect(performance.now() - started).toBeLessThan(9000);
  expect(await ended).toEqual([null, "SIGKILL"]);
  const after = await rig.command("claude-code", "ls");
  expect(after).toMatchObject({ code: 0, stdout: "" });
});

it("a service whose project does not load in time uses the user's own hooks", async () => {
  const rig = new HookRig({
    "orcs.toml":
      '[serve]\nauto = false\n[[hooks]]\npoint = "tool.pre_execute"\nmodule = "./check.mjs#check"\n',
    "check.mjs":
      "await new Promise(() => setInterval(() => 0, 1e6));\nexport const check = () => {};\n",
    "user/orcs/orcs.toml":
      '[[hooks]]\nid = "own"\npoint = "tool.pre_execute"\nmatch = { command = "rm" }\nhandler_inline = \'orcs.deny("mine")\'\n',
  });
  const env = { XDG_CONFIG_HOME: `${rig.dir}/user` };
  await rig.trust();
  await served(rig.dir, { ...rig.env, ...env });
  const own = await rig.command("claude-code", "rm x", { env });
  expect(own.stdout).toContain("denied by hook own: mine");
  const other = await rig.command("claude-code", "ls", { env });
  // The module, or all that is loaded: which limit is over first is a matter of milliseconds.
  expect(other.stdout).toMatch(/ORCS1018: .*engine\.load_ms|ORCS1021/);
  expect(other.stdout).toContain('"permissionDecision":"deny"');
});
