import type { HookEvent, HookInput } from "@anthropic-ai/claude-agent-sdk";
import { describe, expectTypeOf, test } from "vitest";
import type { Json } from "../../src/core/json.ts";
import type { ClaudeHostEventName } from "../../src/formats/claude-code/events.ts";
import type { claudeCodeHost } from "../../src/formats/claude-code/host.ts";

/** A value after it went through JSON: what nobody knows is JSON all the same. */
type AsJson<T> = unknown extends T ? Json : T extends object ? { [K in keyof T]: AsJson<T[K]> } : T;

describe("Claude Code, against the types of its SDK", () => {
  test("every event is known, and no other", () => {
    expectTypeOf<ClaudeHostEventName>().toEqualTypeOf<HookEvent>();
    expectTypeOf<HookInput["hook_event_name"]>().toEqualTypeOf<HookEvent>();
  });

  test("every event can be decoded", () => {
    expectTypeOf<AsJson<HookInput>>().toExtend<Parameters<(typeof claudeCodeHost)["decode"]>[0]>();
  });
});
