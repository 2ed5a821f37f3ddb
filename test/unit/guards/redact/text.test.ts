import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";
import { tokenKinds } from "../../../../src/guards/redact/token-kinds.ts";
import { SECRETS, SITUATIONS } from "./secrets.ts";

const redactor = createRedactor();

describe("redacting text: known secret formats", () => {
  test.each(Object.entries(SECRETS))("%s", (_, secret) => {
    expect(redactor.text(secret)).toBe("[redacted]");
    expect(redactor.text(`it is ${secret}, you know`)).toBe("it is [redacted], you know");
    expect(redactor.text(`${secret}\n${secret}`)).toBe("[redacted]\n[redacted]");
  });

  test.each(SITUATIONS)("%s", (_, text, masked) => {
    expect(redactor.text(text)).toBe(masked);
    expect(redactor.text(masked)).toBe(masked);
  });

  test.each(tokenKinds())("$name: $begins", ({ begins, chars, least }) => {
    const one = new RegExp(chars);
    const alphabet = Array.from("A1a0B2b3").filter((char) => one.test(char));
    const body = Array.from({ length: least }, (_, i) => alphabet[i % alphabet.length]).join("");
    for (const begin of begins) {
      expect(redactor.text(`x ${begin}${body} y`)).not.toContain(body);
      expect(redactor.text(`x\\n${begin}${body}\\n`)).not.toContain(body);
      // After a name, where a random word alone is not masked: only the format counts.
      const short = `id=${begin}${body.slice(1)}`;
      expect(redactor.text(short)).toBe(short);
    }
  });
});

const LEFT = [
  "const token = readToken(text);",
  "token: Token;",
  "  password: string,",
  "function f(token: string): void {",
  "if (password === other) return;",
  "password != null && token == null",
  "token => token.type",
  "invalid token: expected string but got 5",
  "Unexpected token: }",
  "The token: a short text that names a thing.",
  "pass: 12 fail: 0",
  "PWD=/home/bob/project",
  "export PWD=$HOME",
  "password=$PASSWORD",
  'password="${PASSWORD}"',
  "--token $GITHUB_TOKEN --x",
  'curl -H "Authorization: Bearer $TOKEN" https://x.test',
  "token: ${{ secrets.GITHUB_TOKEN }}",
  "password: <your password>",
  "api_key: YOUR_API_KEY",
  "password=***",
  'token: "string"',
  '"cookie": "^0.7.1"',
  "credentials: 'include'",
  "max_tokens=4096 tokens: 17 tokenizer=cl100k",
  '{"max_tokens":100,"token_count":5,"stop_token":"x"}',
  "self.token = token",
  "password = config.password",
  "token=self.token",
  "grep: /etc/passwd: Permission denied",
  "sk-fading-circle sk-cube-grid",
  "https://user@host.test/path",
  "https://host.test:8080/@scope/pkg",
  "http://[::1]:80/a@b",
  "git@github.test:org/repo.git",
  "mailto:bob@host.test",
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
  "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
  "sha512-oRrz2Yk6Wp+3bXh6pPqEXQwMvBKLJTLBtwQyKzXyKxJL3pUXvVUXYyvPnZzT0l9xuxX0qQgdcTVb6cQxRgPZCg==",
  "123e4567-e89b-12d3-a456-426614174000",
  "[redacted]",
  "password=[redacted] token: [redacted]",
  "mkdir -p a/b && cp -p x y",
  "docker run -p 80:80 nginx",
  "ssh -p 22 host",
] as const;

test.each(LEFT)("redacting text leaves %s unchanged", (text) => {
  expect(redactor.text(text)).toBe(text);
});

test("redacting text: an existing mask does not hide what follows it", () => {
  expect(redactor.text("password=[redacted]hunter2")).toBe("password=[redacted]");
  expect(redactor.text('{"token":"[redacted] abc"}')).toBe('{"token":"[redacted]"}');
});

test("redacting text uses custom keys", () => {
  const own = createRedactor({ keys: ["acmePin", "c++"], patterns: [] });
  expect(own.text("ACME_PIN=1234 x")).toBe("ACME_PIN=[redacted] x");
  expect(own.text('{"acme-pin": "a"}')).toBe('{"acme-pin": "[redacted]"}');
  expect(own.text("acmepins=1 c=")).toBe("acmepins=1 c=");
});

test("one's own patterns are looked for first, in the original text", () => {
  const own = createRedactor({ keys: [], patterns: ["acme-1x acme-2", "acme-3"] });
  expect(own.text("password=acme-1x acme-2 acme-3")).toBe("password=[redacted] [redacted]");
  expect(redactor.text("password=acme-1x acme-2")).toBe("password=[redacted] acme-2");
});
