import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { OrcsError } from "../../../../src/core/errors.ts";
import {
  OWN_HEADERS,
  webhookHeaders,
  webhookUrl,
} from "../../../../src/engine/handlers/webhook-request.ts";
import { HANDLER_PROTOCOLS } from "../../../../src/formats/handler-protocols.ts";
import { bench, hook } from "../registry/hooks.ts";
import { ask, failureOf, PROTOCOL, Servers, webhook } from "./webhook-rig.ts";

const servers = new Servers();
afterEach(() => servers.close());

const given = (value: string) => ({
  allowed: ["X"],
  environment: { variables: { X: value, PRIVATE: "s3cret" } },
});

function mistakeOf(run: () => unknown): OrcsError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof OrcsError) return thrown;
    throw thrown;
  }
  throw new Error("it was taken");
}

describe("the webhook url", () => {
  it.each([
    ["https://h.test", "", "https://h.test/"],
    ["HTTPS://H.test:443/a", "", "https://h.test/a"],
    ["http://h.test/a/${X}/b", "v", "http://h.test/a/v/b"],
    ["http://h.test/${X}${X}?q=${X}&r=${X}#${X}", "v", "http://h.test/vv?q=v&r=v#v"],
    ["http://h.test/${X}", "a/b?c#d", "http://h.test/a%2Fb%3Fc%23d"],
    ["http://h.test/${X}", "@evil.test/", "http://h.test/%40evil.test%2F"],
    ["http://h.test/${X}", "//evil.test", "http://h.test/%2F%2Fevil.test"],
    [
      "http://h.test/?q=${X}",
      "a&b=c d+é\r\n\0",
      "http://h.test/?q=a%26b%3Dc%20d%2B%C3%A9%0D%0A%00",
    ],
    ["http://h.test/a/${X}", "...", "http://h.test/a/..."],
    ["http://h.test/a/..${X}", "x", "http://h.test/a/..x"],
    ["http://h.test/a/../b", "", "http://h.test/b"],
    ["http://h.test\\${X}@evil.test", "..", "http://h.test/..@evil.test"],
  ])("%s with %j is %s", (template, value, href) => {
    expect(webhookUrl(template, given(value)).href).toBe(href);
  });

  it.each([
    ["", "v"],
    ["h.test/a", "v"],
    ["ftp://h.test/", "v"],
    ["file:///etc/passwd", "v"],
    ["javascript:alert(1)", "v"],
    ["http:h.test", "v"],
    ["http:///h.test", "v"],
    ["http:\\\\h.test", "v"],
    [" http://h.test/", "v"],
    ["http://h.test/a\tb", "v"],
    ["http://h.test:99999/", "v"],
    ["http://a b/", "v"],
    ["http://user:pw@h.test/", "v"],
    ["http://user@h.test/", "v"],
    ["${X}", "http://h.test/"],
    ["${X}://h.test/", "http"],
    ["http://${X}/", "h.test"],
    ["http://h.test${X}", ":80"],
    ["http://h.test:${X}/", "80"],
    ["http://${X}@h.test/", "u"],
    ["http://h.test/a/${X}", "."],
    ["http://h.test/a/${X}/b", ".."],
    ["http://h.test/a/.${X}/b", "."],
    ["http://h.test/a\\${X}", ".."],
    ["http://h.test/a/%2e${X}", "."],
    ["http://h.test/${PRIVATE}", "v", "ORCS1019"],
    ["http://h.test/${Y}", "v", "ORCS1019"],
    ["http://h.test/${X", "v", "ORCS1019"],
    ["http://h.test/${X/}", "v", "ORCS1019"],
    ["http://h.test/${X}", "\ud800"],
    ["http://h.test/${X}", "", "ORCS1019"],
  ])("%s with %j is rejected", (template = "", value = "", code = "ORCS1004") => {
    const mistake = mistakeOf(() => webhookUrl(template, given(value)));
    expect(mistake.code).toBe(code);
    expect(mistake.message).toMatch(/the webhook's url: ./);
    expect(mistake.message).not.toContain("s3cret");
  });

  it("keeps its origin and number of segments for any variable value", () => {
    const nasty = fc.array(
      fc.constantFrom(
        ".",
        "/",
        "\\",
        "@",
        ":",
        "?",
        "#",
        "%2e",
        "%2f",
        "\r",
        "\n",
        "\t",
        "\0",
        "a",
        "é",
      ),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          nasty.map((parts) => parts.join("")),
          fc.string({ minLength: 1 }),
        ),
        (value) => {
          let url: URL;
          try {
            url = webhookUrl("https://h.test:8443/a/${X}/b?q=${X}", given(value));
          } catch (thrown) {
            expect([".", ".."]).toContain(value);
            expect(thrown).toBeInstanceOf(OrcsError);
            return;
          }
          expect(url.origin).toBe("https://h.test:8443");
          const [, a, x, b, ...more] = url.pathname.split("/");
          expect([a, decodeURIComponent(x ?? ""), b, more]).toEqual(["a", value, "b", []]);
          expect([...url.searchParams]).toEqual([["q", value]]);
        },
      ),
    );
  });
});

describe("webhook headers", () => {
  it("are expanded, in lower case, with the fixed ones", () => {
    expect(
      webhookHeaders(
        { Authorization: "Bearer ${X}", "Content-Type": "application/x+json" },
        given("v w"),
      ),
    ).toEqual({
      authorization: "Bearer v w",
      "content-type": "application/x+json",
      accept: "application/json",
      "user-agent": "orcs",
      "accept-encoding": "identity",
    });
  });

  it.each(OWN_HEADERS.map((name) => [name]))("cannot set %s", (name) => {
    for (const spelling of [name, name.toUpperCase()]) {
      expect(mistakeOf(() => webhookHeaders({ [spelling]: "x" }, given("v"))).code).toBe(
        "ORCS1004",
      );
    }
  });

  it.each(["", " ", "a b", "a:", "a\r\nb", "a\0", "é", "a\n", "(a)", "${X}"])(
    "cannot have the name %j",
    (name) => {
      expect(mistakeOf(() => webhookHeaders({ [name]: "x" }, given("v"))).code).toBe("ORCS1004");
    },
  );

  it.each([
    "v\r\nX-Injected: 1",
    "v\nX-Injected: 1",
    "v\r",
    "token\n",
    "v\0",
    "v\u007f",
    "v\u001b[31m",
    "é",
    "\u010a",
    "\u2028",
    "v\ud800",
  ])("cannot have the value %j, which is not in the error", (value) => {
    const mistake = mistakeOf(() => webhookHeaders({ "X-Thing": "${X}" }, given(value)));
    expect(mistake.code).toBe("ORCS1004");
    expect(mistake.message).toContain("X-Thing");
    expect(mistake.message).not.toContain(value);
    expect(mistakeOf(() => webhookHeaders({ "X-Thing": value }, given("v"))).code).toBe("ORCS1004");
  });

  it("cannot be named twice in different case", () => {
    expect(mistakeOf(() => webhookHeaders({ "X-A": "1", "x-a": "2" }, given("v"))).code).toBe(
      "ORCS1017",
    );
  });

  it("cannot use a variable that is not allowed or not set", () => {
    for (const template of ["${PRIVATE}", "${Y}", "${X", "a ${} b"]) {
      const mistake = mistakeOf(() => webhookHeaders({ a: template }, given("v")));
      expect(mistake.code).toBe("ORCS1019");
      expect(mistake.message).not.toContain("s3cret");
    }
  });

  it("accept any printable ASCII value unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (value) => {
        const printable = Array.from(value).every((c) => c === "\t" || (c >= " " && c <= "~"));
        const make = () => webhookHeaders({ a: "${X}" }, given(value))["a"];
        if (printable) expect(make()).toBe(value);
        else expect(mistakeOf(make).code).toBe("ORCS1004");
      }),
    );
  });
});

describe("a webhook runner", () => {
  const SECRET = "t0p-s3cret/value";
  const environment = { variables: { TOKEN: SECRET } };

  it("is not created if a variable is missing", () => {
    for (const more of [
      { headers: { authorization: "Bearer ${TOKEN}" }, environment },
      { headers: { authorization: "Bearer ${TOKEN}" }, allowEnv: ["TOKEN"] },
    ]) {
      expect(mistakeOf(() => webhook("http://h.test/", more)).code).toBe("ORCS1019");
    }
    const url = "http://h.test/${TOKEN}";
    expect(mistakeOf(() => webhook(url, { environment })).code).toBe("ORCS1019");
  });

  it("is not created with an invalid header or host", () => {
    for (const more of [
      {
        headers: { a: "${TOKEN}" },
        allowEnv: ["TOKEN"],
        environment: { variables: { TOKEN: "a\r\nb: c" } },
      },
      { allowHosts: ["*"] },
    ]) {
      expect(mistakeOf(() => webhook("http://h.test/", more)).code).toBe("ORCS1004");
    }
  });

  it("sends expanded values", async () => {
    const server = await servers.http((response) => response.end());
    const runner = webhook(`${server.url}/\${TOKEN}?t=\${TOKEN}`, {
      headers: { Authorization: "Bearer ${TOKEN}" },
      allowEnv: ["TOKEN"],
      environment,
    });
    expect(await ask(runner)).toEqual({ answer: undefined, edits: [] });
    expect(server.got[0]).toMatchObject({
      url: "/t0p-s3cret%2Fvalue?t=t0p-s3cret%2Fvalue",
      headers: { authorization: `Bearer ${SECRET}` },
    });
  });

  it("reveals no secret in any failure", async () => {
    const encoded = encodeURIComponent(SECRET);
    const reflecting = await servers.http((response, nth) => {
      if (nth === 1) response.end(`<h1>${SECRET} ${encoded}</h1>`);
      else if (nth === 2) response.writeHead(307, { location: `https://${SECRET}.test/` }).end();
      else if (nth === 3)
        response.writeHead(307, { location: `//t0p-s3cret.test/${SECRET}` }).end();
      else if (nth === 4) response.writeHead(200, { "content-encoding": SECRET }).end();
      else if (nth === 5) response.writeHead(500).end(SECRET);
      else response.writeHead(302, { location: `/${encoded}` }).end();
    });
    const hanging = await servers.http(() => {});
    const raw = await servers.tcp((socket) => void socket.end(`${SECRET}\r\n\r\n`));
    const more = {
      headers: { Authorization: "Bearer ${TOKEN}" },
      allowEnv: ["TOKEN"],
      environment,
    };
    const throwing = {
      ...PROTOCOL,
      readHttp: () => {
        throw new Error(`what is ${SECRET}?`);
      },
    };
    const path = "/${TOKEN}";
    const at = (url: string, other = {}) => webhook(url + path, { ...more, ...other });
    const failures = [];
    for (let i = 0; i < 6; i++) failures.push(await failureOf(ask(at(reflecting.url))));
    failures.push(await failureOf(ask(at(hanging.url), { timeoutMs: 50 })));
    failures.push(await failureOf(ask(at(raw.url))));
    failures.push(await failureOf(ask(at(reflecting.url, { allowHosts: [] }))));
    failures.push(
      await failureOf(
        ask(at("http://hook.test", { resolve: () => Promise.reject(new Error(SECRET)) })),
      ),
    );
    const answering = await servers.http((response) => response.end("{}"));
    failures.push(await failureOf(ask(at(answering.url, { protocol: throwing }))));
    expect(failures).toHaveLength(11);
    for (const { message } of failures) {
      expect(message).not.toContain(SECRET);
      expect(message).not.toContain(encoded);
      expect(message).not.toContain("Bearer");
    }
    expect(failures[0]?.message).toContain("<h1>[redacted] [redacted]</h1>");
  });

  it.each([
    ["an action", (secret: string) => JSON.stringify({ action: secret })],
    ["a key", (secret: string) => JSON.stringify({ action: "continue", [secret]: 1 })],
    ["a part of the context", (secret: string) => `{"action":"continue","ctx":{"${secret}":1}}`],
    ["half a JSON", (secret: string) => `{"action":"${secret}`],
    ["not JSON", (secret: string) => secret],
  ])("reveals no secret echoed in a response: %s", async (_, body) => {
    const { registry, log } = bench();
    const server = await servers.http((response) => response.end(body(SECRET)));
    const runner = webhook(server.url, {
      headers: { Authorization: "Bearer ${TOKEN}" },
      allowEnv: ["TOKEN"],
      environment,
      protocol: HANDLER_PROTOCOLS.orcs,
    });
    registry.register(hook(runner, { point: "tool.pre_execute" }));
    const outcome = await registry.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
    expect(outcome.action).toBe("abort");
    expect(JSON.stringify([outcome, log.lines])).not.toContain(SECRET.slice(0, 5));
  });
});
