import { LuaVm } from "../../src/lua/vm.ts";
import { createRig } from "../unit/lua/rig.ts";
import type { Rig, RigOptions } from "../unit/lua/rig.ts";
import type { Attack, AttackCall, AttackReport, CallReport } from "./attack.ts";

// Runs in a child process: carries out the attacks it is sent, and reports.

// One VM serves all attacks of this process, so that each shows what those before have left of it.
let vm: LuaVm | undefined;
const create = LuaVm.create.bind(LuaVm);
LuaVm.create = async () => (vm ??= await create());

const BYSTANDER = `orcs.hook{ point = "prompt.pre_submit", handler = function(ctx)
  assert(getmetatable(_G) == nil and tostring(12) == "12" and #ctx.payload.list == 3)
  ctx.payload.prompt = string.upper(ctx.payload.prompt)
end }`;

process.on("message", (attack: Attack) => {
  carryOut(attack).then(
    (report) => process.send?.(report),
    (thrown: unknown) => {
      throw thrown;
    },
  );
});

async function carryOut(attack: Attack): Promise<AttackReport> {
  const options: RigOptions = {
    ...(attack.limits && { limits: attack.limits }),
    ...(attack.onError && { onError: attack.onError }),
    ...(attack.timeoutMs !== undefined && { timeoutMs: attack.timeoutMs }),
    ...(attack.modules && { modules: attack.modules }),
  };
  const rig = await createRig(options);
  rig.script(BYSTANDER, "bystander.lua");
  const refused: string[] = [];
  const began = performance.now();
  for (const script of attack.scripts) {
    const { name, code, kind } =
      typeof script === "string" ? { name: undefined, code: script, kind: undefined } : script;
    try {
      rig.script(code, name, kind);
    } catch (thrown) {
      refused.push(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  const loadMs = performance.now() - began;
  const calls: CallReport[] = [];
  for (const call of attack.calls ?? [{}]) {
    calls.push(
      ...(await Promise.all(Array.from({ length: call.times ?? 1 }, () => run(rig, call)))),
    );
  }
  const asked = await rig.dispatch("prompt.pre_submit", {
    prompt: "still here",
    list: [1, null, 3],
  });
  rig.layer.close();
  return {
    refused,
    loadMs,
    calls,
    logs: rig.logs,
    output: rig.output,
    bystander: asked.action === "continue" && asked.ctx.payload["prompt"] === "STILL HERE",
    polluted: ({} as Record<string, unknown>)["polluted"],
    exitCode: process.exitCode,
    vmBytes: vm?.raw.HEAPU8.length ?? 0,
  };
}

async function run(rig: Rig, call: AttackCall): Promise<CallReport> {
  const point = call.point ?? "tool.pre_execute";
  const payload = point.startsWith("tool.")
    ? { tool_name: "exec", args: call.payload ?? {} }
    : (call.payload ?? {});
  const began = performance.now();
  const outcome = await rig.dispatch(point, payload);
  return {
    action: outcome.action,
    ...("reason" in outcome && { reason: outcome.reason }),
    ...("result" in outcome && { result: outcome.result }),
    payload: outcome.ctx.payload,
    ms: performance.now() - began,
  };
}
