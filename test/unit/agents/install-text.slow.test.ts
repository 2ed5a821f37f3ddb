import { parse } from "jsonc-parser";
import type { ParseError } from "jsonc-parser";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOST_NAMES } from "../../../src/core/hosts.ts";
import { HOSTS } from "../../../src/formats/hosts.ts";
import {
  existingContainers,
  withEntries,
  withoutEntries,
} from "../../../src/agents/install/entries.ts";
import type { WantedEntries } from "../../../src/agents/install/entries.ts";
import { readHooksSection } from "../../../src/agents/install/hooks-section.ts";
import { settingsArbitrary } from "./settings-arbitrary.ts";

const EVENTS = ["PreToolUse", "PostToolUse", "Stop"];

const FALLBACK = { denies: true, stream: "stderr", text: "it's gone", code: 2 } as const;

function wantedOf(host: WantedEntries["host"], events: readonly string[]): WantedEntries {
  return {
    host,
    scope: "user",
    command: { program: "orcs", config: undefined },
    events: events.map((event) => ({
      event,
      seconds: 60,
      refusable: event !== "PostToolUse",
      fallback: FALLBACK,
    })),
    programs: [],
    kept: new Set(),
    keepsChanges: false,
  };
}

function read(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  expect(errors).toEqual([]);
  return value;
}

/** Whether no comma stands at an end. */
function isStrict(text: string): boolean {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: false });
  return errors.length === 0;
}

function comments(text: string): string[] {
  const doc = readHooksSection(text, "codex", []).doc;
  return doc.comments.map(({ start, end }) => text.slice(start, end).trim());
}

describe.each(HOST_NAMES)("editing any settings of %s", (host) => {
  const settings = settingsArbitrary(host, EVENTS).map(({ text }) => text.replace(/^\uFEFF/, ""));
  const some = fc.subarray(EVENTS);

  test("adds and removes entries and changes nothing else", () => {
    fc.assert(
      fc.property(settings, some, (text, events) => {
        const kept = existingContainers(text, host);
        const wanted = { ...wantedOf(host, events), kept };
        const installed = withEntries(text, wanted);
        // Once for each event, and the same again changes nothing.
        const { entries } = readHooksSection(installed, host, []);
        expect(entries.map(({ event }) => event).sort()).toEqual([...events].sort());
        expect(withEntries(installed, wanted)).toBe(installed);
        // Whoever takes them out by hand has the value as it was, and every comment.
        const without = withoutEntries(installed, wanted);
        const top = events.length > 0 ? HOSTS[host].top : {};
        expect(read(without)).toEqual({ ...top, ...(read(text) as object) });
        expect(comments(installed)).toEqual(comments(text));
        expect(comments(without)).toEqual(comments(text));
        // A host that knows no commas at ends sees no new ones.
        if (isStrict(text)) expect(isStrict(installed)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("going from one set of events to another equals writing the second directly", () => {
    fc.assert(
      fc.property(settings, some, some, (text, first, second) => {
        const kept = existingContainers(text, host);
        const one = withEntries(text, { ...wantedOf(host, first), kept });
        const other = withEntries(one, { ...wantedOf(host, second), kept });
        const { entries } = readHooksSection(other, host, []);
        expect(entries.map(({ event }) => event).sort()).toEqual([...second].sort());
        const top = first.length + second.length > 0 ? HOSTS[host].top : {};
        const without = withoutEntries(other, { ...wantedOf(host, []), kept });
        expect(read(without)).toEqual({ ...top, ...(read(text) as object) });
      }),
      { numRuns: 100 },
    );
  });
});
