import { expect, test } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";

const redactor = createRedactor();
const word = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7xR0".repeat(6);
/** Without a format: as many pairs of letters as in a random word. */
const random = "qXw7zKvTb2pLmFgR9wYcNj4BxdGhQk8sVzPf3HtJrWn5";
const hex = "0123456789abcdef".repeat(8);
const pair = btoa("bob:hunter2");

/** Secrets by themselves, in a sentence that does not say what they are. */
const FORMATS: Readonly<Record<string, string>> = {
  Notion: `ntn_12345678901${word.slice(0, 35)}`,
  "Notion, before 2024": `secret_${word.slice(0, 43)}`,
  Sentry: `sntryu_${hex.slice(0, 64)}`,
  "Terraform Cloud": `${word.slice(0, 14)}.atlasv1.${word.slice(0, 67)}`,
  Pulumi: `pul-${hex.slice(0, 40)}`,
  Postman: `PMAK-${hex.slice(0, 24)}-${hex.slice(0, 34)}`,
  Supabase: `sbp_${hex.slice(0, 40)}`,
  Vercel: `vcp_${word.slice(0, 40)}`,
  "Vercel, before 2026": random.slice(0, 24),
  Netlify: `nfp_${word.slice(0, 36)}`,
  Figma: `figd_${word.slice(0, 43)}`,
  "Fly.io": `fo1_${word.slice(0, 43)}`,
  Discord: `M${word.slice(0, 25)}.${word.slice(0, 6)}.${word.slice(0, 38)}`,
  Telegram: `123456789:AA${word.slice(0, 33)}`,
  "Azure AD": `${word.slice(0, 3)}8Q~${word.slice(0, 34)}`,
  "a key without a format": random.slice(0, 40),
  "a key in lower case": random.slice(0, 32).toLowerCase(),
};

test.each(Object.entries(FORMATS))("a key of %s is masked", (_, secret) => {
  expect(redactor.text(`What we saw there was ${secret} and no more.`)).toBe(
    "What we saw there was [redacted] and no more.",
  );
});

/** A text, and what is left of it. */
const STATEMENTS: readonly (readonly [string, string])[] = [
  [`    client-key-data: ${btoa(word)}`, "    client-key-data: [redacted]"],
  [`{"auths":{"x.test":{"auth":"${pair}"}}}`, '{"auths":{"x.test":{"auth":"[redacted]"}}}'],
  [`//x.test/:_auth=${pair}`, "//x.test/:_auth=[redacted]"],
  ["define('DB_PASSWORD', 'hunter2');", "define('DB_PASSWORD', '[redacted]');"],
  ['define( "AUTH_KEY" , "put it" );', 'define( "AUTH_KEY" , "[redacted]" );'],
  ["db.test:5432:app:bob:hunter2", "db.test:5432:app:bob:[redacted]"],
  ["*:*:*:bob:hunter2", "*:*:*:bob:[redacted]"],
  ["root:$6$abcdefgh$" + word.slice(0, 86) + ":19000:0:::", "root:[redacted]:19000:0:::"],
  ["CREATE USER bob IDENTIFIED BY 'hunter2';", "CREATE USER bob IDENTIFIED BY '[redacted]';"],
  ["create user bob identified by 'hunter2'", "create user bob identified by '[redacted]'"],
  ["ALTER USER bob IDENTIFIED BY tiger;", "ALTER USER bob IDENTIFIED BY [redacted];"],
  [
    "aws configure set aws_secret_access_key hunter2",
    "aws configure set aws_secret_access_key [redacted]",
  ],
  ["sqlcmd -S db.test -U sa -P hunter2 -Q x", "sqlcmd -S db.test -U sa -P [redacted] -Q x"],
  ["ldapsearch -x -w hunter2 -b dc=x", "ldapsearch -x -w [redacted] -b dc=x"],
  ["htpasswd -bc file bob hunter2", "htpasswd -bc file bob [redacted]"],
  [
    '<add key="ClearTextPassword" value="hunter2" />',
    '<add key="ClearTextPassword" value="[redacted]" />',
  ],
  [`DD_APP_KEY=${hex.slice(0, 40)}`, "DD_APP_KEY=[redacted]"],
];

test.each(STATEMENTS)("the secret in %s is masked", (text, masked) => {
  expect(redactor.text(text)).toBe(masked);
  expect(redactor.text(masked)).toBe(masked);
});

test("the user name and the password of Docker are masked in a value", () => {
  expect(redactor.value({ auths: { "x.test": { auth: pair, url: "x" } }, auth: "none" })).toEqual({
    auths: { "x.test": { auth: "[redacted]", url: "x" } },
    auth: "none",
  });
});

const LEFT: readonly string[] = [
  // What is written by an editor into a file, and was read as a secret.
  "permissions:\n  id-token: write\n  contents: read",
  "    id-token: 'write' # for OIDC",
  "    secrets: inherit",
  '{"name":"key","token":"GET","type":"string"}',
  '{ "password": "Mot de passe", "token": "Jeton", "secret": "密钥", "apiKey": "API Key" }',
  '  "password": "Passwort",',
  "    token: mio::Token,",
  "    token: windows_sys::Win32::Foundation::HANDLE,",
  "fn new(secret: Vec<u8>) {",
  '    "js-cookie": ["js-cookie@3.0.8", "", {}, "sha512-yeJd4aNAdYZQjaon2bpD=="],',
  "cookie@0.7.2:",
  "const token = parts[1];",
  "const apiKey = values.apiKey?.trim();",
  "  idToken: newCredentials.access,",
  "isExpired(credentials: OAuthCredentials): boolean {",
  'eprint!("Password: ");',
  'fmt.Errorf("failed to save the API key: %w", err)',
  'if [ -n "${GITHUB_TOKEN:-}" ]; then',
  '"secret": {\n  "type": "string"\n}',
  'type = isSecret ? "password" : "text"',
  "apiKey: 'your-api-key-here'",
  'api_key = "sk-ant-..."',
  "--allow-package-secrets sendgrid",
  // Near misses of the statements.
  '{"auth":"required"}',
  '{"auth":"YWJjZGVmZ2hpams="}',
  "define('DB_NAME', 'shop');",
  "define('DB_PASSWORD', '');",
  "src/a.ts:12:5:error:unexpected",
  "10:20:30:40:50",
  "aws configure set region eu-central-1",
  "the patterns are identified by 'auto' in the list",
  '<add key="Timeout" value="30" />',
  "sqlcmd -S db.test -E -Q x",
  `root:!:19000:0:::`,
  // Words that look random, and are no secrets.
  `commit ${hex.slice(0, 40)} and ${hex.slice(0, 64)}`,
  "npm i x86_64-unknown-linux-gnu aarch64-apple-darwin-20240101",
  `toolu_01${word.slice(0, 22)} call_${word.slice(0, 24)} cus_${word.slice(0, 14)}`,
  `"sha512-${word.slice(0, 86)}=="`,
  `https://docs.test/d/1${word.slice(0, 43)}/edit?x=${word.slice(0, 30)}`,
  `id: ${word.slice(0, 30)} cursor=${word.slice(0, 30)}`,
  "01ARZ3NDEKTSV4RRFFQ69G5FAV V1StGXR8_Z5jdHi6B-myT",
  "getBase64EncodedSha256Digest useOAuth2TokenV3Client TestE2E_OAuth2_S3Upload_V2",
  "/nix/store/0c5b6ql1bhs7i1mka5rjpsnkzl3mxl2p-hello-2.12",
  `${word.slice(0, 64)}\n${word.slice(7, 71)}\n${word.slice(3, 40)}`,
  `github_pat_${"x".repeat(40)} ghp_${"x".repeat(36)} AKIAIOSFODNN7EXAMPLE`,
];

test.each(LEFT)("%j is left", (text) => {
  expect(redactor.text(text)).toBe(text);
});
