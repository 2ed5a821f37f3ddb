import { expect, test } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";
import { cpuMs } from "../../../cpu-time.ts";

const redactor = createRedactor({ keys: ["acme"], patterns: [] });

/** What a text is filled with to make a search begin often, or look far. */
const FILLERS = [
  "a",
  "A",
  "A1",
  " ",
  "\n",
  "\\",
  '"',
  "'",
  "=",
  ":",
  "@",
  ".",
  "-",
  "_",
  "/",
  "&",
  ";",
  ",",
  "<",
  "{",
  "[",
  ")",
  "ey",
  "eyJ",
  "eyJ.",
  "eyJaaaaaaaaaa.",
  "://",
  "://a",
  "://a:",
  "://a:b@",
  "a://b:c/",
  "-----BEGIN",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\n",
  "-----END",
  "password",
  "password=",
  "password:",
  "password: ",
  "password = ",
  "password=a,",
  "password=a;",
  "password=a&",
  'password="',
  '"password":"',
  '"password":',
  '"password":{',
  '"password":[',
  '"password":["',
  '\\"password\\":\\"',
  "password=$",
  "password=${",
  "password=(",
  "password: a(",
  "password => ",
  "<password>",
  "<password",
  "--password ",
  "--password",
  "PASSWORD 'a ",
  "login a password ",
  "token",
  "token.",
  "token_",
  "Token",
  "tokenKey",
  "api key ",
  "key",
  "apikey=",
  "acme",
  "acme=",
  "Authorization: ",
  "authorization: Bearer ",
  "cookie: a ",
  "cookie: a=",
  "Cookie:",
  "sk-",
  "sk-a1",
  "ghp_",
  "xoxb-",
  "xoxb-a",
  "AKIA",
  "AKIAA",
  "AIza",
  "hf_",
  "sig=",
  "Bearer ",
  "Bearer a",
  "SG.",
  "AGE-SECRET-KEY-",
  "mysql ",
  "mysql -a ",
  " -p",
  "-x -y ",
  "aB3dE6gH9jK2mN5pQ8sT1vW4y ",
  "aB3dE6gH9jK2mN5pQ8sT1vW4y/",
  "aB3dE6gH9jK2mN5pQ8sT1vW4y\n",
  "1.1-",
  "A3-",
  "pk_1234_",
  "85|",
  "<a ",
  "password=<a ",
  "hooks.zapier.com/hooks/catch/",
  "mysql -p",
  "curl -u ",
  "curl -u a:",
  "docker login ",
  "docker ",
  "[redacted]",
  "password=[redacted]",
  "\\n",
  "%3D",
  "\\u0022",
] as const;

const SIZE = 1 << 16;

/** Eight times the text may take forty times as long; a quadratic search takes 64 times. */
test.each(FILLERS)("redacting a text of repeated %j takes linear time", (filler) => {
  const filled = (size: number): string => filler.repeat(Math.ceil(size / filler.length));
  for (const before of ["", '"password: ']) {
    const [few, many] = [before + filled(SIZE / 8), before + filled(SIZE)];
    cpuMs(() => redactor.text(few), 1);
    const small = cpuMs(() => redactor.text(few));
    const large = cpuMs(() => redactor.text(many), 2);
    expect(large, `${small} ms, then ${large} ms`).toBeLessThan(Math.max(100, small * 40));
  }
});

test("redacting a megabyte of the slowest texts is fast", () => {
  for (const filler of ["cookie: a ", "password: ", "curl -u ", '"password":{', "eyJ.", "a"]) {
    const started = performance.now();
    redactor.text(filler.repeat((1 << 20) / filler.length));
    expect(performance.now() - started).toBeLessThan(10_000);
  }
});

test("redacting a megabyte on one line finds the secret at its end", () => {
  const text = `${"lorem ipsum ".repeat(90_000)} password=hunter2`;
  expect(redactor.text(text).endsWith(" password=[redacted]")).toBe(true);
});
