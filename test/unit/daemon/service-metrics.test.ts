import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { array, assert, double, property, string } from "fast-check";
import { Histogram, Metric } from "../../../src/daemon/service/metrics.ts";
import { GUARD, http, preToolUse, serviceRig } from "./service-rig.ts";

/** The samples of a text in Prometheus's format, by name and labels; throws at what is no line of it. */
function samples(text: string): Record<string, number> {
  expect(text.endsWith("\n")).toBe(true);
  const found: Record<string, number> = {};
  const typed = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    const [, kind, named = ""] = /^# (HELP|TYPE) (\S+) \S/.exec(line) ?? [];
    if (kind === "TYPE") typed.add(named);
    if (kind !== undefined) continue;
    const [, name = "", labels = "", value = ""] =
      /^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\})? (\S+)$/.exec(line) ?? [];
    const isTyped = typed.has(name) || typed.has(name.replace(/_(bucket|sum|count)$/, ""));
    const isNew = !Object.hasOwn(found, `${name}${labels}`);
    // One check for each of thousands of lines.
    if (name === "" || !isTyped || !isNew || !Number.isFinite(Number(value)))
      throw new Error(`no sample: ${line}`);
    found[`${name}${labels}`] = Number(value);
  }
  return found;
}

test("service metrics count requests, decisions and failures", async () => {
  const rig = await serviceRig(
    {
      "orcs.toml": `${GUARD}
[[hooks]]
id = "it \\"fails\\"\\\\ \\n"
point = "tool.post_execute"
handler_inline = "error('x')"
`,
    },
    { port: 0 },
  );
  const post = (path: string, body: unknown) => http(rig, path, { body: JSON.stringify(body) });
  const scrape = async () => samples((await http(rig, "/metrics", { method: "GET" })).body);
  const reply = await http(rig, "/metrics", { method: "GET" });
  expect(reply.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  // Two of them are self-guard's.
  expect(await scrape()).toMatchObject({ orcs_hooks: 4, orcs_dispatch_duration_seconds_count: 0 });

  await post("/hooks/claude-code", preToolUse("x --force"));
  await post("/hooks/claude-code", preToolUse("ls"));
  await post("/hooks/codex", {});
  await post("/v1/dispatch", {
    point: "tool.post_execute",
    payload: { tool_name: "x", args: {}, result: 1, elapsed_ms: 1 },
  });
  const after = await scrape();
  expect(after).toMatchObject({
    'orcs_dispatches_total{point="tool.pre_execute",action="abort"}': 1,
    'orcs_dispatches_total{point="tool.pre_execute",action="continue"}': 1,
    'orcs_dispatches_total{point="tool.post_execute",action="continue"}': 1,
    'orcs_hook_runs_total{hook="guard",action="abort"}': 1,
    'orcs_hook_runs_total{hook="guard",action="continue"}': 1,
    [String.raw`orcs_hook_failures_total{hook="it \"fails\"\\ \n"}`]: 1,
    'orcs_host_events_total{host="claude-code"}': 2,
    'orcs_host_events_total{host="codex"}': 1,
    orcs_host_event_duration_seconds_count: 3,
    orcs_dispatch_duration_seconds_count: 3,
    'orcs_dispatch_duration_seconds_bucket{le="+Inf"}': 3,
  });
  expect(after["orcs_uptime_seconds"]).toBeGreaterThan(0);

  writeFileSync(join(rig.dir, "orcs.toml"), "[[hooks]]");
  await expect
    .poll(scrape, { timeout: 10_000 })
    .toHaveProperty(['orcs_reloads_total{result="failed"}'], 1);
  writeFileSync(join(rig.dir, "orcs.toml"), GUARD);
  await expect.poll(scrape, { timeout: 10_000 }).toMatchObject({ orcs_hooks: 3 });
  expect(await scrape()).toHaveProperty(['orcs_reloads_total{result="ok"}']);
});

describe("Prometheus text format", () => {
  test("escapes any label value", () => {
    assert(
      property(array(string({ unit: "binary" }), { maxLength: 20 }), (hooks) => {
        const metric = new Metric("counter", "m_total", "Counts.", ["hook"]);
        for (const hook of hooks) metric.add([hook]);
        const values = Object.values(samples(`${metric.lines().join("\n")}\n`));
        expect(values).toHaveLength(new Set(hooks).size);
        expect(values.reduce((sum, value) => sum + value, 0)).toBe(hooks.length);
      }),
    );
  });

  test("limits the number of series without losing counts", () => {
    const metric = new Metric("counter", "m_total", "Counts.", ["hook", "action"]);
    for (let i = 0; i < 5000; i++) metric.add([`h${i}`, "continue"]);
    metric.add(["h0", "continue"]);
    const found = samples(`${metric.lines().join("\n")}\n`);
    expect(Object.keys(found)).toHaveLength(1001);
    expect(found['m_total{hook="other",action="other"}']).toBe(4000);
    expect(found['m_total{hook="h0",action="continue"}']).toBe(2);
  });

  test("counts values in histogram buckets", () => {
    const bounds = [0.1, 1, 10];
    assert(
      property(array(double({ min: 0, max: 100, noNaN: true })), (values) => {
        const histogram = new Histogram("h_seconds", "Times.", bounds);
        for (const value of values) histogram.observe(value);
        const found = samples(`${histogram.lines().join("\n")}\n`);
        for (const bound of [...bounds, Infinity]) {
          const le = bound === Infinity ? "+Inf" : bound;
          const below = values.filter((value) => value <= bound).length;
          expect(found[`h_seconds_bucket{le="${le}"}`]).toBe(below);
        }
        expect(found["h_seconds_count"]).toBe(values.length);
      }),
    );
  });
});
