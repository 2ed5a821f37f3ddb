import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { createRedactor } from "../../src/guards/redact/redactor.ts";
import type { Json } from "../../src/core/json.ts";
import { SECRETS, SITUATIONS } from "../unit/guards/redact/secrets.ts";
import { repeatedTest, runCount } from "../slow-test.ts";

const redactor = createRedactor();
const RUNS = { numRuns: runCount(2_000) };

/** Pieces of texts in which secrets stand. */
const PIECES = [
  ...Object.values(SECRETS),
  ...SITUATIONS.map(([, text]) => text),
  "password",
  "token",
  "api_key",
  "=",
  ":",
  ": ",
  " = ",
  '"',
  "'",
  "`",
  "\\",
  '\\"',
  "\n",
  "\\n",
  " ",
  "  ",
  "&",
  ";",
  ",",
  "{",
  "}",
  "[",
  "]",
  "(",
  ")",
  "<",
  ">",
  "@",
  "://",
  "bob:",
  "hunter2",
  "[redacted]",
  "$A",
  "${A}",
  "--password",
  "-----BEGIN PRIVATE KEY-----",
  "-----END PRIVATE KEY-----",
  "Authorization",
  "Bearer ",
  "Cookie: ",
  "eyJ",
  "a.b",
  "1",
  "export ",
  "- ",
  "#",
  "true",
  "string",
  "=>",
  "#",
  "%3D",
  "mysql -p",
  "login a ",
  "…",
  "null",
  "sk-",
  "\t",
  "\r\n",
];
const mixed = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 6 })), { maxLength: 12 })
  .map((pieces) => pieces.join(""));
const secret = fc.constantFrom(...Object.values(SECRETS));
/** Without letters and digits at its ends, so that it is not one word with what it stands beside. */
const around = fc
  .string({ unit: "grapheme", maxLength: 20 })
  .filter((text) => redactor.text(text) === text && !/[\w.+/=%~-]/.test(text));

describe("redacting any text", () => {
  repeatedTest("is idempotent", () => {
    fc.assert(
      fc.property(mixed, (text) => {
        const once = redactor.text(text);
        expect(redactor.text(once)).toBe(once);
      }),
      { numRuns: runCount(20_000) },
    );
  });

  repeatedTest("finds a secret anywhere", () => {
    const situations: readonly ((secret: string, text: string) => string)[] = [
      (s, t) => `${t} ${s} ${t}`,
      (s, t) => JSON.stringify({ a: t, b: s, c: [t] }),
      (s, t) => JSON.stringify({ a: JSON.stringify({ b: `${t}\n${s}\n${t}` }) }),
      (s, t) => JSON.stringify(JSON.stringify(JSON.stringify([`"${s}"`, t]))),
      (s, t) => `echo '${t}' | KEY=${s} run --now "${t}"`,
      (s) => `run "${s}"; run '${s}' && x=$(run ${s})`,
      (s) => `https://host.test/a/${s}/b?c=${s}&d=1#${s}`,
      (s) => `https://host.test/?u=${encodeURIComponent(`https://x.test/?key=${s}`)}`,
      (s) => `https://bob:${s}@host.test/`,
      (s, t) => `2024-05-01T10:00:00Z WARN [x] got=${s} ${t}`,
      (s, t) => `${t}\t${s}\r\n${t}`,
      (s) => `<a>${s}</a>`,
      (s) => `- ${s}\n* \`${s}\``,
      (s) => `password: ${s}`,
      (s) => `("${s}")`,
    ];
    fc.assert(
      fc.property(secret, around, fc.constantFrom(...situations), (hidden, text, situation) => {
        const whole = situation(hidden, text);
        expect(whole).toContain(hidden);
        expect(redactor.text(whole)).not.toContain(hidden);
      }),
      RUNS,
    );
  });

  repeatedTest("finds a password after its name in any notation", () => {
    const password = fc
      .tuple(
        fc.constantFrom("h", "P", "9", "!"),
        fc.stringMatching(/^[!#-&(-+./0-9:=?@A-Z^_a-z~|-]{5,20}$/),
        fc.constantFrom("x7", "7Q"),
      )
      .map((parts) => parts.join(""))
      // Members of C++ and Ruby are source code: `h::Token`, `h->token`.
      .filter((text) => !/[&;,(){}<>]|\.\.|^\$|::|->/.test(text));
    const named = fc.oneof(
      fc.tuple(fc.constantFrom("password", "DB_PASSWORD"), password),
      // Programs make these: words joined in the way of a programming language are none.
      fc.tuple(
        fc.constantFrom("apiKey", "client_secret", "GITHUB_TOKEN"),
        password.map((text) => `${text}4x7Zq9`),
      ),
    );
    const written: readonly ((name: string, word: string) => string)[] = [
      (n, w) => JSON.stringify({ [n]: w, other: 1 }),
      (n, w) => JSON.stringify({ body: JSON.stringify({ [n]: w }, undefined, 2) }),
      (n, w) => `${n}=${w}`,
      (n, w) => `${n}='${w}' run`,
      (n, w) => `A=1\n${n}=${w}\nB=2`,
      (n, w) => `x:\n  ${n}: ${w}\n`,
      (n, w) => `x:\n  - ${n}: "${w}"\n`,
      (n, w) => `run --${n} ${w} --x`,
      (n, w) => `run --${n}=${w} --x`,
      (n, w) => `https://x.test/?a=1&${n}=${encodeURIComponent(w)}&b=2 ${n}=${w}`,
      (n, w) => `const ${n} = "${w}";`,
      (n, w) => JSON.stringify(`${n}="${w}"`),
    ];
    fc.assert(
      fc.property(named, fc.constantFrom(...written), ([key, word], write) => {
        const text = write(key, word);
        expect(redactor.text(text)).not.toContain(word);
      }),
      RUNS,
    );
  });

  repeatedTest("does not depend on texts without secrets before and after", () => {
    const words = fc
      .nat({ max: 80 })
      .map((n) => "lorem ipsum-dolor sit_amet/consectetur\n".repeat(n));
    fc.assert(
      fc.property(words, mixed, words, (before, text, after) => {
        const whole = redactor.text(`${before}\n${text}\n${after}`);
        expect(whole).toBe(`${before}${redactor.text(`\n${text}\n`)}${after}`);
      }),
      RUNS,
    );
  });

  repeatedTest("leaves the rest of the text, and returns a text without secrets unchanged", () => {
    fc.assert(
      fc.property(mixed, (text) => {
        const masked = redactor.text(text);
        if (!masked.includes("[redacted]")) expect(masked).toBe(text);
      }),
      RUNS,
    );
  });
});

const leaf = fc.oneof(
  around,
  fc.tuple(around, secret).map(([text, hidden]) => `${text} ${hidden}`),
  fc.constantFrom(...SITUATIONS.map(([, text]) => text)),
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(leaf, fc.integer(), fc.boolean(), fc.constant(null), secret),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom("password", "token", "tokens", "__proto__", "a", "b"), secret, leaf),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ) as fc.Arbitrary<Json>,
})).value;

describe("redacting any value", () => {
  repeatedTest("leaves no secret, keeps the structure, and is idempotent", () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        const masked = redactor.value(value);
        const text = JSON.stringify(masked);
        expect(JSON.stringify(value)).toBe(before);
        for (const hidden of Object.values(SECRETS)) expect(text).not.toContain(hidden);
        expect(redactor.value(masked)).toEqual(masked);
        expectSameShape(masked, value);
      }),
      RUNS,
    );
  });

  repeatedTest("shares unchanged parts", () => {
    fc.assert(
      fc.property(json, (value) => {
        expectShared(redactor.value(value), value);
      }),
      RUNS,
    );
  });
});

function expectSameShape(masked: Json, value: Json): void {
  if (typeof value !== "object" || value === null) {
    if (typeof value !== "number") expect(typeof masked).toBe(typeof value);
    return;
  }
  expect(Array.isArray(masked)).toBe(Array.isArray(value));
  const items = Object.values(masked as object) as Json[];
  expect(items).toHaveLength(Object.keys(value).length);
  Object.values(value).forEach((item, i) => expectSameShape(items[i] ?? null, item as Json));
}

function expectShared(masked: Json, value: Json): void {
  if (typeof value !== "object" || value === null) return;
  if (JSON.stringify(masked) === JSON.stringify(value)) expect(masked).toBe(value);
  const items = Object.values(masked as object) as Json[];
  Object.values(value).forEach((item, i) => expectShared(items[i] ?? null, item as Json));
}
