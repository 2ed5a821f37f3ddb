import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { weakPlace } from "../../../../src/machine/files/weak-places.ts";

const OWNER = process.getuid?.() ?? 0;

describe.skipIf(process.platform === "win32")("a place that others can change", () => {
  let dir: string;

  beforeEach(() => {
    // Below a folder such as /tmp, which is open and sticky.
    dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-weak-")));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    chmodSync(dir, 0o755);
    mkdirSync(join(dir, "a/b"), { recursive: true });
    for (const name of ["a/file", "a/b/deep", "other"]) writeFileSync(join(dir, name), "");
    for (const name of ["a", "a/b"]) chmodSync(join(dir, name), 0o755);
    for (const name of ["a/file", "a/b/deep", "other"]) chmodSync(join(dir, name), 0o644);
  });

  const found = (name: string, more: Partial<Parameters<typeof weakPlace>[1]> = {}) => {
    const weak = weakPlace([join(dir, name)], { owner: OWNER, ...more });
    return weak && [weak.path.replace(`${dir}/`, "").replace(dir, "."), weak.why];
  };

  test.each<[string, () => void, string, string | undefined]>([
    ["nothing", () => undefined, "a", undefined],
    ["a file, by its group", () => chmodSync(join(dir, "a/file"), 0o664), "a", "a/file"],
    ["a file, by all", () => chmodSync(join(dir, "a/b/deep"), 0o646), "a", "a/b/deep"],
    ["a folder in it", () => chmodSync(join(dir, "a/b"), 0o775), "a", "a/b"],
    [
      "a folder in it, although it is sticky",
      () => chmodSync(join(dir, "a/b"), 0o1777),
      "a",
      "a/b",
    ],
    ["the folder above", () => chmodSync(join(dir, "a"), 0o777), "a/b", "a"],
    [
      "the folder above, but not what is in it",
      () => chmodSync(join(dir, "a"), 0o1777),
      "a/b",
      undefined,
    ],
    ["a file beside it", () => chmodSync(join(dir, "other"), 0o666), "a", undefined],
    [
      "what a link leads to",
      () => {
        symlinkSync(join(dir, "other"), join(dir, "a/link"));
        chmodSync(join(dir, "other"), 0o666);
      },
      "a",
      "other",
    ],
    ["a link to nothing", () => symlinkSync(join(dir, "none"), join(dir, "a/link")), "a", "a/link"],
    ["links in a ring", () => symlinkSync(join(dir, "a/link"), join(dir, "a/link")), "a", "a/link"],
    ["what is not there", () => undefined, "none", "none"],
  ])("%s", (_what, before, name, expected) => {
    before();
    expect(found(name)?.[0]).toBe(expected);
  });

  test("a loop of folders ends at the limit", () => {
    symlinkSync(join(dir, "a"), join(dir, "a/b/up"));
    expect(found("a", { most: 50 })?.[1]).toBe("there are more than 50 files");
    expect(found("a", { most: 2 })?.[1]).toBe("there are more than 2 files");
  });

  test("only the place itself, where what is in it does not matter", () => {
    chmodSync(join(dir, "a/file"), 0o666);
    expect(found("a", { isAlone: true })).toBeUndefined();
    chmodSync(join(dir, "a"), 0o777);
    expect(found("a", { isAlone: true })).toEqual(["a", "others can write it"]);
  });

  test.each([
    ["a file", "a/file", 0o640, "others cannot read it"],
    ["a folder that is read only", "a/b", 0o754, "others cannot read it"],
    ["the folder above", ".", 0o750, "others cannot use what is in it"],
  ])("what others cannot use: %s", (_what, name, mode, why) => {
    chmodSync(join(dir, name), mode);
    expect(found("a")).toBeUndefined();
    expect(found("a", { isForAll: true })).toEqual([name, why]);
  });

  test.skipIf(OWNER !== 0)("what another user owns", () => {
    chownSync(join(dir, "a/file"), 1234, 1234);
    expect(found("a")).toEqual(["a/file", "it belongs to the user 1234"]);
    expect(found("a", { owner: 1234 })).toBeUndefined();
    expect(found("a", { owner: 99 })).toEqual(["a/file", "it belongs to the user 1234"]);
    chownSync(join(dir, "a"), 1234, 1234);
    expect(found("a/b")).toEqual(["a", "it belongs to the user 1234"]);
  });
});
