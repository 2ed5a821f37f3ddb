import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { PAYLOAD } from "./context.ts";
import { inlineEngine, scriptEngine } from "./engines.ts";
import { timings } from "./measure.ts";
import type { Row } from "./report.ts";
import { inside, newState, withBytes } from "./vm.ts";

const LOOP = `local n = 0 for i = 1, 10000 do n = n + i % 7 end`;

/** A hook that computes, against the same code in a bare state, which no limit watches. */
export async function loopRows(): Promise<Row[]> {
  const orcs = await inlineEngine([`function(ctx) ${LOOP} end`]);
  const raw = (await inside("wasm")).instantiateLua();
  const L = newState(raw);
  withBytes(raw, LOOP, (at, size) => raw.luaL_loadbufferx(L, at, size, at, 0));
  const [us, baseline] = (await timings([
    { name: "orcs", run: () => orcs.dispatch("tool.pre_execute", PAYLOAD) },
    {
      name: "bare",
      run: () => {
        raw.lua_pushvalue(L, 1);
        raw.lua_pcallk(L, 0, 0, 0, 0, 0);
      },
    },
  ])) as [number, number];
  await orcs.close();
  return [
    {
      key: "lua_loop_10000",
      what: "a loop of 10,000 steps, against one without limits",
      us,
      baseline,
      ratio: us / baseline,
    },
  ];
}

const BUSY = 8;
const GUARDS = [
  `function(ctx) if ctx.payload.args.command:find("push.*--force") then return orcs.deny("no") end end`,
  `function(ctx) if (ctx.payload.args.cwd or ""):find("^/etc") then return orcs.deny("no") end end`,
  `function(ctx) if #ctx.payload.args.command > 10000 then return orcs.ask("long") end end`,
];

/** Three guards with the usual limits, while others have the processors: what is refused is refused for time. */
export async function busyRows(): Promise<Row[]> {
  const thread = await scriptEngine(GUARDS);
  const worker = await inlineEngine(GUARDS, undefined, "worker");
  const others: ChildProcess[] = Array.from({ length: BUSY }, () =>
    spawn(process.execPath, ["-e", "for(;;);"], { stdio: "ignore" }),
  );
  const rows: Row[] = [];
  try {
    for (const [isolation, orcs, count] of [
      ["thread", thread, 300_000],
      ["worker", worker, 20_000],
    ] as const) {
      let refused = 0;
      const started = performance.now();
      for (let i = 0; i < count; i++) {
        const { action } = await orcs.dispatch("tool.pre_execute", PAYLOAD);
        if (action !== "continue") refused++;
      }
      const us = ((performance.now() - started) * 1000) / count;
      rows.push({
        key: "busy_refusals",
        what: `denied of ${count} on a busy machine, isolation = "${isolation}"`,
        us,
        ratio: refused,
      });
    }
  } finally {
    for (const other of others) other.kill("SIGKILL");
  }
  for (const orcs of [thread, worker]) await orcs.close();
  return rows;
}
