import { afterAll, describe, expect, test } from "vitest";
import { HOST_NAMES } from "../../../../src/core/hosts.ts";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import { HOSTS } from "../../../../src/formats/hosts.ts";

const ABOUT = { session: "orcs-doctor", project: "/project" };
const orcs = await createOrcs({ config: false });
afterAll(() => orcs.close());

const EVENTS = await Promise.all(
  HOST_NAMES.map(async (host) => {
    const protocol = await HOSTS[host].load();
    return Object.keys(protocol.events).map((event) => ({ host, event, protocol }));
  }),
);

describe("doctor: the probe event for every event of every coding agent", () => {
  test.each(EVENTS.flat())("$host $event is a valid event", async (each) => {
    const { event, protocol } = each;
    const sent = protocol.sample(event, ABOUT);
    const decoded = protocol.decode(sent);
    expect(decoded.event).toBe(event);
    expect(decoded.point).toBe(protocol.events[event]?.point);
    expect(decoded.payload["session_id"]).toBe("orcs-doctor");
    expect(decoded.payload["cwd"]).toBe("/project");
    // The payload fits its point, and what the host is answered then lets it pass.
    const outcome = await orcs.dispatch(decoded.point, decoded.payload, decoded);
    const { code } = protocol.encode(decoded, outcome, { ask: "deny", rewrite: "refuse" });
    expect([outcome.action, code]).toEqual(["continue", 0]);
  });

  test.each(
    EVENTS.flat().filter(({ event }) => /^(PreToolUse|BeforeTool|preToolUse)$/.test(event)),
  )("$host: the tool call in it runs the command true", ({ event, protocol }) => {
    const { payload } = protocol.decode(protocol.sample(event, ABOUT));
    expect(payload).toMatchObject({ tool_name: "exec", args: { command: "true" } });
  });
});

test("the probe of an unknown event has its name unchanged", async () => {
  const codex = await HOSTS.codex.load();
  expect(codex.sample("toString", ABOUT)).toMatchObject({ hook_event_name: "toString" });
});
