import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { exists } from "../../../src/config/discover.ts";
import { defaultUserDir, userFolder } from "../../../src/machine/files/user-folders.ts";
import { folder } from "./folder.ts";

afterEach(() => vi.unstubAllEnvs());

describe("user directories are absolute, for any environment", () => {
  test.each([
    ["/home/me", undefined, "/home/me/.config/orcs"],
    ["/home/me", "/conf", "/conf/orcs"],
    ["/home/me", "", "/home/me/.config/orcs"],
    ["/home/me", "conf", "/home/me/.config/orcs"],
    ["/home/me", "../conf", "/home/me/.config/orcs"],
    ["", undefined, "/.config/orcs"],
    ["home", undefined, "/.config/orcs"],
    [".", "", "/.config/orcs"],
    ["", "/conf", "/conf/orcs"],
  ])("HOME %j, XDG_CONFIG_HOME %j", (home, xdg, directory) => {
    vi.stubEnv("HOME", home);
    vi.stubEnv("XDG_CONFIG_HOME", xdg);
    expect(defaultUserDir()).toBe(directory);
  });

  test("each variable is used independently", () => {
    vi.stubEnv("HOME", "/home/me");
    vi.stubEnv("XDG_STATE_HOME", "/state");
    expect(userFolder("XDG_STATE_HOME", ".local/state")).toBe("/state");
    expect(userFolder("XDG_OTHER_HOME", ".other")).toBe("/home/me/.other");
  });
});

test("file lookup distinguishes present, missing and unreadable", () => {
  const dir = folder({ file: "" });
  mkdirSync(join(dir, "folder"));
  symlinkSync("loop", join(dir, "loop"));
  symlinkSync("nothing", join(dir, "dangling"));
  const names = ["file", "folder", "loop", "dangling", "none", "file/below", "x".repeat(300)];
  expect(names.map((name) => exists(join(dir, name)))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    true,
  ]);
});
