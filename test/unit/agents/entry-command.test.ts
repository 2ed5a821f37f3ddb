import { describe, expect, test } from "vitest";
import { readOrcsCommand } from "../../../src/agents/install/entry-command.ts";

describe("the command of an entry that a person wrote", () => {
  test.each<[command: string, config: string | undefined]>([
    ["orcs hook --host codex", undefined],
    ["orcs hook --host codex --config /a/orcs.toml", "/a/orcs.toml"],
    ["orcs hook --host codex --config='/a b/orcs.toml' --strict", "/a b/orcs.toml"],
    [`orcs hook --host codex --config "/a b/orcs.toml"`, "/a b/orcs.toml"],
    // A variable stays as it is written: an explicit configuration is never read as a discovered one.
    ["orcs hook --host codex --config $DIR/orcs.toml", "$DIR/orcs.toml"],
  ])("%s has the configuration %s", (command, config) => {
    expect(readOrcsCommand(command, "codex", [])?.config).toBe(config);
  });

  test.each(["$HOME/orcs/bin/orcs-hook", "'/a b/orcs-hook'", "/a/orcs-hook"])(
    "%s in front is its launcher, as it is written",
    (launcher) => {
      expect(readOrcsCommand(`${launcher} orcs hook --host codex`, "codex", [])).toMatchObject({
        launcher,
        program: "orcs",
      });
    },
  );
});
