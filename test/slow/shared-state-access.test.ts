import { execFileSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import { folder, orcsAlone } from "../dist/orcs.ts";
import { partOf } from "../slow-test.ts";
import { freePort, hasRedis, killRedis, QUIET, startRedis } from "./redis-rig.ts";

/** What the documentation says that the user of the server needs. */
const NEEDED = "~orcs:* +eval +evalsha +get +set +del +type +strlen +pexpiretime";
const USERS = {
  enough: `on >right ${NEEDED}`,
  "no-script": "on >right ~orcs:* +get +set",
  "no-write": `on >right ${NEEDED} -set`,
  "other-keys": `on >right ${NEEDED.replace("orcs:", "others:")}`,
  off: `off >right ${NEEDED}`,
};

describe.skipIf(!hasRedis())("a store with TLS and users", { timeout: 120_000 }, () => {
  let dir: string;
  let tls: number;
  let plain: number;
  let server: ChildProcess;

  /** An authority, and a certificate of it for a host. */
  const certificates = (name: string, host: string): void => {
    const openssl = (line: string): void =>
      void execFileSync("openssl", line.split(" "), { cwd: dir, stdio: "ignore" });
    const key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(
      `req -x509 ${key} -keyout ${name}-ca.key -out ${name}-ca.pem -subj /CN=${name} -days 2`,
    );
    openssl(`req ${key} -keyout ${name}.key -out ${name}.csr -subj /CN=${host}`);
    writeFileSync(join(dir, `${name}.ext`), `subjectAltName=${host}\n`);
    const signer = `-CA ${name}-ca.pem -CAkey ${name}-ca.key -CAcreateserial`;
    openssl(`x509 -req -in ${name}.csr ${signer} -out ${name}.pem -days 2 -extfile ${name}.ext`);
  };

  const started = (certificate: string, port: number, more: readonly string[] = []) => {
    const files = {
      cert: `${certificate}.pem`,
      key: `${certificate}.key`,
      "ca-cert": `${certificate}-ca.pem`,
    };
    const ofTls = Object.entries(files).flatMap(([what, name]) => [
      `--tls-${what}-file`,
      join(dir, name),
    ]);
    const users = Object.entries(USERS).map(([name, rules]) => `user ${name} ${rules}\n`);
    const aclFile = join(dir, `${certificate}.acl`);
    writeFileSync(aclFile, users.join(""));
    const own = `--tls-port ${port} --tls-auth-clients no --dir ${dir}`.split(" ");
    return startRedis([...own, ...ofTls, "--aclfile", aclFile, "--save", "", ...more]);
  };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "orcs-tls-"));
    certificates("ours", "IP:127.0.0.1");
    certificates("elsewhere", "DNS:elsewhere.example");
    [tls, plain] = [await freePort(), await freePort()];
    server = await started("ours", tls, ["--port", String(plain)]);
  });
  afterAll(async () => {
    await killRedis(server);
    rmSync(dir, { recursive: true, force: true });
  });

  /** The user's own configuration. */
  const configured = (url: string, mode: string, ca?: string) =>
    folder({
      "no-user/orcs/orcs.toml": `[state]
url = "${url}"
${ca === undefined ? "" : `ca_file = "${join(dir, ca)}"`}
[lua]
max_run_ms = 5000
max_chain_ms = 20000
[[hooks]]
id = "counted"
point = "tool.pre_execute"
on_store_error = "${mode}"
handler_inline = 'if not orcs.state.incr("calls", 1, 3600000, 2) then return orcs.deny("over") end'
`,
    });

  const engine = async (of: string) => {
    vi.stubEnv("XDG_CONFIG_HOME", join(of, "no-user"));
    onTestFinished(() => void vi.unstubAllEnvs());
    const config = join(of, "no-user/orcs/orcs.toml");
    const orcs = await createOrcs({ config, logger: QUIET });
    onTestFinished(() => orcs.close());
    return async () => {
      const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });
      return outcome.action === "abort" ? outcome.reason : outcome.action;
    };
  };
  const doctor = async (of: string) => {
    const { stdout, stderr } = await orcsAlone(["doctor"], { cwd: of });
    expect(stderr).toBe("");
    return stdout;
  };

  test("a user with the documented rights counts, over TLS with an authority of one's own", async () => {
    const of = configured(`rediss://enough:right@127.0.0.1:${tls}`, "closed", "ours-ca.pem");
    const call = await engine(of);
    await expect.poll(call, { timeout: 30_000 }).toBe("over");
    expect(await doctor(of)).toContain(
      `orcs.state is shared with other machines by rediss://enough:***@127.0.0.1:${tls}`,
    );
  });

  const SELF_SIGNED = /self-signed certificate|unable to verify/;
  /** `TLS` and `PLAIN` are the ports of the server. */
  type Refused = [string, url: string, why: RegExp, ca?: string];
  const REFUSED: Refused[] = [
    ["an authority that Node does not trust", "rediss://enough:right@TLS", SELF_SIGNED],
    ["another authority", "rediss://enough:right@TLS", SELF_SIGNED, "elsewhere-ca.pem"],
    [
      "a file of authorities that is not there",
      "rediss://enough:right@TLS",
      /state\.ca_file cannot be read: ENOENT/,
      "none.pem",
    ],
    [
      "a file that is no certificate",
      "rediss://enough:right@TLS",
      /certificate|PEM|no start line/i,
      "ours.key",
    ],
    ["no TLS at the port for it", "redis://enough:right@TLS", /closed|reset|ended|within/i],
    [
      "TLS at the port without it",
      "rediss://enough:right@PLAIN",
      /ETIMEDOUT; if its port is one without TLS/,
      "ours-ca.pem",
    ],
    ["a wrong password", "redis://enough:wrong@PLAIN", /WRONGPASS/],
    ["an unknown user", "redis://nobody:right@PLAIN", /WRONGPASS/],
    ["a user that is off", "redis://off:right@PLAIN", /WRONGPASS/],
    ["a user without scripts", "redis://no-script:right@PLAIN", /NOPERM.*evalsha/i],
    ["a user that cannot write", "redis://no-write:right@PLAIN", /NOPERM|can't run this command/i],
    [
      "a user of other keys",
      "redis://other-keys:right@PLAIN",
      /NOPERM|No permissions to access a key/i,
    ],
  ];

  test.each<Refused>(partOf(REFUSED, 3))(
    "%s: on_store_error decides, and doctor says why",
    async (_what, to, why, ca) => {
      const url = to.replace("TLS", `127.0.0.1:${tls}`).replace("PLAIN", `127.0.0.1:${plain}`);
      const closed = await engine(configured(url, "closed", ca));
      const local = await engine(configured(url, "local", ca));
      await expect.poll(closed, { timeout: 30_000 }).toMatch(why);
      for (let i = 0; i < 3; i++)
        expect(await closed()).toMatch(/ORCS920[12]: the shared state .* (cannot be used|refused)/);
      expect([await local(), await local(), await local()]).toEqual([
        "continue",
        "continue",
        "over",
      ]);
      const said = await doctor(configured(url, "closed", ca));
      expect(said).toMatch(why);
      expect(said).toMatch(
        /the shared state .*what each hook does now is set by its on_store_error/s,
      );
      expect(said).not.toMatch(/:(right|wrong)@/);
    },
  );

  test("a certificate for another host is refused", async () => {
    const port = await freePort();
    const other = await started("elsewhere", port, ["--port", "0"]);
    onTestFinished(() => killRedis(other));
    const call = await engine(
      configured(`rediss://enough:right@127.0.0.1:${port}`, "closed", "elsewhere-ca.pem"),
    );
    await expect.poll(call, { timeout: 30_000 }).toMatch(/altnames|does not match/);
  });
});
