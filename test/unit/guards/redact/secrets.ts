import { rows } from "../../../rows.ts";

/** Secrets that show what they are, and no real ones: put together here, so that no scanner of sources finds them. */
const ID = "Q7ZT3WXNB5KD2JRM";
const NUMBER = "123456789012";
const hex = "0123456789abcdef".repeat(4);
const word = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(4);
const lines = [
  "MIIEowIBAAKCAQEA7Zq3Z0X2",
  "Pq8sT1vW4yZ7aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9jK2mN5pQ",
].join("");

/** Kind → a secret of it, as it stands for itself. */
export const SECRETS: Readonly<Record<string, string>> = {
  "AWS access key": `AKIA${ID}`,
  "AWS temporary key": `ASIA${ID}`,
  "GitHub token": `ghp_${word.slice(0, 36)}`,
  "GitHub OAuth token": `gho_${word.slice(0, 36)}`,
  "GitHub server token": `ghs_${word.slice(0, 36)}`,
  "GitHub fine-grained token": `github_pat_${word.slice(0, 22)}_${word.slice(0, 59)}`,
  "GitLab token": `glpat-${word.slice(0, 20)}`,
  "Slack bot token": `xoxb-${NUMBER}-${NUMBER}-${word.slice(0, 24)}`,
  "Slack user token": `xoxp-${NUMBER}-${word.slice(0, 24)}`,
  "Stripe key": `sk_live_${word.slice(0, 24)}`,
  "Stripe restricted key": `rk_live_${word.slice(0, 24)}`,
  "Google API key": `AIza${word.slice(0, 35)}`,
  "OpenAI key": `sk-${word.slice(0, 48)}`,
  "OpenAI project key": `sk-proj-${word.slice(0, 60)}`,
  "Anthropic key": `sk-ant-api03-${word.slice(0, 80)}`,
  "npm token": `npm_${word.slice(0, 36)}`,
  "PyPI token": `pypi-${word.slice(0, 80)}`,
  "SendGrid key": `SG.${word.slice(0, 22)}.${word.slice(0, 43)}`,
  "Twilio key": `SK${hex.slice(0, 32)}`,
  "Hugging Face token": `hf_${word.slice(0, 34)}`,
  "DigitalOcean token": `dop_v1_${hex}`,
  "age key": `AGE-SECRET-KEY-1${"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".repeat(2).slice(0, 58)}`,
  "JSON Web Token": `eyJ${word.slice(0, 33)}.eyJ${word.slice(0, 50)}.${word.slice(0, 43)}`,
};

/** Name | a text with what is masked of it between «». ⏎ and ␍ are breaks of lines. */
const MARKED = rows(`
Slack webhook | https://hooks.slack.com/services/«T00/B00/${word.slice(0, 24)}»
Azure account key | AccountName=a;AccountKey=«${word.slice(0, 40)}==»;EndpointSuffix=x
Azure signature | https://a.test/c?sv=2020&sig=«${word.slice(0, 43)}%3D»&se=1
AWS signature | https://a.test/c?X-Amz-Signature=«${hex}»&x=1
AWS secret key | aws_secret_access_key = «${word.slice(0, 40)}»
bearer header | Authorization: Bearer «abc.def-123»
basic header | curl -H "Authorization: Basic «dXNlcjpwYXNz»" https://x.test
header without a scheme | authorization: «abc123»
proxy header | Proxy-Authorization: Basic «dXNlcjpwYXNz»␍⏎Host: x
digest header | Authorization: Digest «username=bob, response=abc1»
cookie | Cookie: «a=b1; session=xyz»⏎Accept: */*
set-cookie | < set-cookie: «sid=abc; Path=/»
header in escaped JSON | {"c":"curl -H \\"Authorization: Bearer «abc123»\\" x"}
bare bearer token | got Bearer «${word.slice(0, 30)}» from
connection string | postgres://bob:«hunter2»@db.test:5432/x
connection without a user | redis://:«hunter2»@cache.test
password with an @ | amqp://bob:«hunt@er2»@mq.test/v
password with a / | mongodb+srv://bob:«hunt/er2»@db.test/x?y=1
token as a user | https://«${word.slice(0, 40)}»@git.test/a.git
env file | A=1⏎DB_PASSWORD=«hunter2»⏎B=2
env file with quotes | export API_KEY='«a b c»'
YAML | db:⏎  password: «hunter2» # mine⏎  port: 1
YAML, words | password: «correct horse battery staple»
INI | [db]⏎password = «hunter2»⏎
JSON | {"user":"bob","password":"«hunter2»","n":1}
JSON, spread out | {⏎  "token" :⏎    "«abc»"⏎}
JSON, a number | {"token":«123456»,"x":1}
JSON, an escaped quote | {"password":"«hun\\"ter2»","x":1}
JSON, a list | {"secrets":["«one»","«two»"],"x":"y"}
JSON, an object | {"credentials":{"user":"«bob»","key":"«abc»"},"x":"y"}
JSON in a string | {"body":"{\\"password\\":\\"«hunter2»\\",\\"x\\":1}"}
JSON, cut | {"x":1,"password":"«hunte»
a flag | deploy --password «hunter2» --verbose
a flag with = | deploy --api-key=«abc» --verbose
a quoted flag | deploy --token "«a b»" x
mysql -p | mysql -u root -p«hunter2» db
sshpass | sshpass -p «hunter2» ssh x
docker login | docker login -u bob -p «hunter2» reg.test
curl -u | curl -u bob:«hunter2» https://x.test
a query | GET /x?user=bob&access_token=«abc123»&n=1#t HTTP/1.1
a form | grant=x&client_secret=«abc123»&n=1
an encoded query | u=https%3A%2F%2Fx%2F%3Ftoken%3D«abc123»
ADO | Server=s;User Id=bob;Password=«hunter2»;Encrypt=true
XML | <server><password>«hunter2»</password></server>
Ruby | { :password => '«hunter2»' }
Python | connect(password="«hunter2»", db=1)
TypeScript | const apiKey = "«abc»";
SQL | CREATE USER bob WITH PASSWORD '«hunter2»';
.netrc | machine x.test login bob password «hunter2»
.npmrc | //registry.test/:_authToken=«abc123»
a log line | 2024-01-01 INFO login user=bob password=«hunter2» ok
two words | Your API Key: «abc123def»
PEM | x⏎-----BEGIN RSA PRIVATE KEY-----«⏎${lines}⏎»-----END RSA PRIVATE KEY-----⏎y
PEM in JSON | {"k":"-----BEGIN PRIVATE KEY-----«\\n${lines}\\n»-----END PRIVATE KEY-----\\n"}
PEM, cut | -----BEGIN EC PRIVATE KEY-----«⏎${lines}⏎${lines.slice(0, 10)}»
PGP | -----BEGIN PGP PRIVATE KEY BLOCK-----«⏎⏎${lines}⏎»-----END PGP PRIVATE KEY BLOCK-----
PEM in an env file | KEY="-----BEGIN PRIVATE KEY-----«⏎${lines}⏎»-----END PRIVATE KEY-----"
`);

/** Name → a text with a secret in it, and what stays of the text. */
export const SITUATIONS: readonly (readonly [name: string, text: string, masked: string])[] = [
  ...MARKED.map(([name = "", marked = ""]) => {
    const text = marked.replaceAll("⏎", "\n").replaceAll("␍", "\r");
    const masked = text.replaceAll(/«[^»]*»/g, "[redacted]");
    return [name, text.replaceAll(/[«»]/g, ""), masked] as const;
  }),
  [
    "JSON in a string in a string",
    JSON.stringify(JSON.stringify(JSON.stringify({ token: 'a"b' }))),
    JSON.stringify(JSON.stringify(JSON.stringify({ token: "[redacted]" }))),
  ],
  [
    "GCP key file",
    JSON.stringify({
      type: "service_account",
      private_key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
    }),
    '{"type":"service_account","private_key":"[redacted]"}',
  ],
];
