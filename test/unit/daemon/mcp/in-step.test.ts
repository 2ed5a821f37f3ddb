import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { syncStructuredContent } from "../../../../src/daemon/mcp/tool-result.ts";

const text = (...texts: string[]) => texts.map((text) => ({ type: "text", text }));
const data = { user: "bob", key: "sk-123", n: 42 };

describe("syncStructuredContent after a change of content", () => {
  it.each([
    [
      "the same JSON follows",
      { content: text(JSON.stringify(data)), structuredContent: data },
      text(JSON.stringify({ ...data, key: "***" })),
      { ...data, key: "***" },
    ],
    [
      "the same JSON, spelt otherwise, follows",
      { content: text(JSON.stringify(data, null, 2)), structuredContent: data },
      text('{"user":"bob"}'),
      { user: "bob" },
    ],
    [
      "the same text follows, wherever it stands",
      { content: text("my secret"), structuredContent: { a: [{ content: "my secret" }], b: 1 } },
      text("my ***"),
      { a: [{ content: "my ***" }], b: 1 },
    ],
    [
      "what is no JSON any more leaves nothing",
      { content: text(JSON.stringify(data)), structuredContent: data },
      text("[hidden]"),
      undefined,
    ],
    [
      "a list is no structuredContent",
      { content: text(JSON.stringify(data)), structuredContent: data },
      text("[1]"),
      undefined,
    ],
    [
      "what was taken out of a sentence goes with it",
      { content: text("the key of bob is sk-123"), structuredContent: data },
      text("the key of bob is ***"),
      undefined,
    ],
    [
      "a number, too",
      { content: text("42 files"), structuredContent: { count: 42 } },
      text("some files"),
      undefined,
    ],
    [
      "a key, too",
      { content: text("bob: yes"), structuredContent: { bob: true } },
      text("***: yes"),
      undefined,
    ],
    [
      "a part of a longer text, too",
      { content: text("key sk-999"), structuredContent: { log: "found:sk-999;" } },
      text("key ***"),
      undefined,
    ],
    [
      "a script without spaces, too",
      { content: text("密码是火星人"), structuredContent: { pw: "火星" } },
      text("密码是***"),
      undefined,
    ],
    [
      "a block that was removed",
      { content: text("hello", "key sk-123"), structuredContent: data },
      text("hello"),
      undefined,
    ],
    [
      "a token within another word",
      { content: text("key abc123def"), structuredContent: { all: "xxabc123defyy" } },
      text("key ***"),
      undefined,
    ],
    [
      "what has nothing of it stays",
      { content: text("hello sk-123"), structuredContent: { count: 3 } },
      text("hello ***"),
      { count: 3 },
    ],
    [
      "what was only added to stays",
      { content: text("hello bob"), structuredContent: { user: "bob" } },
      text("hello bob", "be careful"),
      { user: "bob" },
    ],
  ])("%s", (_, before, content, structuredContent) => {
    expect(syncStructuredContent(before, { ...before, content })).toEqual({
      content,
      ...(structuredContent !== undefined && { structuredContent }),
    });
  });
});

describe("syncStructuredContent after a change of structuredContent", () => {
  const clean = { ...data, key: "***" };

  it.each([
    ["the same JSON follows", text(JSON.stringify(data)), text(JSON.stringify(clean))],
    [
      "indented JSON, too",
      text(JSON.stringify(data, null, 2)),
      text(JSON.stringify(clean, null, 2)),
    ],
    ["the same text follows", text("sk-123", "hi"), text("***", "hi")],
    [
      "a sentence that holds what was taken out gives way to the JSON",
      text("hi", "the key is sk-123"),
      [...text("hi"), ...text(JSON.stringify(clean))],
    ],
    [
      "a resource, too",
      [{ type: "resource", resource: { uri: "x:y", text: "key sk-123" } }],
      text(JSON.stringify(clean)),
    ],
    ["what has nothing of it stays", text("hello"), text("hello")],
  ])("%s", (_, content, expected) => {
    const before = { content, structuredContent: data };
    expect(syncStructuredContent(before, { ...before, structuredContent: clean })).toEqual({
      content: expected,
      structuredContent: clean,
    });
  });
});

it("syncStructuredContent changes nothing if neither or both were changed", () => {
  const before = { content: text("a secret"), structuredContent: { x: "secret" } };
  expect(syncStructuredContent(before, before)).toBe(before);
  const both = { content: text("b"), structuredContent: { x: "secret", y: 1 } };
  expect(syncStructuredContent(before, both)).toBe(both);
  const more = { ...before, _meta: { a: 1 } };
  expect(syncStructuredContent(before, more)).toBe(more);
  const without = { content: text("b") };
  expect(syncStructuredContent(before, without)).toBe(without);
});

it("syncStructuredContent removes a secret from both if it was removed from one", () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/);
  const tree = (leaf: fc.Arbitrary<string>) =>
    fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(word, tie("node"), { maxKeys: 3 }),
      ),
    })).node;
  const SECRET = "hunter2x";
  const leaf = fc.oneof(word, fc.constantFrom(SECRET, `a ${SECRET} b`, `k=${SECRET}`));
  fc.assert(
    fc.property(
      fc.dictionary(word, tree(leaf), { minKeys: 1, maxKeys: 4 }),
      fc.array(leaf, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (structured, texts, same) => {
        const masked = (value: unknown) =>
          JSON.parse(JSON.stringify(value).replaceAll(SECRET, "***")) as never;
        const content = same ? text(JSON.stringify(structured)) : text(...texts);
        const before = { content, structuredContent: structured };
        for (const key of ["content", "structuredContent"] as const) {
          // Only what the hook saw on its side can be known to be a secret.
          if (!JSON.stringify(before[key]).includes(SECRET)) continue;
          const after = syncStructuredContent(before, { ...before, [key]: masked(before[key]) });
          expect(JSON.stringify(after)).not.toContain(SECRET);
        }
      },
    ),
  );
});
