import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrcs } from "orcs";
import type { CreateOrcsOptions, Orcs } from "orcs";
import { CONTEXT, PAYLOAD } from "./context.ts";
import { timings } from "./measure.ts";
import type { Row } from "./report.ts";

/** What a record costs a dispatch with one hook, held against `JSON.stringify` of its context. */
export async function recordingRows(): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  const plain = await engine(undefined);
  const masked = await engine(join(dir, "masked.jsonl"));
  const whole = await engine({ file: join(dir, "whole.jsonl"), whole: true });
  const [none, withMask, withAll, floor] = (await timings([
    { name: "plain", run: () => plain.dispatch("tool.pre_execute", PAYLOAD) },
    { name: "masked", run: () => masked.dispatch("tool.pre_execute", PAYLOAD) },
    { name: "whole", run: () => whole.dispatch("tool.pre_execute", PAYLOAD) },
    { name: "JSON", run: () => JSON.stringify(CONTEXT) },
  ])) as [number, number, number, number];
  for (const orcs of [plain, masked, whole]) await orcs.close();
  rmSync(dir, { recursive: true });
  const row = (key: string, what: string, us: number): Row => ({
    key,
    what,
    us: us - none,
    baseline: floor,
    ratio: (us - none) / floor,
  });
  return [
    row("record_whole", "recording a dispatch against JSON.stringify of it", withAll),
    row("record_masked", "the same, secrets masked", withMask),
  ];
}

async function engine(record: CreateOrcsOptions["record"]): Promise<Orcs> {
  const orcs = await createOrcs({ config: false, record });
  orcs.on("tool.pre_execute", (ctx) => void ctx.payload.args);
  return orcs;
}
