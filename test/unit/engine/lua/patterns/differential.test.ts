import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { CALLS, TwinStates, type CallName, type Case } from "./support/twin-states.ts";

const RUNS = Number(process.env["PATTERN_RUNS"] ?? 3_000);

let states: TwinStates;
beforeAll(async () => {
  states = await TwinStates.create();
});

const plainByte = fc.constantFrom(..."aabbc1 =_\0\xe9\xff".split(""), "-", "]");
const letter = fc.constantFrom(..."acdglpsuwxzACDGLPSUWXZ".split(""));
const escaped = fc.oneof(
  letter.map((x) => `%${x}`),
  fc.constantFrom("%.", "%%", "%]", "%-", "%(", "%\0", "%\xe9", "%["),
);
const setPart = fc.oneof(
  plainByte,
  escaped,
  fc.tuple(plainByte, plainByte).map(([a, b]) => `${a}-${b}`),
  fc.constantFrom("a-z", "0-9", "^", "-", "\x80-\xff", "z-a", "%a-z", "a-%]", "\0-\x1f"),
);
const set = fc
  .tuple(fc.constantFrom("[", "[^", "[]", "[^]", "[^^"), fc.array(setPart, { maxLength: 4 }))
  .map(([open, parts]) => `${open}${parts.join("")}]`);
const single = fc.oneof(
  { weight: 3, arbitrary: plainByte },
  { weight: 2, arbitrary: fc.constant(".") },
  { weight: 2, arbitrary: escaped },
  { weight: 2, arbitrary: set },
);
const item = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(single, fc.constantFrom("", "", "*", "+", "-", "?")).map((x) => x.join("")),
  },
  { weight: 1, arbitrary: fc.tuple(plainByte, plainByte).map(([a, b]) => `%b${a}${b}`) },
  { weight: 1, arbitrary: set.map((x) => `%f${x}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("%1", "%2", "%1*", "()", "$", "^", "%f[%w]", "%b()", "%bxx"),
  },
);
/** Patterns that are mostly right. */
const grammatical: fc.Arbitrary<string> = fc.letrec((tie) => ({
  sequence: fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: item },
        { weight: 1, arbitrary: (tie("sequence") as fc.Arbitrary<string>).map((x) => `(${x})`) },
      ),
      { maxLength: 5 },
    )
    .map((x) => x.join("")),
})).sequence;
/** Patterns that are mostly wrong. */
const tokens = fc
  .array(
    fc.constantFrom(
      ..."abc.*+-?^$()[]%%%\0\xe9".split(""),
      "%b",
      "%f",
      "%1",
      "%2",
      "%0",
      "%9",
      "[^",
      "%a",
      "%f[",
      "%b(",
      "()",
      "(a",
      "a)",
      "[a-",
      "[%",
      "%z",
    ),
    { maxLength: 8 },
  )
  .map((x) => x.join(""));
const pattern = fc
  .tuple(
    fc.constantFrom("", "", "^"),
    fc.oneof({ weight: 3, arbitrary: grammatical }, { weight: 2, arbitrary: tokens }),
    fc.constantFrom("", "", "", "$"),
  )
  .map((x) => x.join(""));
const subject = fc.oneof(
  fc
    .array(fc.constantFrom(..."aaabbc1 =_(x)]-%.\0\xe9\xff\n".split("")), { maxLength: 14 })
    .map((x) => x.join("")),
  fc.array(fc.constantFrom(..."ab".split("")), { maxLength: 14 }).map((x) => x.join("")),
);
const init = fc.oneof(fc.constant(undefined), fc.integer({ min: -17, max: 17 }));
const replacement = fc
  .array(
    fc.constantFrom("x", "%0", "%1", "%2", "%%", "%", "%9", "", "\0", "\xe9", "%a", "long text "),
    { maxLength: 4 },
  )
  .map((x) => x.join(""));
const cases: fc.Arbitrary<Case> = fc.record({ subject, pattern, init, replacement });

describe("string patterns give the same results and errors as Lua's own functions", () => {
  it.each(Object.keys(CALLS) as CallName[])("%s", (name) => {
    fc.assert(
      fc.property(cases, (example) => {
        const [expected, own] = states.both(name, example);
        if (own !== expected) expect(own).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it("of the generated cases, enough match", () => {
    const kinds = { error: 0, nothing: 0, found: 0 };
    for (const example of fc.sample(cases, 2_000)) {
      const [result] = states.both("match", example);
      if (result.startsWith("boolean:false")) kinds.error++;
      else if (result === "boolean:true,nil:nil") kinds.nothing++;
      else kinds.found++;
    }
    expect(kinds.error).toBeGreaterThan(100);
    expect(kinds.nothing).toBeGreaterThan(300);
    expect(kinds.found).toBeGreaterThan(300);
  });
});

describe("patterns near the recursion limit of Lua's matcher give the same results", () => {
  const branch = fc.constantFrom("a?", "a*", "a-", "a+", "b?", "b*", "b-", ".?", "[ab]*", "()");
  const deep = fc
    .tuple(
      fc.array(branch, { minLength: 185, maxLength: 215 }),
      fc.constantFrom("", "$", "b", "(a)", "%", "%1"),
    )
    .map(([parts, last]) => {
      let positions = 0;
      // More than 32 captures would be another error.
      const kept = parts.filter((part) => part !== "()" || positions++ < 8);
      return `^${kept.join("")}${last}`;
    });
  const short = fc.constantFrom("", "a", "b", "ab", "ba", "x");

  it.each(["find", "match", "gsub_text"] as const)("%s", (name) => {
    fc.assert(
      fc.property(deep, short, (pattern, subject) => {
        const [expected, own] = states.both(name, { subject, pattern, replacement: "<%0>" });
        if (own !== expected) expect(own).toBe(expected);
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });

  it.each(["a?", "a*", "a-", "()a*", "(a*)"])("%s repeated", (part) => {
    for (let count = 90; count < 215; count++) {
      const pattern = part.repeat(count);
      for (const subject of ["", "a", "a".repeat(300), "b"]) {
        const [expected, own] = states.both("match", { subject, pattern });
        expect(own, `${part} x ${count} on ${subject}`).toBe(expected);
      }
    }
  });
});

it.each([
  ["()", ""],
  ["(", ")"],
  ["(a", ")"],
])("captures count towards the recursion depth as in Lua %s %s", (open, close) => {
  for (let captures = 1; captures <= 32; captures += 10) {
    for (let count = 130; count < 202; count++) {
      const pattern = open.repeat(captures) + "a?".repeat(count) + close.repeat(captures);
      const [expected, own] = states.both("find", { subject: "a".repeat(300), pattern });
      expect(own, `${captures} captures, ${count} items`).toBe(expected);
    }
  }
});

describe("string patterns on long subjects give the same results as Lua", () => {
  const chunk = fc.constantFrom(
    "aaaa",
    "ab",
    "b",
    "key=value ",
    "  ",
    "(())",
    "\0",
    "xyz",
    "%",
    "1.5",
  );
  const long = fc
    .array(fc.tuple(chunk, fc.nat(120)), { maxLength: 6 })
    .map((parts) => parts.map(([text, count]) => text.repeat(count)).join(""));
  const linear = fc.constantFrom(
    "(%w+)=(%w+)",
    "%s+$",
    "^%s*(.-)%s*$",
    "%d+%.%d+",
    "[^a]+",
    "%b()",
    "%f[%w]%w+",
    "b.-b",
    "a*b",
    "x?y?z",
    "(.)%1",
    "()b()",
    ".-=",
    "=.*",
    "[^%s]*",
    "%z",
    "",
    "a-$",
    "^a*",
    "(a*(.)b)",
  );
  const needle = fc.oneof(
    fc.tuple(chunk, fc.nat(12), chunk).map(([a, n, b]) => a.repeat(n) + b),
    fc.constantFrom("", "a", "ba", "= ", "zx", "a".repeat(50), `${"a".repeat(40)}b`),
  );
  it.each(["find", "gmatch", "gsub_some", "gsub_text", "gsub_function"] as const)("%s", (name) => {
    fc.assert(
      fc.property(long, linear, replacement, init, (subject, pattern, replacement, init) => {
        const [expected, own] = states.both(name, { subject, pattern, replacement, init });
        if (own !== expected) expect(own).toBe(expected);
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });
  it("plain find", () => {
    fc.assert(
      fc.property(long, needle, fc.integer({ min: -900, max: 900 }), (subject, pattern, init) => {
        const [expected, own] = states.both("find_plain", { subject, pattern, init });
        if (own !== expected) expect(own).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });
});
