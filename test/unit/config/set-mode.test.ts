import { expect, it } from "vitest";
import { withMode } from "../../../src/config/set-mode.ts";

const SECOND = ["hooks", 1];

it.each<[string, string, (string | number)[], string | undefined]>([
  [
    "an own mode is replaced, and its comment stays",
    '[[hooks]]\nid = "a"\n\n# mine\n[[hooks]]\nmode = "audit" # for now\nid = "b"\n',
    SECOND,
    '[[hooks]]\nid = "a"\n\n# mine\n[[hooks]]\nmode = "warn" # for now\nid = "b"\n',
  ],
  [
    "without one, it is added below the header",
    '[[hooks]]\n[[hooks]] # the second\nid = "b"\n',
    SECOND,
    '[[hooks]]\n[[hooks]] # the second\nmode = "warn"\nid = "b"\n',
  ],
  ["at the end of the file", "[[hooks]]\n[[hooks]]", SECOND, '[[hooks]]\n[[hooks]]\nmode = "warn"'],
  [
    "with the indentation and line ends of the header",
    '[[hooks]]\r\n  [[hooks]]\r\n  id = "b"\r\n',
    SECOND,
    '[[hooks]]\r\n  [[hooks]]\r\n  mode = "warn"\r\n  id = "b"\r\n',
  ],
  [
    "a key within match, options or tests is another one",
    '[[hooks]]\nmatch = { agent = "x" }\n[hooks.options]\nmode = "audit"\n',
    ["hooks", 0],
    '[[hooks]]\nmode = "warn"\nmatch = { agent = "x" }\n[hooks.options]\nmode = "audit"\n',
  ],
  [
    "an inline table",
    'hooks = [{ id = "a" }, { id = "b", "mode" = \'audit\' }]',
    SECOND,
    'hooks = [{ id = "a" }, { id = "b", "mode" = "warn" }]',
  ],
  [
    "an inline table without one",
    'hooks = [{ id = "a" }, { id = "b" }]',
    SECOND,
    'hooks = [{ id = "a" }, { mode = "warn", id = "b" }]',
  ],
  [
    "nested hooks",
    '[[hooks.hooks]]\nid = "a"\n[[hooks.hooks]]\nid = "b"\n',
    ["hooks", "hooks", 1],
    '[[hooks.hooks]]\nid = "a"\n[[hooks.hooks]]\nmode = "warn"\nid = "b"\n',
  ],
  [
    "the hook of an agent",
    '[[agents.reviewer.hooks]]\nid = "a"\nmode = "audit"\n',
    ["agents", "reviewer", "hooks", 0],
    '[[agents.reviewer.hooks]]\nid = "a"\nmode = "warn"\n',
  ],
  ["a hook that is not there", '[[hooks]]\nid = "a"\n', SECOND, undefined],
])("withMode %s", async (_, text, path, after) => {
  expect(await withMode(text, path, "warn")).toBe(after);
});
