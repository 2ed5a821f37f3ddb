import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Handler } from "../../../src/config/handlers.ts";
import { PROTOCOL_NAMES } from "../../../src/core/hosts.ts";
import { errorOf, folder, load, loadToml } from "./folder.ts";

const HOOK = `[[hooks]]\npoint = "tool.pre_execute"\n`;

/** The handler of the one hook that these lines make, in a folder. */
async function handlerOf(lines: string, cwd = folder()): Promise<Handler | undefined> {
  writeFileSync(join(cwd, "orcs.toml"), HOOK + lines);
  const { hooks } = await load(cwd, { config: "orcs.toml" });
  return hooks[0]?.handler;
}

/** Codes and messages of what is wrong with these lines. */
async function mistakesIn(lines: string): Promise<string[]> {
  const { diagnostics } = await errorOf(loadToml(HOOK + lines));
  return diagnostics.map(({ code, message }) => `${code} ${message}`);
}

describe("shell handler", () => {
  const plain = {
    kind: "shell",
    command: "true",
    passContext: true,
    parseResult: true,
    backgroundS: 0,
    env: [],
  };

  it.each([
    ["a string", `shell = "true"`, { ...plain, protocol: "orcs" }],
    ["a table", `shell = { command = "true" }`, { ...plain, protocol: "orcs" }],
    ["a sub-table", `[hooks.shell]\ncommand = "true"`, { ...plain, protocol: "orcs" }],
    [
      "all of it",
      `shell = { command = "true", pass_context = false, parse_result = false, protocol = "massgen", env = ["CI"] }`,
      {
        ...plain,
        passContext: false,
        parseResult: false,
        protocol: "massgen",
        env: ["CI"],
        backgroundS: 3600,
      },
    ],
    [
      "one that may leave processes",
      `shell = { command = "true", background_s = 60 }`,
      { ...plain, protocol: "orcs", backgroundS: 60 },
    ],
    [
      "cocode's, whose defaults are no (seed 003)",
      `shell = { command = "true", protocol = "cocode" }`,
      { ...plain, passContext: false, parseResult: false, protocol: "cocode", backgroundS: 3600 },
    ],
  ])("is accepted as %s", async (_, lines, handler) => {
    expect(await handlerOf(lines)).toEqual(handler);
  });

  it.each(PROTOCOL_NAMES)("accepts the protocol %s", async (protocol) => {
    const found = await handlerOf(`shell = { command = "true", protocol = "${protocol}" }`);
    expect(found).toMatchObject({ protocol });
  });

  it.each([
    ["./check.sh", "'DIR/check.sh'"],
    ["./check.sh --fast && ./other.sh", "'DIR/check.sh' --fast && ./other.sh"],
    ["../up.sh;true", "'DIR/../up.sh';true"],
    ["check.sh", "check.sh"],
    ["sh ./check.sh", "sh ./check.sh"],
    ["/bin/true", "/bin/true"],
    [".hidden", ".hidden"],
  ])("%s resolves to the configuration's folder: %s", async (command, runs) => {
    const cwd = folder();
    const found = await handlerOf(`shell = '${command}'`, cwd);
    const up = join(cwd, "..");
    const expected = runs.replace("DIR/..", up).replace("DIR", cwd);
    expect(found).toMatchObject({ command: expected });
  });

  it.each([
    "sh ./g.sh",
    "exec ./g.sh",
    "FOO=1 ./g.sh",
    "(./g.sh)",
    "true && ./g.sh",
    `sh -c "./g.sh"`,
    `"./$GUARD"`,
    `"."/g.sh`,
    "\\./g.sh",
  ])("rejects %s, which depends on the call's directory", async (command) => {
    const toml = `${HOOK}shell = '''${command}'''`;
    const cwd = folder({ "orcs.toml": toml, "g.sh": "exit 2" });
    const { diagnostics } = await errorOf(load(cwd, { config: "orcs.toml" }));
    expect(diagnostics).toMatchObject([{ code: "ORCS1004", place: { line: 3 } }]);
    expect(diagnostics[0]?.hint).toContain('write "$ORCS_DIR/');
  });

  it.each(["eslint ./src", "sh ./not-there.sh", "cat < ./data/", `sh "$ORCS_CONFIG_DIR/g.sh"`])(
    "accepts %s",
    async (command) => {
      const cwd = folder({ "g.sh": "exit 2", "src/index.ts": "", "data/x": "" });
      expect(await handlerOf(`shell = '${command}'`, cwd)).toMatchObject({ command });
    },
  );

  it.each([
    [`shell = ""`, "ORCS1004"],
    [`shell = {}`, "ORCS1013 hooks[0].shell"],
    [`shell = { command = "true", protocol = "bash" }`, "ORCS1004"],
    [`shell = { command = "true", pass = true }`, `ORCS1003 unknown key "pass"`],
    [`shell = { command = "true", env = ["A=1"] }`, "ORCS1004"],
    [`shell = 1`, "ORCS1004"],
  ])("rejects %s", async (lines, message) => {
    const found = await mistakesIn(lines);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message.split(" ")[0]);
  });
});

describe("webhook handler", () => {
  const plain = {
    kind: "webhook",
    url: "https://example.com/x",
    method: "POST",
    headers: {},
    allowEnv: [],
    allowHosts: [],
    redact: true,
    protocol: "orcs",
  };

  it.each([
    ["", plain],
    ["redact = false", { ...plain, redact: false }],
    [`method = "Post"`, plain],
    [`method = "put"`, { ...plain, method: "PUT" }],
    [
      `headers = { Authorization = "Bearer \${TOKEN}" }\nallow_env = ["TOKEN"]\nallow_hosts = ["localhost:80"]\nprotocol = "cocode"`,
      {
        ...plain,
        headers: { Authorization: "Bearer ${TOKEN}" },
        allowEnv: ["TOKEN"],
        allowHosts: ["localhost:80"],
        protocol: "cocode",
      },
    ],
  ])("with %s", async (lines, handler) => {
    const found = await handlerOf(`[hooks.webhook]\nurl = "https://example.com/x"\n${lines}`);
    expect(found).toEqual(handler);
  });

  it.each([
    [`webhook = {}`, "ORCS1013"],
    [`webhook = "https://example.com"`, "ORCS1004"],
    [`webhook = { url = "https://example.com", method = "GET" }`, "ORCS1004"],
    [`webhook = { url = "https://example.com", redact = "no" }`, "ORCS1004"],
    [`webhook = { url = "https://example.com", headers = { a = 1 } }`, "ORCS1004"],
  ])("rejects %s", async (lines, code) => {
    const found = await mistakesIn(lines);
    expect(found.map((text) => text.split(" ")[0])).toEqual([code]);
  });
});

describe("module handler", () => {
  it.each([
    ["./audit.js#onTool", "onTool"],
    ["audit.js", "default"],
    ["./audit.js#a#b", "a#b"],
  ])("%s", async (spec, exportName) => {
    const cwd = folder({ "audit.js": "" });
    const handler = await handlerOf(`module = "${spec}"`, cwd);
    expect(handler).toEqual({ kind: "module", file: join(cwd, "audit.js"), exportName, env: [] });
  });

  it("with a missing file is rejected with its position", async () => {
    const { diagnostics } = await errorOf(loadToml(`${HOOK}module = "./nope.js#x"`));
    expect(diagnostics).toMatchObject([{ code: "ORCS1009", place: { line: 3 } }]);
  });
});

describe("handler and type (seed 004)", () => {
  it('type = "command" runs a command with MassGen\'s protocol', async () => {
    const cwd = folder();
    expect(await handlerOf(`handler = "./log.py"\ntype = "command"`, cwd)).toEqual({
      kind: "shell",
      command: `'${cwd}/log.py'`,
      program: `${cwd}/log.py`,
      passContext: true,
      parseResult: true,
      protocol: "massgen",
      backgroundS: 3600,
      env: [],
    });
  });

  it.each([
    [`handler = "massgen.hooks audit"\ntype = "python"`, "ORCS1004"],
    [`handler = "massgen.hooks.audit"`, "ORCS1013"],
    [`handler_inline = "return nil"\ntype = "command"`, "ORCS1003"],
    [`handler = "x"\ntype = "perl"`, "ORCS1004"],
  ])("rejects %s", async (lines, code) => {
    const { diagnostics } = await errorOf(loadToml(HOOK + lines));
    expect(diagnostics[0]?.code).toBe(code);
  });

  it('type = "python" calls a function with MassGen\'s protocol', async () => {
    expect(await handlerOf(`handler = "massgen.hooks.audit"\ntype = "python"`)).toMatchObject({
      kind: "shell",
      command: expect.stringMatching(/^'python3' '-c' '[^']*' 'massgen\.hooks\.audit'$/) as string,
      program: undefined,
      pythonFunction: "massgen.hooks.audit",
      protocol: "massgen",
    });
  });
});

it("shell and webhook handlers need a point", async () => {
  for (const lines of [`shell = "true"`, `webhook = { url = "https://x.org" }`]) {
    const { diagnostics } = await errorOf(loadToml(`[[hooks]]\n${lines}`));
    expect(diagnostics.map(({ code }) => code)).toEqual(["ORCS1013"]);
  }
});
