import { expect, test } from "vitest";
import { POINT_ALIASES } from "../../../../src/core/point-table.ts";
import { CLAUDE_HOST_EVENTS } from "../../../../src/formats/claude-code/events.ts";
import { errorOf, open } from "./engine.ts";

/** Events of coding agents without a point: their names are aliases of `host.pre_event`, restricted to that event. */

const EVENTS = Object.entries(POINT_ALIASES)
  .filter(([, point]) => point === "host.pre_event")
  .map(([event]) => event);

const deny = 'orcs.deny("no " .. ctx.payload.event)';

test("every event of Claude Code is the name of a point", async () => {
  const orcs = await open();
  for (const [event, { point }] of Object.entries(CLAUDE_HOST_EVENTS))
    expect(orcs.points.resolve(event), event).toMatchObject({ name: point });
});

test.each(EVENTS)("a hook at %s runs at this event only", async (event) => {
  const orcs = await open({
    config: { hooks: [{ id: "h", event, handler_inline: deny }] },
  });
  expect(orcs.registry.get("h")).toMatchObject({
    point: { name: "host.pre_event", event: undefined },
    match: { event },
  });
  expect(await orcs.dispatch(event, {})).toMatchObject({
    action: "abort",
    reason: `no ${event}`,
    ctx: { hook_point: "host.pre_event", payload: { event } },
  });
  expect(await orcs.dispatch("host.pre_event", { event })).toMatchObject({ action: "abort" });
  const other = await orcs.dispatch("host.pre_event", { event: "Other" });
  expect(other).toMatchObject({ action: "continue" });
});

test("the name is read in any case, and fills payload.event as the agent writes it", async () => {
  const orcs = await open({
    config: { hooks: [{ point: "config_change", handler_inline: deny }] },
  });
  expect(await orcs.dispatch("CONFIG_CHANGE", { session_id: "s" })).toMatchObject({
    action: "abort",
    ctx: { payload: { event: "ConfigChange", session_id: "s" } },
  });
});

test("a payload of another event is an error", async () => {
  const orcs = await open();
  const error = await errorOf(orcs.dispatch("Setup", { event: "ConfigChange" }));
  expect(error).toMatchObject({ code: "ORCS2003" });
  expect(error.message).toContain('payload.event is "ConfigChange"');
});

test("match.event names events, and only there", async () => {
  const orcs = await open({
    config: {
      hooks: [
        {
          point: "host.pre_event",
          match: { event: "Setup | ConfigChange" },
          handler_inline: deny,
        },
      ],
    },
  });
  const actionAt = async (event: string) =>
    (await orcs.dispatch("host.pre_event", { event })).action;
  expect(await actionAt("Setup")).toBe("abort");
  expect(await actionAt("ConfigChange")).toBe("abort");
  expect(await actionAt("Setup | ConfigChange")).toBe("continue");
  expect(await actionAt("setup")).toBe("continue");
});

test("an event as the point and match.event as well are two spellings", async () => {
  const config = {
    hooks: [{ event: "Setup", match: { event: "ConfigChange" }, handler_inline: deny }],
  };
  const error = await errorOf(open({ config }));
  expect(error.message).toMatch(/ORCS1017.*match\.event is set, but the point Setup/s);
});

test("hooks in Lua and in code take these points, too", async () => {
  const orcs = await open();
  const seen: string[] = [];
  orcs.on("TaskCreated", (ctx) => void seen.push(ctx.hook_point, String(ctx.payload["event"])));
  await orcs.dispatch("TaskCreated", {});
  await orcs.dispatch("TaskCompleted", {});
  expect(seen).toEqual(["host.pre_event", "TaskCreated"]);
  expect(orcs.registry.list("TaskCreated")).toHaveLength(1);
  expect(orcs.registry.list("TaskCompleted")).toHaveLength(0);
  expect(orcs.registry.list("host.pre_event")).toHaveLength(1);
});

test("override of an agent covers one event, or all of them", async () => {
  const load = (override: string) =>
    open({
      agent: "a",
      config: {
        hooks: [
          { event: "Setup", handler_inline: deny },
          { event: "ConfigChange", handler_inline: deny },
        ],
        agents: { a: { override: [override] } },
      },
    });
  const actions = async (override: string) => {
    const orcs = await load(override);
    const outcomes = [await orcs.dispatch("Setup", {}), await orcs.dispatch("ConfigChange", {})];
    return outcomes.map(({ action }) => action);
  };
  expect(await actions("Setup")).toEqual(["continue", "abort"]);
  expect(await actions("host.pre_event")).toEqual(["continue", "continue"]);
});
