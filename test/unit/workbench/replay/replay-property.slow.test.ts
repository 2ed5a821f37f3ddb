import * as fc from "fast-check";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import { folder } from "../../engine/orcs/engine.ts";
import { replayed } from "./replay-rig.ts";

/** Handlers that do all that handlers do; `%d` is a number of their own. */
const HANDLERS = [
  'if ctx.payload.args.n == %d then return orcs.deny("n is " .. ctx.payload.args.n) end',
  'if ctx.payload.args.n ~= nil and ctx.payload.args.n > %d then return orcs.ask("big") end',
  "ctx.payload.args.seen = %d",
  "ctx.payload.args.list = { %d, { ctx.payload.args.n } }",
  "ctx.payload.args.n = nil",
  "ctx.metadata.left = %d",
  'return orcs.skip({ ok = true, n = orcs.state.incr("n", %d) })',
  'return orcs.inject("text " .. %d)',
  "return orcs.retry(%d)",
  'if ctx.depth == 0 then return orcs.inject(orcs.get("count", { by = %d }).n .. "") end',
  'if ctx.depth == 0 then ctx.payload.args.late = orcs.get("fails", { by = %d }).error end',
  'error("broken " .. %d)',
  "return { decision = 'allow', reason = 'as number ' .. %d }",
  'if orcs.state.incr("total", 1) %% 3 == 0 then return orcs.deny("every third") end',
  "return { action = 'replace', result = { ok = true, by = %d } }",
];
const POINTS = ["tool.pre_execute", "tool.post_execute", "prompt.pre_submit", "ui.on_status_line"];

const hook = fc.record({
  point: fc.constantFrom(...POINTS),
  handler: fc.constantFrom(...HANDLERS),
  number: fc.integer({ min: 0, max: 3 }),
  priority: fc.integer({ min: 0, max: 3 }),
  once: fc.boolean(),
  tool: fc.constantFrom(undefined, "exec", "re*"),
  on_error: fc.constantFrom(undefined, "open", "closed"),
});

const dispatched = fc.record({
  point: fc.constantFrom(...POINTS),
  tool: fc.constantFrom("exec", "read"),
  n: fc.integer({ min: 0, max: 4 }),
  extra: fc.jsonValue({ maxDepth: 2 }),
  component: fc.constantFrom("host::main", "lua::agent"),
});

function payloadOf({
  point,
  tool,
  n,
  extra,
}: {
  point: string;
  tool: string;
  n: number;
  extra: unknown;
}) {
  const args = { n, extra };
  if (point === "tool.pre_execute") return { tool_name: tool, args };
  if (point === "tool.post_execute") return { tool_name: tool, args, result: { ok: true, n } };
  return { prompt: `prompt ${n}`, args };
}

test("replaying a recording on the same hooks shows no difference, masked or whole", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(hook, { maxLength: 5 }),
      fc.array(dispatched, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (hooks, events, whole) => {
        const file = join(folder(), "record.jsonl");
        const config = {
          lua: { max_run_ms: 5000, max_chain_ms: 20_000 },
          hooks: hooks.map(({ point, handler, number, tool, ...more }, i) => ({
            id: `h${i}`,
            point,
            handler_inline: handler.replaceAll(/%%|%d/g, (word) =>
              word === "%%" ? "%" : `${number}`,
            ),
            ...(tool !== undefined && point.startsWith("tool.") && { match: { tool } }),
            ...more,
          })),
        };
        const quiet = { debug: none, info: none, warn: none, error: none };
        const orcs = await createOrcs({ config, record: { file, whole }, logger: quiet });
        let calls = 0;
        orcs.wrapTool("count", ({ by }: { by: number }) => ({ ok: true, n: (calls += by) }));
        orcs.wrapTool("fails", ({ by }: { by: number }) => {
          throw new Error(`broken tool ${by}`);
        });
        for (const event of events) {
          const { component } = event;
          await orcs.dispatch(event.point, payloadOf(event) as never, { component });
        }
        await orcs.close();
        const told = await replayed(file, config);
        expect(told).toEqual({
          events: events.length,
          differ: 0,
          not_compared: {},
          unenforced: [],
          differences: [],
          numbers: [],
        });
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);

function none(): void {
  // What hooks log is not looked at.
}
