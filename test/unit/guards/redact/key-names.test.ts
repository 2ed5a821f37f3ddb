import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";
import { KeyNames } from "../../../../src/guards/redact/key-names.ts";

const TELLING = [
  "password",
  "Password",
  "PASSWORD",
  "passwords",
  "passwd",
  "pwd",
  "pass",
  "passphrase",
  "passcode",
  "user_password",
  "userPassword",
  "db-password",
  "dbpassword",
  "PGPASSWORD",
  "MYSQL_PWD",
  "DB_PASS",
  "smtpPass",
  "hashed_password",
  "password_hash",
  "secret",
  "secrets",
  "client_secret",
  "clientSecret",
  "CLIENT-SECRET",
  "clientsecret",
  "webhook_secret",
  "token",
  "Token",
  "access_token",
  "accessToken",
  "accesstoken",
  "refresh_token",
  "refreshToken",
  "id_token",
  "auth_token",
  "authToken",
  "session_token",
  "bearer_token",
  "GITHUB_TOKEN",
  "_authToken",
  "--token",
  "csrf_token",
  "personalAccessToken",
  "AWS_SECRET_ACCESS_KEY",
  "aws_session_token",
  "secretAccessKey",
  "api_key",
  "apikey",
  "apiKey",
  "API-KEY",
  "x-api-key",
  "X-API-Key",
  "OPENAI_API_KEY",
  "openaiApiKey",
  "AccountKey",
  "SharedAccessKey",
  "private_key",
  "privateKey",
  "private-key",
  "signing_key",
  "encryptionKey",
  "master_key",
  "authorization",
  "Authorization",
  "proxy-authorization",
  "Proxy-Authorization",
  "cookie",
  "Cookie",
  "set-cookie",
  "Set-Cookie",
  "cookies",
  "credentials",
  "credential",
  "aws_credentials",
  "jwt",
  "JWT",
  "spring.datasource.password",
  "API Key",
] as const;

const INNOCENT = [
  "",
  "max_tokens",
  "maxTokens",
  "MAX_TOKENS",
  "token_count",
  "tokenCount",
  "tokens",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "tokenizer",
  "tokenize",
  "token_type",
  "token_endpoint",
  "tokenUrl",
  "next_token",
  "nextPageToken",
  "page_token",
  "continuationToken",
  "max_token",
  "eos_token",
  "pad_token_id",
  "cost_per_token",
  "cancellationToken",
  "password_length",
  "passwordPolicy",
  "password_reset_url",
  "NOPASSWD",
  "secret_name",
  "secretary",
  "secretArn",
  "cookie_domain",
  "cookieName",
  "cookie_policy",
  "authorization_endpoint",
  "author",
  "authority",
  "authorized",
  "auth",
  "key",
  "keys",
  "id",
  "name",
  "public_key",
  "primary_key",
  "foreign_key",
  "keyboard",
  "monkey",
  "AWS_ACCESS_KEY_ID",
  "accessKeyId",
  "sort_key",
  "session_id",
  "sessionId",
  "OLDPWD",
  "bypass",
  "compass",
  "passed",
  "passing",
  "passenger",
  "passport",
  "surpass",
  "path",
  "url",
  "credentialsUrl",
  "jwt_issuer",
  "__proto__",
  "constructor",
  "toString",
] as const;

describe("key names", () => {
  const names = new KeyNames([]);
  test.each(TELLING)("%j denotes a secret", (name) => {
    expect(names.isTelling(name)).toBe(true);
    expect(createRedactor().value({ [name]: "x1" })).toEqual({
      [name]: "[redacted]",
    });
  });

  test.each(INNOCENT)("%j does not denote a secret", (name) => {
    expect(names.isTelling(name)).toBe(false);
    const value = { [name]: "x1", n: 1 };
    expect(createRedactor().value(value)).toBe(value);
  });

  test("custom names are compared regardless of case and separators", () => {
    const own = new KeyNames(["Acme-Pin", "läuft", "", "--"]);
    for (const name of ["acmePin", "ACME_PIN", "acme pin", "acmepin", "acme.pin", "LÄUFT"]) {
      expect(own.isTelling(name)).toBe(true);
    }
    for (const name of ["pin", "acme", "acme_pins", "my_acme_pin", "", "-"]) {
      expect(own.isTelling(name)).toBe(false);
    }
  });

  test("a name of a megabyte and a million names take linear time", () => {
    const own = new KeyNames([]);
    expect(own.isTelling(`${"A".repeat(1 << 20)}_password`)).toBe(true);
    expect(own.isTelling("Aa".repeat(1 << 19))).toBe(false);
    for (let i = 0; i < 1e5; i++) own.isTelling(`name${i}`);
    expect(own.isTelling("token")).toBe(true);
  });
});
