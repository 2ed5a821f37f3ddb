import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { readLog } from "../../src/records/audit/read-log.ts";
import { verifyLog } from "../../src/records/audit/verify-log.ts";
import { ended, folder, ROOT } from "./orcs.ts";

const from = (file: string): string =>
  JSON.stringify(pathToFileURL(join(ROOT, "build", file)).href);

const OPEN = `
import { statSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { AuditLog } from ${from("records/audit/audit-log.js")};
import { verifyLog } from ${from("records/audit/verify-log.js")};
import { FileLock } from ${from("machine/files/file-lock.js")};
const [dir, options = "{}", ...rest] = process.argv.slice(2);
const lock = (path) => new FileLock(path);
const log = new AuditLog({ dir, lock, fsync: "never", maxBytes: 1 << 20, ...JSON.parse(options) });
`;

/** Appends so many, some of them together. */
const APPENDS = `${OPEN}
const [who, times] = rest;
for (let n = 0; n < Number(times); n += 2) {
  await Promise.all([log.append({ who, n }), log.append({ who, n: n + 1 })]);
}
await log.close();
`;

/** Appends until the file takes no more, tries again, makes room if there is any to make, and goes on. */
const FILLS = `${OPEN}
const path = dir + "/audit.jsonl";
let count = 0;
let error;
while (!error) await log.append({ n: count, filler: "x".repeat(300) }).then(() => count++, (e) => (error = e));
const size = statSync(path).size;
const codes = new Set();
const batch = Array.from({ length: 60 }, (_, i) => log.append({ batch: i, filler: "x".repeat(300) }));
for (const each of await Promise.allSettled(batch)) codes.add(each.reason?.code ?? "written");
const isWhole = readFileSync(path, "utf8").endsWith("}\\n");
const full = { same: statSync(path).size === size, isWhole, report: verifyLog(dir) };
const [filler] = rest;
if (filler) rmSync(filler);
const after = filler ? await log.append({ n: "after" }).then(() => "written", (e) => e.code) : "not tried";
process.stdout.write(JSON.stringify({
  count, code: error.code, message: error.message, codes: [...codes], full, after, end: verifyLog(dir),
}));
`;

interface Filled {
  readonly count: number;
  readonly code: string;
  readonly message: string;
  readonly codes: readonly string[];
  readonly full: { readonly same: boolean; readonly isWhole: boolean; readonly report: object };
  readonly after: string;
  readonly end: object;
}

/** Run a program under a command that starts it. */
async function run(program: string, args: readonly string[], under: readonly string[] = []) {
  const [file, ...first] = [...under, process.execPath];
  const child = spawn(file ?? "", [...first, "--input-type=module", "-", ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const { code, stdout, stderr } = await ended(child, program);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const can = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

describe("several processes that write one audit log", () => {
  test.each([
    ["in one file (A6)", { maxBytes: 1 << 20 }],
    ["in files that are set aside all the time", { maxBytes: 2000 }],
    ["the same, onto the disk", { maxBytes: 4000, fsync: "always" }],
  ])(
    "%s: one hash chain with each entry once",
    async (_what, options) => {
      const dir = folder();
      const all = ["a", "b", "c"];
      await Promise.all(all.map((who) => run(APPENDS, [dir, JSON.stringify(options), who, "200"])));
      const report = verifyLog(dir);
      expect(report).toMatchObject({ ok: true, damage: [], notes: [] });
      const entries = [...readLog(dir)].flatMap(({ record }) => (record?.["who"] ? [record] : []));
      for (const who of all) {
        const own = entries.filter((entry) => entry["who"] === who).map(({ n }) => n);
        expect(own).toEqual(Array.from({ length: 200 }, (_, i) => i));
      }
      if (options.maxBytes < 10_000) expect(report.files).toBeGreaterThan(30);
    },
    60_000,
  );

  test("that rotate and remove files concurrently: a valid chain", async () => {
    const dir = folder();
    const options = JSON.stringify({ maxBytes: 2000, keepBytes: 10_000 });
    await Promise.all(["a", "b", "c"].map((who) => run(APPENDS, [dir, options, who, "300"])));
    const notes = [
      expect.stringMatching(/^lines 1 to \d+ were removed by the rotation \(keep_mb\)$/),
    ];
    expect(verifyLog(dir)).toMatchObject({ ok: true, damage: [], notes, files: 5 });
  }, 60_000);
});

describe("an audit log without disk space", () => {
  test.runIf(can("prlimit", "--version"))(
    "at the file size limit a partial line is undone",
    async () => {
      const dir = folder();
      const text = await run(FILLS, [dir], ["prlimit", "--fsize=20000"]);
      const { count, code, message, codes, full, end } = JSON.parse(text) as Filled;
      expect([code, codes]).toEqual(["ORCS8005", ["ORCS8005"]]);
      expect(message).toContain("EFBIG");
      expect(count).toBeGreaterThan(20);
      expect(full).toMatchObject({
        same: true,
        isWhole: true,
        report: { ok: true, lines: count, notes: [] },
      });
      expect(end).toMatchObject({ ok: true });
      // Somebody else, whose files may grow, goes on.
      await run(APPENDS, [dir, "{}", "a", "2"]);
      expect(verifyLog(dir)).toMatchObject({ ok: true, lines: count + 2, notes: [] });
    },
  );

  const inNamespace = ["unshare", "-rm", "sh", "-c"] as const;
  const mounts = 'mount -t tmpfs -o size=128k none "$0"';
  test.runIf(can(...inNamespace, mounts, "/mnt"))(
    "on a full disk a partial line is undone, and writing continues when there is space",
    async () => {
      const mount = folder();
      const dir = join(mount, "log");
      const filler = join(mount, "filler");
      const under = [
        ...inNamespace,
        `${mounts} && mkdir "$1" && head -c 60000 /dev/zero > "$2" && shift 2 && exec "$@"`,
        mount,
        dir,
        filler,
      ];
      const text = await run(FILLS, [dir, "{}", filler], under);
      const { count, code, message, codes, full, after, end } = JSON.parse(text) as Filled;
      expect([code, codes, after]).toEqual(["ORCS8005", ["ORCS8005"], "written"]);
      expect(message).toContain("ENOSPC");
      expect(full).toMatchObject({
        same: true,
        isWhole: true,
        report: { ok: true, lines: count, notes: [] },
      });
      expect(end).toMatchObject({ ok: true, lines: count + 1, notes: [] });
    },
  );
});
