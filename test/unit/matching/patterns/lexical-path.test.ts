import { posix } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  baseName,
  normalisePath,
  pathInside,
  resolvePath,
} from "../../../../src/matching/patterns/path.ts";

const segment = fc.constantFrom("a", "b", ".", "..", "", ".x", "...", "c d");
const relative = fc.array(segment, { maxLength: 8 }).map((parts) => parts.join("/"));
const absolute = relative.map((path) => `/${path}`);

describe("normalisePath", () => {
  it.each([
    ["./a//b/../c/", "a/c"],
    ["..", ".."],
    ["a/../..", ".."],
    ["../../x", "../../x"],
    ["/..", "/"],
    ["/../x", "/x"],
    ["", ""],
    [".", ""],
    ["/", "/"],
    ["...", "..."],
  ])("%s is %s", (path, expected) => expect(normalisePath(path)).toBe(expected));

  it("agrees with node:path, except for trailing slashes and the empty path", () => {
    fc.assert(
      fc.property(fc.oneof(relative, absolute), (path) => {
        const theirs = posix.normalize(path).replace(/(?<=.)\/$/, "");
        expect(normalisePath(path)).toBe(theirs === "." || theirs === "./" ? "" : theirs);
      }),
    );
  });
});

it("resolvePath agrees with node:path", () => {
  fc.assert(
    fc.property(absolute, fc.oneof(relative, absolute), (cwd, path) => {
      expect(resolvePath(cwd, path)).toBe(posix.resolve(cwd, path));
    }),
  );
});

it("pathInside returns the path below a directory", () => {
  expect(pathInside("/a", "/a/b/c")).toBe("b/c");
  expect(pathInside("/a", "/a")).toBe("");
  expect(pathInside("/", "/a")).toBe("a");
  expect(pathInside("/a", "/ab")).toBeUndefined();
  expect(pathInside("/a/b", "/a")).toBeUndefined();
});

it("baseName returns the last segment", () => {
  expect(baseName("a/b.c")).toBe("b.c");
  expect(baseName("b")).toBe("b");
  expect(baseName("/")).toBe("");
});
