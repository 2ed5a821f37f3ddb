import {
  appendFileSync,
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrcs } from "orcs";
import type { Orcs } from "orcs";
import { PAYLOAD } from "./context.ts";
import { timings } from "./measure.ts";
import type { Row } from "./report.ts";

/** Entries that are appended in one turn of the event loop. */
const MANY = 1000;
const MAX_BYTES = 64 << 20;
const HASH = "0123456789abcdef".repeat(4);
/** As one of a refused call is. */
const ENTRY = {
  kind: "dispatch",
  point: "tool.pre_execute",
  component: "host::main",
  action: "abort",
  tool: "exec",
  hook: "no-force-push",
  source: "hooks/guard.lua:3",
  script: HASH,
  config: HASH,
  input: `sha256:${HASH}`,
  reason: "a force push loses work of others",
  duration_ms: 0.42,
};
const LINE = Buffer.from(
  `${JSON.stringify({ v: 1, seq: 1, time: new Date(0), pid: 1, ...ENTRY, prev: HASH, hash: HASH })}\n`,
);

interface Log {
  append(entry: object): Promise<void>;
  close(): Promise<void>;
}

/** What a line of the audit log costs, against one that is merely written; and one that is not. */
export async function auditRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "orcs-bench-"));
  try {
    return [...(await appendRows(folder)), await lineRow(folder), ...(await dispatchRows(folder))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function appendRows(folder: string): Promise<Row[]> {
  const [never, interval, always] = await Promise.all(
    ["never", "interval", "always"].map((fsync) => open(join(folder, fsync), fsync)),
  );
  if (!never || !interval || !always) throw new Error("no log");
  const plain = join(folder, "plain");
  const synced = openSync(join(folder, "synced"), "a");
  const thousand = (log: Log) => () =>
    Promise.all(Array.from({ length: MANY }, () => log.append(ENTRY)));
  const [written, onDisk, lone, loneInterval, loneAlways, many, manyAlways] = (await timings([
    { name: "appendFileSync", run: () => appendFileSync(plain, LINE) },
    {
      name: "fdatasync",
      run: () => {
        writeSync(synced, LINE);
        fdatasyncSync(synced);
      },
    },
    { name: "never", run: () => never.append(ENTRY) },
    { name: "interval", run: () => interval.append(ENTRY) },
    { name: "always", run: () => always.append(ENTRY) },
    { name: "many", run: thousand(never) },
    { name: "many always", run: thousand(always) },
  ])) as [number, number, number, number, number, number, number];
  closeSync(synced);
  for (const log of [never, interval, always]) await log.close();
  const row = (key: string, what: string, us: number, baseline: number): Row => ({
    key,
    what,
    us,
    baseline,
    ratio: us / baseline,
  });
  const each = `of ${MANY.toLocaleString("en")} at once, each`;
  return [
    row("audit_lone", "a line of the audit log against appendFileSync", lone, written),
    row("audit_lone_interval", "the same, fsync interval", loneInterval, written),
    row("audit_many", `the same, ${each}`, many / MANY, written),
    row("audit_lone_always", "fsync always against a write with fdatasync", loneAlways, onDisk),
    row("audit_many_always", `the same, ${each}`, manyAlways / MANY, onDisk),
  ];
}

/** Processor time of a line by itself with the default policy, against a bare write of as many bytes. */
async function lineRow(folder: string): Promise<Row> {
  const log = await open(join(folder, "line"), "interval");
  const plain = openSync(join(folder, "bare"), "a");
  const us = await cpuTime(() => log.append(ENTRY));
  const baseline = await cpuTime(() => writeSync(plain, LINE));
  closeSync(plain);
  await log.close();
  const what = "processor time of a single line, fsync interval, against writeSync";
  return { key: "audit_line_us", what, us, baseline, ratio: us / baseline, absolute: us };
}

/** Microseconds of processor time a call, the best of several rounds. */
async function cpuTime(run: () => unknown): Promise<number> {
  const count = 2000;
  let best = Infinity;
  for (let round = 0; round < 15; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < count; i++) await run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / count);
  }
  return best;
}

/** A dispatch that goes on is not written; one that is refused is. */
async function dispatchRows(folder: string): Promise<Row[]> {
  const off = await engine();
  const on = await engine(join(folder, "engine"));
  const goOn = (orcs: Orcs) => () => orcs.dispatch("tool.pre_execute", PAYLOAD);
  const refused = { ...PAYLOAD, args: { ...PAYLOAD.args, command: "git push --force" } };
  const refuse = (orcs: Orcs) => () => orcs.dispatch("tool.pre_execute", refused);
  const [passed, passedLogged, denied, deniedLogged] = (await timings([
    { name: "goes on", run: goOn(off) },
    { name: "goes on, log", run: goOn(on) },
    { name: "refused", run: refuse(off) },
    { name: "refused, log", run: refuse(on) },
  ])) as [number, number, number, number];
  for (const orcs of [off, on]) await orcs.close();
  return [
    {
      key: "audit_continue",
      what: "a dispatch that continues, with an audit log against without",
      us: passedLogged,
      baseline: passed,
      ratio: passedLogged / passed,
    },
    {
      key: "audit_refuse",
      what: "a dispatch that is denied, with an audit log against without",
      us: deniedLogged,
      baseline: denied,
      ratio: deniedLogged / denied,
    },
  ];
}

function engine(auditDir: string | false = false): Promise<Orcs> {
  const handler_inline =
    'if ctx.payload.args.command:find("--force", 1, true) then return orcs.deny("no") end';
  return createOrcs({
    auditDir,
    config: { hooks: [{ point: "tool.pre_execute", handler_inline }] },
  });
}

/** A log as the host opens it: it is no part of what the package exports. */
async function open(dir: string, fsync: string): Promise<Log> {
  const from = (file: string): string => new URL(`../../build/${file}`, import.meta.url).href;
  const { AuditLog } = (await import(from("records/audit/audit-log.js"))) as {
    AuditLog: new (options: object) => Log;
  };
  const { FileLock } = (await import(from("machine/files/file-lock.js"))) as {
    FileLock: new (path: string) => object;
  };
  const lock = (path: string): object => new FileLock(path);
  return new AuditLog({ dir, lock, fsync, maxBytes: MAX_BYTES });
}
