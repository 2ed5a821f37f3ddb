import { expect, test } from "vitest";
import { createRedactor } from "../../../../src/guards/redact/redactor.ts";

const redactor = createRedactor();
const hex = "0123456789abcdef".repeat(8);
const word = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7xR0".repeat(6);
/** With the characters that only some vendors use. */
const dashed = "aB3-E6_H9jK2-N5pQ8_T1vW4yZ7x".repeat(4);
const jwt = ["eyJhbGciOiJFUzI1NiJ9", `eyJpc3MiOiJ4In0${word.slice(0, 60)}`, dashed].join(".");

/** Vendor → a token in its documented form, after a name where a random word alone is not masked. */
const TOKENS: Readonly<Record<string, string>> = {
  "AWS session": `IQoJb3JpZ2luX2VjE${word.slice(0, 160)}`,
  "Facebook app": `EAAJ${word.slice(0, 160)}`,
  Jina: `jina_${hex.slice(0, 32)}${word.slice(0, 28)}`,
  n8n: `n8n_api_${jwt}`,
  Mollie: `live_${word.slice(0, 30)}`,
  "Mollie, for tests": `test_${word.slice(0, 30)}`,
  K3s: `K10${hex.slice(0, 64)}::server:${hex.slice(0, 32)}`,
  "Modal id": `ak-${word.slice(0, 22)}`,
  "Modal secret": `as-${word.slice(0, 22)}`,
  "LaunchDarkly mobile": `mob-${hex.slice(0, 8)}-1234-4abc-8abc-${hex.slice(0, 12)}`,
  "GitHub installation": `ghs_12345_${jwt}`,
  "GitHub user of an app": `ghu_${word.slice(0, 36)}`,
  "GitLab, routable": `glpat-${dashed.slice(0, 44)}.01.0w1abcdef`,
  "GitLab runner, routable": `glrt-t1_${dashed.slice(0, 40)}.01.0w1abcdef`,
  "GitLab runner by registration": `glrtr-${word.slice(0, 20)}`,
  "Slack workflow": `xwfp-1234567890-${word.slice(0, 24)}`,
  "Stripe organization": `sk_org_live_${word.slice(0, 40)}`,
  "Google authorization": `AQ.Ab8RN6${dashed.slice(0, 44)}`,
  "Google refresh": `1//0${dashed.slice(0, 99)}`,
  xAI: `xai-${dashed.slice(0, 80)}`,
  "Doppler service": `dp.st.dev_my-app.${word.slice(0, 43)}`,
  "Doppler identity": `dp.said.${word.slice(0, 43)}`,
  Dynatrace: `dt0s17.${word.slice(0, 24).toUpperCase()}.${word.slice(0, 64).toUpperCase()}`,
  "Supabase secret": `sb_secret_${dashed.slice(0, 31)}`,
  "Supabase OAuth": `sbp_oauth_${hex.slice(0, 40)}`,
  Vercel: `vcp_${dashed.slice(0, 56)}`,
  "Vercel AI gateway": `vck_${dashed.slice(0, 56)}`,
  Figma: `figd_${dashed.slice(0, 38)}`,
  "Figma refresh": `figur_${dashed.slice(0, 40)}`,
  "Datadog service": `ddsat_${word.slice(0, 34)}`,
  Dropbox: `sl.u.${dashed.repeat(2).slice(0, 200)}`,
  "Buildkite agent": `bkar_${dashed.slice(0, 73)}`,
  "Buildkite portal": `bkpat_${dashed.slice(0, 54)}`,
  Tailscale: `tskey-auth-k_${word.slice(0, 11)}CNTRL-${word.slice(0, 32)}`,
  "HubSpot in Asia": `pat-ap1-${hex.slice(0, 8)}-4a1b-4a1b-8a1b-${hex.slice(0, 12)}`,
  "Honeycomb, classic": `hcxic_${hex.slice(0, 58)}`,
  "Honeycomb management": `hcxmk_${word.slice(0, 26)}:${word.slice(0, 32)}`,
  WakaTime: `waka_tok_${word.slice(0, 80)}`,
  "Square sandbox": `sandbox-sq0csb-${dashed.slice(0, 43)}`,
  Square: `EAAA${dashed.slice(0, 60)}`,
  Mailgun: `${hex.slice(0, 32)}-${hex.slice(0, 8)}-${hex.slice(0, 8)}`,
  "New Relic license": `${hex.slice(0, 32)}FFFFNRAL`,
  "New Relic license in Europe": `eu01xx${hex.slice(0, 26)}FFFFNRAL`,
  Lob: `live_${hex.slice(0, 35)}`,
  Aiven: `AVNS_${word.slice(0, 19)}`,
  Paddle: `pdl_live_apikey_${word.slice(0, 26)}_${word.slice(0, 22)}_${word.slice(0, 3)}`,
  "Docker Swarm": `SWMTKN-1-${word.slice(0, 50)}-${word.slice(0, 25)}`,
  ClickUp: `pk_5074054_${word.slice(0, 32).toUpperCase()}`,
  Mapbox: `sk.eyJ${word.slice(0, 80)}.${word.slice(0, 22)}`,
  "LaunchDarkly access": `api-${hex.slice(0, 8)}-4a1b-4a1b-8a1b-${hex.slice(0, 12)}`,
  "LaunchDarkly SDK": `sdk-${hex.slice(0, 8)}-4a1b-4a1b-8a1b-${hex.slice(0, 12)}`,
  "Checkout.com": `sk_test_${hex.slice(0, 8)}-4a1b-4a1b-8a1b-${hex.slice(0, 12)}`,
  Zoho: `1000.${hex.slice(0, 32)}.${hex.slice(0, 32)}`,
  Voiceflow: `VF.DM.${hex.slice(0, 24)}.${word.slice(0, 16)}`,
  "Voiceflow, older": `VF.${hex.slice(0, 24)}.${word.slice(0, 16)}`,
  "SonarQube Cloud organization": `sqco_${word.slice(0, 59)}`,
  "Ticket Tailor": `sk_3911_923589_${hex.slice(0, 32)}`,
  "Laravel Sanctum": `85|${word.slice(0, 48)}`,
  "Astra DB": `AstraCS:${word.slice(0, 24)}:${hex.slice(0, 64)}`,
};

test.each(Object.entries(TOKENS))("a token of %s is masked as a whole", (_, token) => {
  expect(redactor.text(`id=${token} x`)).toBe("id=[redacted] x");
  expect(redactor.text(`see "${token}"`)).toBe('see "[redacted]"');
});

test.each([
  ["https://hooks.zapier.com/hooks/catch/", `1234567/${word.slice(0, 7)}/`],
  ["https://acme.tines.com/webhook/", `${hex.slice(0, 32)}/${hex.slice(0, 32)}`],
])("what follows %s is masked", (address, secret) => {
  expect(redactor.text(`see ${address}${secret}`)).toBe(`see ${address}[redacted]`);
});

/** What looks like a token of a vendor, and is an id, a public key or another word. */
const OTHERS: Readonly<Record<string, string>> = {
  "an id of a client": `u-s4t2ud-${hex.slice(0, 64)}`,
  "a public key of Langfuse": `pk-lf-${hex.slice(0, 8)}-4a1b-4a1b-8a1b-${hex.slice(0, 12)}`,
  "an id of a token of Dynatrace": `dt0c01.${word.slice(0, 24).toUpperCase()}`,
  "an id of a key of Honeycomb": `hcxlk_${word.slice(0, 26)}`,
  "a fixture with a digest": `test_${hex.slice(0, 32)}`,
  "bytes in Base64": `EAAA${word.slice(0, 30)}`,
  "a digest in a table": `5|${hex.slice(0, 40)}`,
  "a pod": "api-gateway-deployment-7d9f8b6c5d-x2x4v-and-more-words-1",
  "a version of an API": `v2/${word.slice(0, 60)}`,
  "an object of an SDK": "sk.manager.settings.v2",
  "a short version of GitLab": "glpat-x",
  "a name in a test": "ghs_token_of_installation",
  "a blob's prefix": "vercel_blob_rw_test",
  "a key of a page": "AQ.page",
};

test.each(Object.entries(OTHERS))("%s is left as it is", (_, text) => {
  expect(redactor.text(`id=${text} x`)).toBe(`id=${text} x`);
});

/** A command, and what is left of it. */
const COMMANDS: readonly (readonly [string, string])[] = [
  ["mysqlcheck -u root -phunter2 app", "mysqlcheck -u root -p[redacted] app"],
  ["mariadb-admin -phunter2 status", "mariadb-admin -p[redacted] status"],
  ["skopeo login -u bob -p hunter2 x.test", "skopeo login -u bob -p [redacted] x.test"],
  ["valkey-cli -a hunter2 ping", "valkey-cli -a [redacted] ping"],
  ["ldappasswd -x -w hunter2 cn=bob", "ldappasswd -x -w [redacted] cn=bob"],
  ["htpasswd -nb bob hunter2", "htpasswd -nb bob [redacted]"],
  ["htpasswd -nbBC 10 bob hunter2 > f", "htpasswd -nbBC 10 bob [redacted] > f"],
  ["htpasswd -bBC 10 file bob hunter2", "htpasswd -bBC 10 file bob [redacted]"],
  ["mongosh -u bob -p hunter2 db.test/app", "mongosh -u bob -p [redacted] db.test/app"],
  ["mongodump --host db.test -p hunter2", "mongodump --host db.test -p [redacted]"],
  ["cqlsh db.test 9042 -u bob -p hunter2", "cqlsh db.test 9042 -u bob -p [redacted]"],
  ["mosquitto_pub -u bob -P hunter2 -t x -m y", "mosquitto_pub -u bob -P [redacted] -t x -m y"],
  ["unzip -P hunter2 a.zip", "unzip -P [redacted] a.zip"],
  ["7z x -phunter2 a.7z", "7z x -p[redacted] a.7z"],
];

test.each(COMMANDS)("the password in %s is masked", (text, masked) => {
  expect(redactor.text(text)).toBe(masked);
  expect(redactor.text(masked)).toBe(masked);
});

test.each([
  "wget -U agent:1 https://x.test",
  "htpasswd -c file bob",
  "htpasswd -b file bob",
  "mongosh -p --host db.test",
  "mongosh --port 27018 -u bob",
  "7z a -p a.7z dir",
  "unzip -p a.zip file",
  "mysqlcheck -p --all-databases",
  "skopeo copy -p docker://a docker://b",
])("%s is left as it is", (text) => {
  expect(redactor.text(text)).toBe(text);
});

test("the keys of OpenVPN, PuTTY and WireGuard are masked", () => {
  const lines = "0123456789abcdef0123456789abcdef\n".repeat(3);
  expect(
    redactor.text(
      `-----BEGIN OpenVPN Static key V1-----\n${lines}-----END OpenVPN Static key V1-----`,
    ),
  ).toBe("-----BEGIN OpenVPN Static key V1-----[redacted]-----END OpenVPN Static key V1-----");
  const mac = `Private-MAC: ${hex.slice(0, 40)}`;
  expect(redactor.text(`Private-Lines: 2\n${word.slice(0, 64)}\nabcd==\n${mac}`)).toBe(
    `Private-Lines: 2\n[redacted]\n${mac}`,
  );
  const key = `${word.slice(0, 43)}=`;
  expect(redactor.text(`[Interface]\nPrivateKey = ${key}\nPresharedKey = ${key}`)).toBe(
    "[Interface]\nPrivateKey = [redacted]\nPresharedKey = [redacted]",
  );
});

test.each([
  'cookie: "lax"',
  'secret = "projects/p/secrets/db-password/versions/latest"',
  'secret_arn = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf"',
  '{"pass": 97.5, "fail": 2.5}',
  '"token": "0x52908400098527886E0F7030069857D2E4169EE7"',
  "sent to bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq now",
  "pinned QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG now",
])("%s is no secret", (text) => {
  expect(redactor.text(text)).toBe(text);
});

test("a share of tests in JSON is no secret", () => {
  expect(redactor.value({ pass: 97.5, password: 97.5 })).toEqual({
    pass: 97.5,
    password: "[redacted]",
  });
});
