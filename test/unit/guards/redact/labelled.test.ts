import { expect, test } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";

const redactor = createRedactor();
const M = "[redacted]";
const hex = "0123456789abcdef".repeat(8);
const word = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7xR0".repeat(6);
/** As programs make them, with fewer changes between letters and digits. */
const random = "gmUGWxhQW9KQWdhd0lCQVFRZ0ViVnpwrLzZYdDJP";
const PW = "n84ASM54y4";
const AGE = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
/** Part of the body of a private key; the version is 0. */
const DER = `MIIEpAIBAAKCAQEA${word.slice(0, 48)}`;

/** What a line has → the line, with the secret between `«` and `»`. */
const MASKED: Readonly<Record<string, string>> = {
  LlamaCloud: `llx «llx-${word.slice(0, 48)}» x`,
  "New Relic license": `x «${hex.slice(0, 36)}NRAL» x`,
  "New Relic license in Europe": `x «eu01x${hex.slice(0, 31)}NRAL» x`,
  "New Relic insert key": `x «NRII-${word.slice(0, 12)}_${word.slice(0, 12)}»`,
  Akamai: `T: «akab-${hex.slice(0, 16)}-${hex.slice(0, 16)}»`,
  "Amazon MWS": `x «amzn.mws.${hex.slice(0, 8)}-4a1b-4a1b-8a1b-${hex.slice(0, 12)}»`,
  Instagram: `x «IGQVJ${word.slice(0, 120)}»`,
  WunderGraph: `x «cosmo_${hex.slice(0, 32)}»:T`,
  "Azure key": `t «${word.slice(0, 52)}JQQJ99${word.slice(0, 26)}»`,
  "Jira token": `/token/«OTI2NjA3NjU1NTI2Oh${word.slice(0, 26)}»`,
  "X bearer token": `x «AAAAAAAAAAAAAAAAAAAAA${word.slice(0, 10)}%2B${word.slice(0, 60)}»`,
  "Atlassian, escaped": `x = «ATATT3${word.slice(0, 60)}\\=00203E68»`,
  "Atlassian in a URL": `x = «ATATT3${word.slice(0, 60)}%3D00203E68» y`,
  "Salesforce session": `t «00D5g000004aaaa!AQ${word.slice(0, 60)}.${word.slice(0, 20)}»`,
  "Salesforce session in a URL": `sid=«00D5g000004aaaa%21AQ${word.slice(0, 60)}»&x=1`,
  "NTLM message": `x «TlRMTVNTUAADAAAA${word.slice(0, 60)}» x`,
  "NTLM, dump": `bob:1001:«${hex.slice(0, 32)}:${hex.slice(0, 32)}»:::`,
  "NTLM, option": `-hashes «aad3b435b51404eeaad3b435b51404ee:${hex.slice(0, 32)}» x`,
  "NTLM, response": `bob::CORP:«${hex.slice(0, 16)}:${hex.slice(0, 32)}:01010000${hex.slice(0, 40)}»`,
  "NTLM, named": `NTLM: «${hex.slice(0, 32)}»`,
  "NTLM, JSON": `{"ntlm_hash": "«${hex.slice(0, 32)}»"}`,
  "JWK, private": `{"kty":"EC","x":"${word.slice(0, 43)}","d":"«${word.slice(0, 43)}»"}`,
  "JWK, symmetric": `{\\"kty\\":\\"oct\\",\\"k\\":\\"«${word.slice(0, 32)}»\\"}`,
  "JWK, source code": `{ kty: "RSA", e: "AQAB", dp: '«${word.slice(0, 40)}»' }`,
  "JWK, YAML": `kty: RSA\nqi: «${word.slice(0, 40)}»\nn: ${word.slice(0, 41)}`,
  libcurl: `curl_easy_setopt(curl, CURLOPT_USERPWD, "«root:${PW}»");`,
  "libcurl, proxy": `setopt(c, CURLOPT_PROXYPASSWORD, "«)d!~ORI8e'd@w8&()»");`,
  "libcurl, PHP": `CURLOPT_USERPWD => '«root:${PW}»',`,
  "libcurl, Python": `c.setopt(pycurl.USERPWD, '«root:${PW}»')`,
  "curl, bearer": `curl --oauth2-bearer "«${word.slice(0, 20)}==»" https://h.test`,
  PowerShell: `ConvertTo-SecureString "«P@ss w0rd!»" -AsPlainText -Force`,
  "PowerShell, named": `convertto-securestring -AsPlainText -Force -String «P@ssw0rd»`,
  "PowerShell, in brackets": `(ConvertTo-SecureString '«hunter2»' -Force)`,
  "PowerShell, pipe": `"«hunter2»" | ConvertTo-SecureString -AsPlainText`,
  "PowerShell, JSON": `"ConvertTo-SecureString \\"«${PW}»\\""`,
  "SQL, without quotes": `CREATE USER bob IDENTIFIED BY «${PW}»;`,
  "SQL in a text": `exec("ALTER USER bob ACCOUNT UNLOCK IDENTIFIED BY «${PW}»");`,
  "SQL, lower case": `create user bob identified by «${PW}»;`,
  "SQL, mixed": `ALTER USER 'bob'@'10.0.0.%' identified by '«${PW}»';`,
  "SQL, role": `CREATE ROLE app WITH LOGIN PASSWORD «${PW}»;`,
  "SQL, function": `SET PASSWORD FOR 'bob'@'h' = PASSWORD('«${PW}»');`,
  "PEM in Base64": `x («LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt${word.slice(0, 40)}»)`,
  "PKCS #1 without its block": `data : «${DER}\n   ${word.slice(0, 64)}\n   ${word.slice(0, 20)}»\n`,
  "key of AES": `#define AES_KEY {«0x35, 0x34, 0x65, 0x9b, 0x1c, 0x2e, 0x11, 0x12»}`,
  "bytes of Go": `Secret: []byte{«33, 9, 100, 114, 245, 164, 134, 217,225»},`,
  "a short name": `my_pw: «nCzx8A8#!»`,
  "a short name of a database": `DBPASS="«${PW}»"`,
  "a misspelled name": `X3_PSWD=«d37Yt1Jnv0-z»`,
  "a numbered name": `password2 = "«${PW}»"`,
  "a type of Scala": `val password: String = "«${PW}»", // it`,
  "a type of Rust": `let secret: &'static str = "«${PW}»";`,
  "a type of Go": `var password string = "«${PW}»"`,
  "a default of Python": `def connect(passwd: str | None = "«${PW}»"):`,
  "a comparison": `if (password === "«PaS5w0rD2#»") {`,
  "a macro of C": `#define password "«${PW}»"`,
  "a macro of RPM": `%define token «${hex.slice(0, 64)}»`,
  "batch file": `SET password "«${PW}»"`,
  Dockerfile: `ENV API_TOKEN «abc123def456»`,
  fish: `set -gx GITHUB_TOKEN «abc123def456»`,
  "XML with attributes": `<password name="password">«cackle!»</password>`,
  "an entity of HTML": `<p value="password: «Df34D&amp;lt;345&amp;gt;gf7»" class="x">`,
  "a random word under key": `key = '«${random}»'`,
  "a random word in a query": `https://h.test/js?key=«${random}»&bug=1`,
  "Markdown, bold": `- **password:** «hunter2»`,
};

test.each(Object.entries(MASKED))("masked: %s", (_, line) => {
  const text = line.replaceAll(/[«»]/g, "");
  const masked = line.replaceAll(/«[^»]*»/g, M);
  expect(redactor.text(text)).toBe(masked);
  expect(redactor.text(masked)).toBe(masked);
});

const LEFT = [
  AGE,
  `# public key: ${AGE}`,
  `recipients: ["${AGE}"]`,
  `age_secret: ${AGE}`,
  `addr bc1q${"ar0srrr7xfkvy5l643lydnw9re59gtzz".slice(0, 38)}`,
  "- **cookie:** Keep unparseable set-cookie headers ([175ba5c](https://h.test/commit/175ba5c))",
  "- **setCookie:** Allow cookies with the same name ([#606](https://h.test/606))",
  "* **authorization:** Support schemes of version 2 (#12)",
  "cookie: Keep 2 headers when merging",
  "sessions: { readonly cookie: Buffer; readonly tab: Buffer; until: number }[] = [];",
  "    shared-key: build",
  "shared-key: build-${{ matrix.os }}",
  'shared-key: "linux-x64"',
  '<button accesskey="s">Save</button>',
  "ERROR_TOKEN:17,",
  'value_token: IDENT@0..2 "px"',
  "_eq_token: Token![=],",
  'const COOKIE: &str = "cookie";',
  'const CHUNKED_COOKIE = "__chunked__";',
  'export MISE_TOKEN="ghp_xxxxxxxxxxxx"',
  'token = "glpat-yyyyyyyy"',
  "DEBUG=pw:api npm test",
  "const pw = await chromium.launch();",
  "token1: Token;",
  "password: Optional[str] = None,",
  'password: string = "";',
  "const token: Token = next();",
  'if (token === "EOF")',
  'if password == "":',
  "#define MAX_TOKEN 512",
  "#define TOKEN_KEY VALUE",
  "# set the token to what the page shows",
  "ConvertTo-SecureString $env:PW -AsPlainText -Force",
  "Use ConvertTo-SecureString to make one.",
  "curl --oauth2-bearer $TOKEN https://h.test",
  'curl_setopt($ch, CURLOPT_USERPWD, "$user:$pass");',
  "users are identified by name",
  "ALTER USER 'bob'@'%' PASSWORD EXPIRE INTERVAL 90 DAY;",
  "NTLM authentication is used",
  `{"kty":"RSA","n":"${word.slice(0, 86)}","e":"AQAB","kid":"a"}`,
  'path: { d: "M0 0h24v24H0z", kty: 1 }',
  `currentHash: ${hex.slice(0, 32)}`,
  `publicKey: "${random}"`,
  '"key": "settings.general.title"',
  "std::collections::HashMap::new()",
] as const;

test.each(LEFT)("not masked: %s", (text) => {
  expect(redactor.text(text)).toBe(text);
});

test("the private members of a JSON Web Key are masked in values", () => {
  const key = { kty: "EC", crv: "P-256", x: "abc", d: "short", other: { d: "short" } };
  expect(redactor.value(key)).toEqual({ ...key, d: M });
});
