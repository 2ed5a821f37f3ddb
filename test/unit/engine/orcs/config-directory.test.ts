import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { configPlace } from "../../../../src/config/trust/config-place.ts";
import { userStateDir } from "../../../../src/machine/files/user-folders.ts";
import { folder } from "./engine.ts";

beforeEach(() => {
  vi.stubEnv("XDG_CONFIG_HOME", "/nowhere");
  onTestFinished(() => void vi.unstubAllEnvs());
});

test("configPlace finds the nearest orcs.toml upwards, with the same result for every directory below it", () => {
  const dir = folder({ "orcs.toml": "", "a/b/x": "", "a/deep/orcs.toml": "" });
  const place = configPlace(join(dir, "a/b"), undefined);
  expect(place).toMatchObject({
    config: undefined,
    directory: dir,
    found: join(dir, "orcs.toml"),
  });
  expect(configPlace(dir, undefined)).toEqual(place);
  expect(configPlace(join(dir, "a/b/gone/for/ever"), undefined)).toEqual(place);
  const other = configPlace(join(dir, "a/deep"), undefined);
  expect(other.directory).toBe(join(dir, "a/deep"));
  expect(other.key).not.toBe(place.key);
});

test("configPlace without any configuration has one key for all directories", () => {
  const dir = folder({ "a/x": "" });
  expect(configPlace(dir, undefined)).toMatchObject({ config: false, found: undefined });
  expect(configPlace(dir, undefined).key).toBe(configPlace(join(dir, "a"), undefined).key);
});

test("configPlace returns the same project when it is reached through a symlink", () => {
  const dir = folder({ "real/orcs.toml": "", "real/sub/x": "" });
  symlinkSync(join(dir, "real"), join(dir, "link"));
  const place = configPlace(join(dir, "real"), undefined);
  expect(configPlace(join(dir, "link"), undefined)).toEqual(place);
  expect(configPlace(join(dir, "link/sub"), undefined)).toEqual(place);
});

test("configPlace gives an explicit file the same key in every spelling, different from the discovered one", () => {
  const dir = folder({ "orcs.toml": "", "sub/x": "" });
  symlinkSync(dir, join(dir, "link"));
  const place = configPlace(dir, "orcs.toml");
  expect(place).toMatchObject({ config: join(dir, "orcs.toml"), directory: dir, found: undefined });
  for (const [cwd, file] of [
    [join(dir, "sub"), "../orcs.toml"],
    ["/", join(dir, "orcs.toml")],
    [dir, "./sub/../orcs.toml"],
    [join(dir, "link"), "orcs.toml"],
  ] as const) {
    expect(configPlace(cwd, file)).toEqual(place);
  }
  expect(place.key).not.toBe(configPlace(dir, undefined).key);
});

test("configPlace of a symlinked file resolves paths from the directory of the link", () => {
  const dir = folder({ "dotfiles/orcs.toml": "", "conf/x": "" });
  symlinkSync(join(dir, "dotfiles/orcs.toml"), join(dir, "conf/orcs.toml"));
  const place = configPlace(dir, "conf/orcs.toml");
  expect(place.config).toBe(join(dir, "conf/orcs.toml"));
  // What a service that is started with this name makes of it.
  expect(configPlace(place.directory, place.config as string)).toEqual(place);
});

test("configPlace outside a project: the user configuration alone has its own key", () => {
  const dir = folder({ "home/orcs/orcs.toml": "", "work/x": "" });
  vi.stubEnv("XDG_CONFIG_HOME", join(dir, "home"));
  const own = join(dir, "home/orcs/orcs.toml");
  const place = configPlace(join(dir, "work"), undefined);
  const directory = join(dir, "home/orcs");
  expect(place).toMatchObject({ config: undefined, directory, found: undefined });
  expect(configPlace(directory, undefined)).toEqual(place);
  expect(configPlace("/", own).key).not.toBe(place.key);
  symlinkSync(join(dir, "home"), join(dir, "link"));
  vi.stubEnv("XDG_CONFIG_HOME", join(dir, "link"));
  expect(configPlace(join(dir, "work"), undefined)).toEqual(place);
});

test("configPlace gives a project a different key for each user configuration directory", () => {
  const dir = folder({ "orcs.toml": "" });
  const { key } = configPlace(dir, undefined);
  vi.stubEnv("XDG_CONFIG_HOME", "/elsewhere");
  expect(configPlace(dir, undefined).key).not.toBe(key);
});

test("configPlace treats a directory named orcs.toml as an unreadable configuration, not as none", () => {
  const dir = folder();
  mkdirSync(join(dir, "orcs.toml"));
  expect(configPlace(dir, undefined).found).toBe(join(dir, "orcs.toml"));
});

test.each([
  ["/state", "/state/orcs"],
  ["relative", "/home/me/.local/state/orcs"],
  ["", "/home/me/.local/state/orcs"],
  [undefined, "/home/me/.local/state/orcs"],
])("userStateDir with XDG_STATE_HOME %j", (value, directory) => {
  vi.stubEnv("HOME", "/home/me");
  vi.stubEnv("XDG_STATE_HOME", value);
  expect(userStateDir()).toBe(directory);
});
