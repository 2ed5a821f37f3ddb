import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { codesOf, recorder, rig } from "./rig.ts";

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

test("a request answered while its target ends leaves no listener behind", async () => {
  const { runtime } = await rig();
  await runtime.spawn(recorder("builtin::a"));
  const { signal } = new AbortController();
  const ended = runtime.stop("builtin::a");
  const refused = runtime.request("builtin::a", "ask", null, { signal });
  expect(await codesOf([refused])).toEqual(["ORCS6006"]);
  expect(listeners(signal)).toBe(0);
  await ended;
});

test("calls with their own signals leave no listeners on longer-lived signals", async () => {
  const any = vi.spyOn(AbortSignal, "any");
  const { runtime } = await rig();
  const { signal } = new AbortController();
  await runtime.spawn(recorder("builtin::b"));
  await runtime.spawn(
    recorder("builtin::a", {
      async init(context) {
        await context.spawnChild({ id: "kid" }, { run: (input) => input });
      },
      async onRequest(_request, context) {
        await Promise.resolve();
        const before = listeners(context.signal);
        const ran = await context.runChild("kid", 1, { signal });
        const asked = await context.request("builtin::b", "ask", null, { signal });
        const got = await context.get("read", "nothing", { signal });
        return [ran, asked, got["ok"], listeners(context.signal) - before];
      },
    }),
  );
  expect(await runtime.request("builtin::a", "run")).toEqual([1, "ask", false, 0]);
  expect(listeners(signal)).toBe(0);
  // It leaves a reference at each of its sources, for as long as that lives.
  expect(any).not.toHaveBeenCalled();
  any.mockRestore();
});
