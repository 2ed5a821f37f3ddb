import { createRig } from "../unit/engine/lua/rig.ts";
import type { Rig, RigOptions } from "../unit/engine/lua/rig.ts";
import type { Attack, AttackCall, AttackReport, CallReport } from "./attack.ts";
import { VmProbe } from "./vm-probe.ts";
import { PooledLayer, WorkerPool } from "./worker-pool.ts";

// Runs in a child process: carries out the attacks it is sent, and reports.

const probe = new VmProbe(true);
const pool = new WorkerPool();

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
    ...(attack.isolation === "worker" && { layer: (ports) => pool.take(ports) }),
  };
  const rig = await createRig(options);
  await rig.load(BYSTANDER, "bystander.lua");
  const refused: string[] = [];
  const began = process.cpuUsage();
  for (const script of attack.scripts) {
    const { name, code, kind } =
      typeof script === "string" ? { name: undefined, code: script, kind: undefined } : script;
    try {
      await rig.load(code, name, kind);
    } catch (thrown) {
      refused.push(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  const loadMs = cpuMs(began);
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
  const lost = await pool.lost();
  const seen = lost.length > 0 ? { harm: [], vmBytes: 0 } : await lookAt(rig);
  await rig.layer.close();
  return {
    refused,
    loadMs,
    calls,
    logs: rig.logs,
    output: rig.output,
    bystander: asked.action === "continue" && asked.ctx.payload["prompt"] === "STILL HERE",
    lost,
    ...seen,
  };
}

/** What has become of the threads and of the VM. */
async function lookAt({ layer }: Rig): Promise<Pick<AttackReport, "harm" | "vmBytes">> {
  if (!(layer instanceof PooledLayer)) return { harm: [probe.harm()], vmBytes: probe.vmBytes() };
  const harm = [probe.harm(), await layer.ask("harm")];
  return { harm, vmBytes: await layer.ask("vmBytes") };
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

async function run(rig: Rig, call: AttackCall): Promise<CallReport> {
  const point = call.point ?? "tool.pre_execute";
  const payload = point.startsWith("tool.")
    ? { tool_name: "exec", args: call.payload ?? {} }
    : (call.payload ?? {});
  const began = process.cpuUsage();
  const outcome = await rig.dispatch(point, payload);
  return {
    action: outcome.action,
    ...("reason" in outcome && { reason: outcome.reason }),
    ...("result" in outcome && { result: outcome.result }),
    payload: outcome.ctx.payload,
    ms: cpuMs(began),
  };
}
