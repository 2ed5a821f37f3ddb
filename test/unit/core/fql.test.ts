import * as fc from "fast-check";
import { describe, expect } from "vitest";
import type { Address } from "../../../src/core/context.ts";
import { OrcsError } from "../../../src/core/errors.ts";
import { compileFql, formatFql, parseFql, splitShorthand } from "../../../src/core/fql.ts";
import type { FqlPattern } from "../../../src/core/fql.ts";
import { pointSet } from "../../../src/core/points.ts";
import { quickTest as it, repeatedTest, runCount } from "../../slow-test.ts";

const points = pointSet();

/** A part that stands alone: no separator, no space, no star; single colons are allowed. */
const word = fc
  .string({ minLength: 1, maxLength: 8 })
  .filter((text) => !/[\s#/*]/.test(text) && !text.includes("::"));
const part = fc.oneof({ weight: 1, arbitrary: fc.constant("*") }, { weight: 4, arbitrary: word });
const pattern: fc.Arbitrary<FqlPattern> = fc.record(
  {
    // A scope that ends in a colon cannot be written: its colon would be read as the separator's.
    scope: part.filter((text) => !text.endsWith(":")),
    target: part,
    child: fc.array(part, { minLength: 1, maxLength: 4 }),
    instance: part,
  },
  { requiredKeys: ["scope", "target"] },
);

const matches = (fql: string, address: Address): boolean => compileFql(parseFql(fql))(address);

describe("parseFql and formatFql", () => {
  it("round-trip every pattern", () => {
    fc.assert(
      fc.property(pattern, (written) => {
        expect(parseFql(formatFql(written))).toEqual(written);
      }),
    );
  });

  repeatedTest("any text is a pattern with the same text, or ORCS1011", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.array(fc.constantFrom("a", "b", ":", "::", "/", "#", "*", " "), { maxLength: 10 }),
    );
    fc.assert(
      fc.property(text, (raw) => {
        const written = Array.isArray(raw) ? raw.join("") : raw;
        let parsed: FqlPattern;
        try {
          parsed = parseFql(written);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(OrcsError);
          expect((thrown as OrcsError).code).toBe("ORCS1011");
          return;
        }
        expect(formatFql(parsed)).toBe(written);
      }),
      { numRuns: runCount(500) },
    );
  });

  it.each<[string, FqlPattern]>([
    ["builtin::llm", { scope: "builtin", target: "llm" }],
    ["builtin::*", { scope: "builtin", target: "*" }],
    ["*::*", { scope: "*", target: "*" }],
    ["plugin::my-tool", { scope: "plugin", target: "my-tool" }],
    ["builtin::llm/agent-1", { scope: "builtin", target: "llm", child: ["agent-1"] }],
    ["builtin::llm/agent-1/sub", { scope: "builtin", target: "llm", child: ["agent-1", "sub"] }],
    ["builtin::llm/*", { scope: "builtin", target: "llm", child: ["*"] }],
    ["lua::comp#primary", { scope: "lua", target: "comp", instance: "primary" }],
    ["lua::comp/a#0", { scope: "lua", target: "comp", child: ["a"], instance: "0" }],
    ["lua::comp#*", { scope: "lua", target: "comp", instance: "*" }],
    ["a::b:c", { scope: "a", target: "b:c" }],
  ])("parse %s", (text, expected) => {
    expect(parseFql(text)).toEqual(expected);
  });

  it.each([
    ["", "it is empty"],
    ["   ", "it is empty"],
    ["llm", "'::'"],
    ["builtin:llm", "'::'"],
    ["::llm", "its scope is empty"],
    ["builtin::", "its target is empty"],
    ["::", "its scope is empty"],
    ["builtin::#primary", "its target is empty"],
    ["builtin::/child", "its target is empty"],
    ["builtin::llm/", "its child is empty"],
    ["builtin::llm//sub", "its child is empty"],
    ["builtin::llm/a/", "its child is empty"],
    ["builtin::llm#", "its instance is empty"],
    ["builtin::llm#a#b", 'its instance "a#b"'],
    ["builtin::llm#a/b", 'its instance "a/b"'],
    ["a::b::c", 'its target "b::c"'],
    ["a::b/c::d", 'its child "c::d"'],
    ["a::b#c::d", 'its instance "c::d"'],
    ["a b::c", 'its scope "a b"'],
    [" a::b", 'its scope " a"'],
    ["a::b ", 'its target "b "'],
    ["a::b\n", "its target"],
    ["a#b::c", 'its scope "a#b"'],
    ["a/b::c", 'its scope "a/b"'],
    ["built*::llm", "contains '*'"],
    ["builtin::ll*", "contains '*'"],
    ["builtin::**", "contains '*'"],
    ["builtin::llm/a*", "contains '*'"],
    ["builtin::llm#a*", "contains '*'"],
  ])("reject %j", (text, why) => {
    let thrown: unknown;
    try {
      parseFql(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(OrcsError);
    const error = thrown as OrcsError;
    expect(error.code).toBe("ORCS1011");
    expect(error.message).toContain(why);
    expect(error.message).toContain("expected scope::target[/child][#instance]");
    expect(error.fields["fql"]).toBe(text);
  });
});

describe("FQL matching", () => {
  it.each<[string, Address, boolean]>([
    ["*::*", { component: "builtin::llm" }, true],
    ["*::*", { component: "builtin::llm", child: "a/b", instance: "0" }, true],
    ["builtin::llm", { component: "builtin::llm" }, true],
    ["builtin::llm", { component: "builtin::llm2" }, false],
    ["builtin::llm", { component: "xbuiltin::llm" }, false],
    ["builtin::llm", { component: "Builtin::llm" }, false],
    ["builtin::*", { component: "builtin::llm" }, true],
    ["builtin::*", { component: "builtin2::llm" }, false],
    ["builtin::*", { component: "builtin:llm" }, false],
    ["*::llm", { component: "builtin::llm" }, true],
    ["*::llm", { component: "builtin::my-llm" }, false],
    ["*::llm", { component: "builtin::llm2" }, false],
    ["*::b", { component: "a:::b" }, false],
    ["*:::b", { component: "a:::b" }, true],
    ["mcp::git.hub", { component: "mcp::git-hub" }, false],
  ])("component: %s and %o: %s", (fql, address, expected) => {
    expect(matches(fql, address)).toBe(expected);
  });

  it.each<[string, string | undefined, boolean]>([
    // No child in the pattern takes any, and none.
    ["builtin::llm", "agent-1", true],
    ["builtin::llm", "agent-1/sub", true],
    ["builtin::llm/agent-1", "agent-1", true],
    ["builtin::llm/agent-1", undefined, false],
    ["builtin::llm/agent-1", "agent-2", false],
    ["builtin::llm/agent-1", "agent-1/sub", false],
    ["builtin::llm/agent-1", "agent-10", false],
    // A last star takes everything below, at any depth, but not the parent itself.
    ["builtin::llm/*", undefined, false],
    ["builtin::llm/*", "agent-1", true],
    ["builtin::llm/*", "agent-1/sub/deeper", true],
    ["builtin::llm/agent-1/*", "agent-1", false],
    ["builtin::llm/agent-1/*", "agent-1/sub", true],
    ["builtin::llm/agent-1/*", "agent-1/sub/deeper", true],
    ["builtin::llm/agent-1/*", "agent-2/sub", false],
    // A star elsewhere takes exactly one level.
    ["builtin::llm/*/sub", "agent-1/sub", true],
    ["builtin::llm/*/sub", "agent-1/other/sub", false],
    ["builtin::llm/*/sub", "sub", false],
    ["builtin::llm/*/*", "agent-1", false],
    ["builtin::llm/*/*", "agent-1/sub/deeper", true],
    ["builtin::llm/a/b/c", "a/b/c", true],
    ["builtin::llm/a/b/c", "a/b", false],
  ])("child: %s and %s: %s", (fql, child, expected) => {
    expect(matches(fql, { component: "builtin::llm", child })).toBe(expected);
    expect(matches(fql, { component: "builtin::other", child })).toBe(false);
  });

  it.each<[string, string | undefined, boolean]>([
    ["lua::comp", "primary", true],
    ["lua::comp", undefined, true],
    ["lua::comp#primary", "primary", true],
    ["lua::comp#primary", "primary2", false],
    ["lua::comp#primary", undefined, false],
    ["lua::comp#*", "primary", true],
    ["lua::comp#*", undefined, false],
    ["*::*#0", "0", true],
    ["*::*#0", "1", false],
  ])("instance: %s and %s: %s", (fql, instance, expected) => {
    expect(matches(fql, { component: "lua::comp", instance })).toBe(expected);
  });

  it("needs both child and instance to match", () => {
    const fql = "lua::comp/a#0";
    expect(matches(fql, { component: "lua::comp", child: "a", instance: "0" })).toBe(true);
    expect(matches(fql, { component: "lua::comp", child: "a", instance: "1" })).toBe(false);
    expect(matches(fql, { component: "lua::comp", child: "b", instance: "0" })).toBe(false);
    expect(matches(fql, { component: "lua::comp", child: "a" })).toBe(false);
    expect(matches(fql, { component: "lua::comp", instance: "0" })).toBe(false);
  });

  repeatedTest("agrees with a naive matcher", () => {
    const few = fc.constantFrom("a", "b", "c");
    const fewOrStar = fc.constantFrom("a", "b", "*");
    const address = fc.record(
      {
        scope: few,
        target: few,
        child: fc.array(few, { minLength: 1, maxLength: 3 }),
        instance: few,
      },
      { requiredKeys: ["scope", "target"] },
    );
    const wanted = fc.record(
      {
        scope: fewOrStar,
        target: fewOrStar,
        child: fc.array(fewOrStar, { minLength: 1, maxLength: 3 }),
        instance: fewOrStar,
      },
      { requiredKeys: ["scope", "target"] },
    );
    const fits = (want: string, got: string): boolean => want === "*" || want === got;
    fc.assert(
      fc.property(wanted, address, (want, to) => {
        const { child } = want;
        const levels = to.child ?? [];
        const naive =
          fits(want.scope, to.scope) &&
          fits(want.target, to.target) &&
          (child === undefined ||
            ((child.at(-1) === "*"
              ? levels.length >= child.length
              : levels.length === child.length) &&
              child.every((segment, i) => fits(segment, levels[i] ?? "")))) &&
          (want.instance === undefined ||
            (to.instance !== undefined && fits(want.instance, to.instance)));
        expect(
          compileFql(want)({
            component: `${to.scope}::${to.target}`,
            child: to.child?.join("/"),
            instance: to.instance,
          }),
        ).toBe(naive);
      }),
      { numRuns: runCount(1000) },
    );
  });
});

describe("splitShorthand", () => {
  it.each([
    ["builtin::llm:request.pre_dispatch", "builtin::llm", "request.pre_dispatch"],
    ["*::*:tool.pre_execute", "*::*", "tool.pre_execute"],
    ["builtin::llm/a:b:tool.pre_execute", "builtin::llm/a:b", "tool.pre_execute"],
    ["builtin::llm/a:b/c:d:tool.pre_execute", "builtin::llm/a:b/c:d", "tool.pre_execute"],
    ["lua::comp#primary:bus.on_register", "lua::comp#primary", "bus.on_register"],
    ["lua::comp#x:y:bus.on_register", "lua::comp#x:y", "bus.on_register"],
    ["builtin::*:PreToolUse", "builtin::*", "tool.pre_execute"],
    ["builtin::*:pre_tool_use", "builtin::*", "tool.pre_execute"],
    ["a::b/tool.pre_execute:Stop", "a::b/tool.pre_execute", "agent.pre_stop"],
    ["a::b/x:tool.pre_execute:Stop", "a::b/x:tool.pre_execute", "agent.pre_stop"],
  ])("splits %s", (text, fql, point) => {
    const split = splitShorthand(text, points);
    expect(split?.fql).toBe(fql);
    expect(split?.point.name).toBe(point);
    expect(() => parseFql(split?.fql ?? "")).not.toThrow();
  });

  it.each([
    "",
    ":",
    "builtin::llm",
    "tool.pre_execute",
    ":tool.pre_execute",
    "builtin::tool.pre_execute",
    "builtin::llm::tool.pre_execute",
    "builtin::llm:tool.pre_executed",
    "builtin::llm:",
    "builtin::llm:tool.pre_execute:",
    "builtin::llm:tool.pre_execute:x",
    "builtin::llm: tool.pre_execute",
  ])("finds no point in %j", (text) => {
    expect(splitShorthand(text, points)).toBeUndefined();
  });

  it("knows custom points", () => {
    const custom = pointSet({ "deploy.pre_push": { phase: "pre" } });
    expect(splitShorthand("*::*:deploy.pre_push", points)).toBeUndefined();
    expect(splitShorthand("*::*:deploy.pre_push", custom)?.point.name).toBe("deploy.pre_push");
  });

  it("splits every combination of pattern and point", () => {
    const names = points.all.map((point) => point.name);
    fc.assert(
      fc.property(pattern, fc.constantFrom(...names), (written, name) => {
        const fql = formatFql(written);
        // A pattern that ends in a colon would make the single colon a double one.
        fc.pre(!fql.endsWith(":"));
        const split = splitShorthand(`${fql}:${name}`, points);
        expect(split?.fql).toBe(fql);
        expect(split?.point.name).toBe(name);
      }),
    );
  });
});
