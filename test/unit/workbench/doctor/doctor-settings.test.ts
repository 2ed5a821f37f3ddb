import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { HostName } from "../../../../src/core/hosts.ts";
import { addressIn } from "../../../../src/daemon/address.ts";
import { checkService } from "../../../../src/workbench/doctor/configuration-checks.ts";
import { checkSettings } from "../../../../src/workbench/doctor/settings-checks.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "orcs-doctor-test-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** What is seen in files, by their names below a folder with `home` and `project`. */
function seen(host: HostName, files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(base, "s-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const place = { env: {}, home: join(root, "home"), project: join(root, "project") };
  const looked = checkSettings(host, { place, records: join(root, "records"), programs: [] });
  return looked.map((each) => Object.assign({}, each, { path: each.path.slice(root.length + 1) }));
}

const OURS = '{ "type": "command", "command": "orcs hook --host claude-code --timeout 60" }';
const THEIRS = '{ "type": "command", "command": "./guard.sh" }';

describe("doctor: reading settings files", () => {
  test("missing files are listed without findings", () => {
    expect(seen("claude-code", {})).toMatchObject([
      { path: "home/.claude/settings.json", scope: "user", exists: false, findings: [] },
      { path: "project/.claude/settings.json", scope: "project", exists: false, findings: [] },
    ]);
  });

  test("comments, trailing commas and other programs' hooks are accepted", () => {
    const text = `\uFEFF// mine
      { "model": "x", "hooks": { "version": 3, "PreToolUse": [
        { "matcher": "*", "hooks": [ ${THEIRS}, /* here */ ${OURS}, ] },
        { "hooks": [ ${THEIRS} ] },
      ], }, }`;
    const [, project] = seen("claude-code", { "project/.claude/settings.json": text });
    expect(project).toMatchObject({ exists: true, others: 2, findings: [] });
    expect(project?.entries).toMatchObject([
      { event: "PreToolUse", matcher: "*", isOff: false, program: "orcs", config: undefined },
    ]);
  });

  test("Claude Code's local settings are read", () => {
    const text = `{ "hooks": { "Stop": [ { "hooks": [ ${OURS} ] } ] } }`;
    const local = seen("claude-code", { "project/.claude/settings.local.json": text });
    expect(local.map(({ path, entries }) => [path, entries.length])).toContainEqual([
      "project/.claude/settings.local.json",
      1,
    ]);
  });

  test.each([
    ["{", /line 1, column 2/],
    ['{\n  "hooks": {]\n}', /line 2, column/],
    ["[]", /not an object/],
    ['{ "hooks": [] }', /hooks is not an object/],
    ['{ "hooks": {}, "hooks": {} }', /twice/],
    [Buffer.from([0xff, 0xfe]).toString("latin1"), /JSON/],
  ])("%j is reported as unusable", (text, why) => {
    const [user] = seen("gemini", { "home/.gemini/settings.json": text });
    expect(user).toMatchObject({ exists: true, entries: [], findings: [{ kind: "problem" }] });
    expect(user?.findings[0]?.text).toMatch(why);
    expect(user?.findings[0]?.text).not.toMatch(/nothing was changed/);
  });

  test("a directory instead of a file is a problem", () => {
    const [user] = seen("cursor", { "home/.cursor/hooks.json/x": "" });
    expect(user?.findings[0]?.text).toMatch(/not a regular file/);
  });

  test.each<[HostName, string, string | undefined]>([
    ["claude-code", '{ "disableAllHooks": true }', "disableAllHooks is true"],
    ["claude-code", '{ "disableAllHooks": false }', undefined],
    ["gemini", '{ "hooksConfig": { "enabled": false } }', "hooksConfig.enabled is false"],
    ["gemini", '{ "hooksConfig": { "enabled": true } }', undefined],
    ["gemini", '{ "hooksConfig": [] }', undefined],
  ])("%s: reads the switch %s", (host, text, said) => {
    const folder = host === "gemini" ? ".gemini" : ".claude";
    const [user] = seen(host, { [`home/${folder}/settings.json`]: text });
    expect(user?.switch).toBe(said);
  });

  test.each(["orcs", "orcs hook --host gemini --timeout 60"])(
    "Gemini CLI's disabled list with %j",
    (name) => {
      const entry = {
        name: "orcs",
        type: "command",
        command: "orcs hook --host gemini --timeout 60",
      };
      const settings = {
        hooksConfig: { disabled: [name] },
        hooks: { BeforeTool: [{ hooks: [entry] }] },
      };
      const [user] = seen("gemini", { "home/.gemini/settings.json": JSON.stringify(settings) });
      expect(user).toMatchObject({ switch: undefined, entries: [{ isOff: true }] });
    },
  );

  test("Codex's config.toml is noted when it may have entries", () => {
    const toml = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "orcs hook --host codex"\n';
    const files = seen("codex", {
      "home/.codex/config.toml": toml,
      "project/.codex/config.toml": "",
    });
    expect(files.map(({ path, findings }) => [path, findings.length])).toEqual([
      ["home/.codex/hooks.json", 0],
      ["home/.codex/config.toml", 1],
      ["project/.codex/hooks.json", 0],
      ["project/.codex/config.toml", 0],
    ]);
  });
});

describe("doctor: checkService", () => {
  async function served(answer: (server: Server) => void) {
    const folder = mkdtempSync(join(tmpdir(), "orcs-d-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const address = addressIn(folder, "k");
    const server = createServer();
    answer(server);
    await new Promise<void>((resolve) => server.listen(address.socket, resolve));
    onTestFinished(() => void server.close());
    writeFileSync(address.pid, "4711\n");
    return checkService(address);
  }

  test("no service is not a problem", async () => {
    const address = addressIn(join(base, "nowhere"), "k");
    const { service, findings } = await checkService(address);
    expect([service, findings]).toEqual([
      { socket: address.socket, pid: null, since: null, ms: null },
      [],
    ]);
  });

  test("the probe of a running service runs no hook", async () => {
    let got = "";
    const { service, findings } = await served((server) =>
      server.on("connection", (socket) => {
        socket.on("error", () => undefined);
        socket.on("data", (bytes) => {
          got += bytes.toString();
          socket.write('{"error":"this service serves another configuration"}\n');
        });
      }),
    );
    expect(findings).toEqual([]);
    expect(service.pid).toBe(4711);
    expect(service.ms).toBeGreaterThanOrEqual(0);
    expect(Number.isNaN(Date.parse(service.since ?? ""))).toBe(false);
    expect(JSON.parse(got)).not.toHaveProperty("event");
    expect(JSON.parse(got)).not.toHaveProperty("point");
  });

  test.each<[string, (server: Server) => void, RegExp]>([
    ["says nothing", () => undefined, /not within 2000 ms/],
    [
      "hangs up",
      (server) => server.on("connection", (socket) => socket.end()),
      /closed the connection|EPIPE|RESET/,
    ],
  ])("a service that %s is a problem", async (_, answer, why) => {
    const { service, findings } = await served(answer);
    expect(service).toMatchObject({ pid: 4711, ms: null });
    expect(findings).toMatchObject([{ kind: "problem", hint: "kill 4711" }]);
    expect(findings[0]?.text).toMatch(why);
  });
});
