import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";

const redactor = createRedactor();

/** Class → texts that hold no secret. */
const BARE: Readonly<Record<string, readonly string[]>> = {
  "words of configurations": ["id-token: write", "secrets: inherit", "'password' => 'hashed',"],
  "words of a protocol": ['"token": "GET"', '"jwt": "JWT"', '"cookie": "cookie"'],
  types: [
    "token: mio::Token",
    "  password: string;",
    "password: bytes | str",
    "cookies: RequestsCookieJar | CookieJar | dict[str, str] | None",
    "  input_token: SecretStr",
    "id_token: z.ZodOptional<z.ZodString>;",
    "    password: Annotated[\n",
    "password: Uint8Array, salt: Uint8Array",
  ],
  variables: [
    "self.password = new_password",
    "f(url, cookies=merged_cookies,\n",
    "confirmation_token: @token) %>",
    'headers["Authorization"] = t1Msg;',
    "  token = set_reset_password_token",
    "  Password: b64Pwd,",
    "token := v1Prefix + encoded",
    "--token $GitHubToken $path",
    'Authorization: "Key " + notification.alertaApiKey,',
    "Authorization: `GenieKey ${notification.opsgenieApiKey}`,",
    "window.KOEL.auth_token = @json($token);",
    '->get("api/invitations?token=$prospect->invitation_token")',
    '<form @forgot-password="showingForm = true">',
  ],
  expressions: [
    "password = random_password.password.result",
    "{{- $password := .Values.auth.password }}",
    "$this->cookies = \\array_filter(",
    "l.token = Token{Line: l.line}",
    "apiKey: typeof args?.api_key === ",
    "password = ::BCrypt::Engine.hash_secret(password, salt)",
    "case 'cookie': value = getCookie(c);",
    "setToken:()=>x,",
    'replace(/Password=(.+);/gi, "")',
  ],
  templates: [
    "# api_token: ${{ secrets.API_TOKEN }}",
    "X=1 TOKEN=${{ secrets.API_TOKEN }} run",
    'GEM_HOST_API_KEY: "Bearer ${{secrets.GITHUB_TOKEN}}"',
    'password = "#{password}#{pepper}"',
    "let cookie = `${name}=${value}`;",
    "let cookie = `${name}=${value}; HttpOnly; SameSite=Strict; Path=/`;",
    '--password="$$(cat /run/secrets/db-password)"',
    "http://{}:{}@host/",
  ],
  "texts for people": [
    '"password": "Mot de passe"',
    '"wayToGetTelegramToken": "Du kan få et token fra {0}."',
    '"apiKey": "Defaults to the API_KEY env var"',
    '"New Password": "Neues Passwort wiederholen"',
    '{\n"name": "Ainm an úsáideora",\n"save": "Sábháil na hathruithe",\n"password": "Pasfhocal",\n"edit": "Cuir in eagar",\n"close": "Dún an fhuinneog",\n}\n',
    '"reset-password": "node extra/reset-password.js"',
    '"wayToGetApiKey": "Geh auf das Dashboard > API-Key > auf den \\"Hinzufügen\\"-Knopf"',
    '"wayToGetApiKey": "Зайдзіце > распрацоўшчык > {api key} > зялёная кнопка дадаць"',
    '"wayToGetUrlAndToken": "Du kan få API-URL:en och token genom att gå in i kanal från {0}"',
    `"wayToGetChannelToken": "Önce {0}'e erişin, bir sağlayıcı ve kanal oluşturun"`,
  ],
  placeholders: [
    "clientSecret: 'my-idp-secret'",
    '"secretAccessKey": "REDACTED"',
    "GITHUB_TOKEN=your_github_token_here",
    "https://user:pass@example.com/",
    "CLIENT_SECRET=<copy generated client secret value here>",
    '"Server=<host>;Password=<your password>;Encrypt=<true/false>"',
    "twilio://AccountSid:AuthToken@FromPhoneNo",
    '  APIKey:  "test",',
    "GET /resource/unlock?unlock_token=abcdef",
    "password: 'some-password',",
    "{ password: 'new_password' }",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
  ],
  "names of others": [
    '"cookie": {\n  "version": "0.4.2",\n  "resolved": "https://registry.test/cookie.tgz"\n}',
    '"application/jwt": {"source": "iana"}',
    '"psr-4": {"Firebase\\\\JWT\\\\": "src"}',
    "      universal-cookie: ^7",
    "progressToken: messageId",
    "e[e.OpenBraceToken=1]=",
    "Unexpected token: 'escaped keyword'",
    "b.ReadUint16LengthPrefixed(&content)",
    '<input v-model="form.token" :required="true">',
    "https://codecov.test/graph/badge.svg?token=6B6NxtsZc3",
    '"v1alpha1GnuPGPublicKeyList": {',
  ],
};

/** What looks like the texts above, and is a secret. */
const MASKED: readonly (readonly [string, string])[] = [
  ["password: hunter2,", "hunter2"],
  ["user(password=hunter2, x=1)", "hunter2"],
  ["login(user=bob, token=abc123)", "abc123"],
  ["password: correct horse battery staple", "horse"],
  ['"password": "correct horse battery staple"', "horse"],
  ["secret: 'keyboard cat'", "keyboard"],
  ["PASSWORD=my_db_pass", "my_db_pass"],
  ["password: new_monkey_pass", "monkey"],
  ["password: Sommer", "Sommer"],
  ["Server=s;token=abc;Encrypt=true", "abc"],
  ['"apiKey": "AbCdEfGh"', "AbCdEfGh"],
  ['api_key = "sk_abc"', "sk_abc"],
  ['"Authorization": "Bearer abc123"', "abc123"],
  ["password=${USER}hunter2", "hunter2"],
  ['{"token":123456,"x":1}', "123456"],
  ['{"name":"Bob","host":"a","password":"Sunshine"}', "Sunshine"],
  ["name: app\nhost: db\nport: 1\nuser: bob\npassword: Sunshine\n", "Sunshine"],
  ['{"version":1,"credentials":{"user":"bob","secret":"hunter2"}}', "hunter2"],
  ["x: user:hunter2\npostgres://bob:hunter2@db/x", "bob:hunter2"],
  ["invalid token: abc123def", "abc123def"],
  ["CLIENT_SECRET=<hunter2", "hunter2"],
  ["SET @password='hunter2'", "hunter2"],
  ["GET /unlock?unlock_token=abcdefg", "abcdefg"],
  ["GET /unlock?password=abcdef", "abcdef"],
  ["password=@json7(x", "json7"],
  [String.raw`"{\"a\\\\b\":1,\"token\":\"hunter2\"}"`, "hunter2"],
  ["PASSWORD=<a b>hunter2", "hunter2"],
  ['Authorization: "Key hunter2"', "hunter2"],
  ["Authorization: `GenieKey hunter2`", "hunter2"],
  ["x://bob:AuthToken7@host", "AuthToken7"],
  ['password: "test"', "test"],
  ['"apiKey": "Geh zu hunter2:abc1 hin"', "hunter2"],
];

describe("the redactor leaves source code and texts unchanged", () => {
  const rows = Object.entries(BARE).flatMap(([kind, texts]) => texts.map((text) => [kind, text]));
  test.each(rows)("%s: %j", (_, text) => {
    expect(redactor.text(text ?? "")).toBe(text);
  });
});

test.each(MASKED)("the redactor masks the secret in %j", (text, secret) => {
  expect(redactor.text(text)).not.toContain(secret);
});
