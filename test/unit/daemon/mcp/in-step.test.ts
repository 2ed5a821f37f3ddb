import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { syncStructuredContent } from "../../../../src/daemon/mcp/tool-result.ts";

const text = (...texts: string[]) => texts.map((text) => ({ type: "text", text }));
const data = { user: "bob", key: "sk-123", n: 42 };

describe("syncStructuredContent after a change of content", () => {
  const json = JSON.stringify(data);
  const clean = { ...data, key: "***" };
  type Texts = string | readonly string[];
  it.each<[name: string, said: Texts, data: object, after: Texts, expected?: object]>([
    ["the same JSON follows", json, data, JSON.stringify(clean), clean],
    ["indented JSON, too", JSON.stringify(data, null, 2), data, '{"user":"bob"}', { user: "bob" }],
    ["the same text", "my x", { a: [{ b: "my x" }], c: 1 }, "my *", { a: [{ b: "my *" }], c: 1 }],
    ["what is no JSON any more leaves nothing", json, data, "[hidden]"],
    ["a list is no structuredContent", json, data, "[1]"],
    ["what was in a sentence goes", "the key of bob is sk-123", data, "the key of bob is ***"],
    ["a number, too", "42 files", { count: 42 }, "some files"],
    ["a key, too", "bob: yes", { bob: true }, "***: yes"],
    ["a part of a longer text, too", "key sk-999", { log: "found:sk-999;" }, "key ***"],
    ["a script without spaces, too", "密码是火星人", { pw: "火星" }, "密码是***"],
    ["a block that was removed", ["hello", "key sk-123"], data, "hello"],
    ["a token within another word", "key abc123def", { all: "xxabc123defyy" }, "key ***"],
    ["what has nothing of it stays", "hello sk-123", { count: 3 }, "hello ***", { count: 3 }],
    ["what was added to stays", "hi bob", { a: "bob" }, ["hi bob", "careful"], { a: "bob" }],
  ])("%s", (_, said, structuredContent, after, expected) => {
    const before = { content: text(...[said].flat()), structuredContent };
    const content = text(...[after].flat());
    expect(syncStructuredContent(before, { ...before, content })).toEqual({
      content,
      ...(expected !== undefined && { structuredContent: expected }),
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
