import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ALL_CAPABILITIES,
  capabilityBits,
  CAPABILITIES,
  capabilityNames,
} from "../../../src/core/permission.ts";
import type { CapabilityName } from "../../../src/core/permission.ts";
import { OrcsError } from "../../../src/core/errors.ts";
import { expectComponentId } from "../../../src/core/fql.ts";

describe("component ids", () => {
  it("has two parts", () => {
    const word = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/[\s#/:]/.test(text));
    fc.assert(
      fc.property(word, word, (namespace, name) => {
        expect(() => expectComponentId(`${namespace}::${name}`)).not.toThrow();
      }),
    );
  });

  it.each([
    "",
    "::",
    "llm",
    "builtin:llm",
    "builtin::",
    "::llm",
    "builtin::llm::x",
    "builtin::llm::",
    "builtin::llm/agent",
    "builtin::llm#0",
    "built in::llm",
    "builtin::llm ",
    "builtin::l\nm",
  ])("reject %j", (text) => {
    let thrown: unknown;
    try {
      expectComponentId(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(OrcsError);
    expect((thrown as OrcsError).code).toBe("ORCS1010");
    expect((thrown as OrcsError).fields["id"]).toBe(text);
    expect((thrown as OrcsError).message).toContain(JSON.stringify(text));
  });
});

describe("capabilities", () => {
  it("have the documented bits", () => {
    expect(CAPABILITIES).toEqual({
      READ: 1,
      WRITE: 2,
      DELETE: 4,
      EXECUTE: 8,
      SPAWN: 16,
      LLM: 32,
      HTTP: 64,
    });
    expect(ALL_CAPABILITIES).toBe(127);
  });

  it("convert from names to bits and back", () => {
    const names = Object.keys(CAPABILITIES) as CapabilityName[];
    fc.assert(
      fc.property(fc.subarray(names), fc.shuffledSubarray(names), (some, shuffled) => {
        expect(capabilityNames(capabilityBits(some))).toEqual(some);
        expect(capabilityBits([...shuffled, ...shuffled])).toBe(capabilityBits(shuffled));
      }),
    );
    expect(capabilityBits([])).toBe(0);
    expect(capabilityNames(0)).toEqual([]);
    expect(capabilityNames(ALL_CAPABILITIES)).toEqual(names);
    expect(capabilityNames(128)).toEqual([]);
  });
});
