import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { LiveLines } from "../../../src/cli/run.ts";
import { createOrcs } from "../../../src/engine/create-orcs.ts";

async function rig(isTTY: boolean) {
  const output = Object.assign(new PassThrough(), { isTTY });
  let written = "";
  output.on("data", (chunk: Buffer) => (written += chunk.toString()));
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const orcs = await createOrcs({ config: false, logger, trace: true });
  const live = new LiveLines(output);
  live.follow(orcs.events);
  // eslint-disable-next-line no-control-regex
  const plain = (): string => written.replaceAll(/\u001B\[\d+m/g, "");
  return { orcs, live, plain };
}

describe("live lines", () => {
  test("show one line per hook that acted", async () => {
    const { orcs, live, plain } = await rig(true);
    orcs.hook({ id: "looks", point: "tool.pre_execute", handler: () => undefined });
    orcs.hook({
      id: "edits",
      point: "tool.pre_execute",
      handler: (ctx) => void (ctx.payload.args["x"] = 1),
    });
    orcs.hook({
      id: "breaks",
      point: "tool.pre_execute",
      onError: "open",
      handler: () => {
        throw new Error("oh\u001B[31m");
      },
    });
    orcs.hook({
      id: "refuses",
      point: "tool.pre_execute",
      handler: () => ({ action: "abort", reason: "no\nway" }),
    });
    await orcs.get("read", "x");
    live.stop();
    expect(plain().split("\n")).toEqual([
      "tool.pre_execute  edits  changed /payload/args/x",
      "tool.pre_execute  breaks  failed: oh\\x1b[31m",
      String.raw`tool.pre_execute  refuses  abort: no\nway`,
      "",
    ]);
    await orcs.close();
  });

  test("show a slow call while it runs, but not during an approval question", async () => {
    const { orcs, live, plain } = await rig(true);
    let go = (): void => undefined;
    const slow = orcs.wrapTool("slow", () => new Promise<void>((resolve) => (go = resolve)));
    const running = slow();
    await vi.waitFor(() => expect(plain()).toMatch(/slow \d s/), 10_000);
    await live.pausedDuring(async () => {
      const before = plain();
      await wait(300);
      expect(plain()).toBe(before);
    });
    go();
    await running;
    expect(plain().endsWith("\r\u001B[K")).toBe(true);
    await orcs.close();
  });

  test("show nothing without a terminal", async () => {
    const { orcs, plain } = await rig(false);
    orcs.hook({ point: "tool.pre_execute", handler: () => ({ action: "abort", reason: "no" }) });
    await orcs.get("read", "x");
    expect(plain()).toBe("");
    await orcs.close();
  });
});
