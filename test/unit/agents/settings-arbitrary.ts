import * as fc from "fast-check";
import type { HostName } from "../../../src/core/hosts.ts";
import { HOSTS } from "../../../src/formats/hosts.ts";

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

/** How a text is laid out: what stands between its tokens, and whether commas end lists. */
interface Style {
  readonly gaps: readonly string[];
  readonly trailing: readonly boolean[];
  readonly eol: string;
}

const COMMANDS = [
  "./check.sh",
  'node "$CLAUDE_PROJECT_DIR"/guard.js',
  "my-orcs hook --host claude-code",
  "orcs check",
  "echo 'orcs hook --host nobody'",
  "other hook --host gemini",
];

const key = fc.oneof(
  fc.constantFrom("env", "model", "permissions", "//", "hooksConfig", "ü", "a b"),
  fc.string({ maxLength: 6 }),
);

const anything: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<Value>(null, true, 0, -1.5, "", "// no comment", "/*", "a\u2028b\u0000"),
    fc.string({ maxLength: 8 }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** Hooks of other people: entries as a host has them, and what no host would understand. */
function othersHooks(host: HostName, events: readonly string[]): fc.Arbitrary<Value> {
  const entry = fc.record(
    { type: fc.constant("command"), command: fc.constantFrom(...COMMANDS), timeout: fc.nat(900) },
    { requiredKeys: ["command"] },
  );
  const group = fc.record(
    {
      matcher: fc.constantFrom("*", "Bash", "Edit|Write"),
      hooks: fc.array(fc.oneof(entry, anything), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  );
  const element = HOSTS[host].isGrouped ? group : entry;
  const list = fc.array(fc.oneof({ weight: 4, arbitrary: element }, anything), { maxLength: 3 });
  return fc.dictionary(fc.constantFrom(...events, "OtherEvent"), list, { maxKeys: 4 });
}

/** Settings as people have them, with their value. */
export function settingsArbitrary(
  host: HostName,
  events: readonly string[],
): fc.Arbitrary<{ text: string; value: Value }> {
  const tree = fc
    .tuple(
      fc.dictionary(key, anything, { maxKeys: 4 }),
      fc.option(othersHooks(host, events)),
      fc.nat(4),
    )
    .map(([rest, hooks, at]) => {
      const entries = Object.entries(rest).filter(
        ([name]) => name !== "hooks" && name !== "version",
      );
      if (hooks !== null) entries.splice(at, 0, ["hooks", hooks]);
      return Object.fromEntries(entries) as Value;
    });
  const gap = fc.constantFrom(
    "",
    " ",
    "\n",
    "\n  ",
    "\n\t",
    " // note\n",
    "/* a */",
    "\n\n",
    " /* { */\n",
  );
  const style: fc.Arbitrary<Style> = fc.record({
    gaps: fc.oneof(
      fc.array(gap, { minLength: 1, maxLength: 12 }),
      fc.constantFrom([""], [" "], ["\n"], ["\n  "], ["\n\t"]),
    ),
    trailing: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    eol: fc.constantFrom("\n", "\r\n"),
  });
  const pretty = fc.constantFrom(2, 4, "\t", 0).chain((unit) =>
    fc
      .tuple(tree, fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\n"))
      .map(([value, eol, end]) => ({
        text: (JSON.stringify(value, undefined, unit) + end).replaceAll("\n", eol),
        value,
      })),
  );
  const odd = fc.tuple(tree, style).map(([value, how]) => ({ text: printed(value, how), value }));
  return fc
    .tuple(fc.oneof(pretty, odd), fc.boolean())
    .map(([{ text, value }, mark]) => ({ text: mark ? `\uFEFF${text}` : text, value }));
}

function printed(value: Value, { gaps, trailing, eol }: Style): string {
  let gapAt = 0;
  let commaAt = 0;
  const gap = (): string => gaps[gapAt++ % gaps.length] ?? "";
  const list = (open: string, items: readonly string[], close: string): string => {
    const isTrailing = items.length > 0 && trailing[commaAt++ % trailing.length] === true;
    const inside = items.map((item) => gap() + item + gap()).join(",");
    return `${open}${inside}${isTrailing ? "," : ""}${gap()}${close}`;
  };
  const print = (each: Value): string => {
    if (Array.isArray(each)) return list("[", each.map(print), "]");
    if (typeof each !== "object" || each === null) return JSON.stringify(each);
    const items = Object.entries(each).map(
      ([name, inner]) => `${JSON.stringify(name)}${gap()}:${gap()}${print(inner)}`,
    );
    return list("{", items, "}");
  };
  return (gap() + print(value) + gap()).replaceAll("\n", eol);
}
