import { cellsOf, lazyConstant, textRows } from "../../core/index.ts";

/** A kind of secret with a known prefix. */
export interface TokenKind {
  /** Its name, for people. */
  readonly name: string;
  /** Its prefixes, as written. */
  readonly begins: readonly string[];
  /** The characters of the rest, as a class of a regular expression. */
  readonly chars: string;
  /** Minimum length of the rest. */
  readonly least: number;
  /** Whether the rest must contain a digit. */
  readonly digit: boolean;
  /** Whether it may follow a letter or digit: its form is distinctive enough. */
  readonly anywhere: boolean;
  /** Whether the prefix is kept: it is not part of the secret. */
  readonly keeps: boolean;
}

/** Alphabets by their names in the rows. */
const ALPHABETS: Readonly<Record<string, string>> = {
  ALNUM: "[A-Za-z0-9]",
  WORD: "[A-Za-z0-9_]",
  DASHED: "[A-Za-z0-9_-]",
  HEX: "[0-9a-fA-F]",
  DOTTED: "[A-Za-z0-9._-]",
  BASE64: "[A-Za-z0-9+/=_-]",
};

/**
 * Secrets that are recognised by their prefix: the name; the alphabet of the rest with its minimum length, and the
 * fields of `TokenKind` that hold; the prefixes, in which `␠` is a space. The prefixes are those that vendors
 * document; most document neither the alphabet nor the length, which are then those that gitleaks, betterleaks,
 * trufflehog, kingfisher or osv-scalibr use, and the length is a minimum. Keys that are meant to be public, and ids of
 * tokens, are not listed.
 */
const KIND_ROWS = `
AWS access key | [A-Z0-9] 16 | AKIA ASIA ABIA ACCA A3T
# How a token of AWS STS begins: Base64 of its region and version.
AWS session token | [A-Za-z0-9+/=%] 100 | IQoJb3JpZ2lu FwoGZXIvYXdz
GitHub token | WORD 30 anywhere | ghp_ gho_ ghr_
# Those of apps are 'ghs_APPID_JWT' since 2026: github.blog/changelog/2026-05-15-github-app-installation-tokens-…
GitHub token | DOTTED 30 anywhere | ghs_ ghu_
GitHub token | WORD 22 anywhere | github_pat_
GitLab token | DOTTED 18 anywhere | glpat- gldt- glrt- glrtr- glptt- glcbt- glsoat- glffct- glft- glimt- glagent-
  gloas- glwt- GR1348941
Slack token | [A-Za-z0-9.%_-] 10 digit anywhere | xoxb- xoxp- xoxa- xoxe- xoxe. xoxr- xoxs- xoxc- xoxd- xoxo- xapp-
  xwfp-
Slack webhook | [A-Za-z0-9/_+-] 16 anywhere keeps | hooks.slack.com/services/ hooks.slack.com/workflows/
  hooks.slack.com/triggers/
Discord webhook | [A-Za-z0-9/_-] 30 anywhere keeps | discord.com/api/webhooks/ discordapp.com/api/webhooks/
Stripe key | WORD 10 anywhere | sk_live_ sk_test_ sk_prod_ sk_org_ rk_live_ rk_test_ rk_prod_
Stripe webhook secret | [A-Za-z0-9+/=_] 20 | whsec_
Google API key | DASHED 35 | AIza
# What AI Studio gives out instead of 'AIza' since 2026: ai.google.dev/gemini-api/docs/api-key
Google authorization key | DASHED 40 digit | AQ.
Google OAuth token | DASHED 20 | ya29.
Google refresh token | DASHED 40 | 1//0
Google OAuth client secret | DASHED 20 | GOCSPX-
OpenAI key | DASHED 20 anywhere | sk-proj- sk-svcacct- sk-admin- sk-None-
OpenAI key | ALNUM 20 digit | sk-
OpenRouter key | HEX 32 | sk-or-v1-
Anthropic key | DASHED 20 anywhere | sk-ant-
Groq key | ALNUM 32 | gsk_
xAI key | DASHED 64 digit | xai-
Perplexity key | ALNUM 32 | pplx-
Replicate token | ALNUM 32 | r8_
Hugging Face token | ALNUM 30 | hf_
npm token | ALNUM 30 | npm_
PyPI token | DASHED 50 | pypi-
RubyGems key | HEX 40 | rubygems_
Docker Hub token | DASHED 20 | dckr_pat_ dckr_oat_
SendGrid key | [A-Za-z0-9._=-] 40 digit | SG.
Twilio key | HEX 32 | SK
Mailgun key | HEX 32 | key- pubkey-
DigitalOcean token | HEX 40 | dop_v1_ doo_v1_ dor_v1_
Shopify token | HEX 32 | shpat_ shpca_ shppa_ shpss_
Square token | DASHED 22 | sq0atp- sq0csp- sandbox-sq0csb-
# Also how Base64 of some bytes begins; the tokens in Square's documentation have 64 characters.
Square token | DASHED 60 | EAAA
Databricks token | HEX 32 | dapi
Vault token | DASHED 24 | hvs. hvb. hvr.
Grafana token | [A-Za-z0-9_+/=] 32 | glsa_ glc_
Linear key | ALNUM 32 | lin_api_ lin_oauth_
Atlassian token | [A-Za-z0-9_=-] 40 | ATATT3 ATCTT3
# A service token may contain the name of its config: Doppler, “Auth Token Formats”
Doppler token | DOTTED 40 | dp.pt. dp.st. dp.ct. dp.sa. dp.said. dp.scim. dp.audit.
age private key | ALNUM 20 anywhere | AGE-SECRET-KEY- age-secret-key-
1Password service account | BASE64 100 | ops_eyJ
Adobe client secret | ALNUM 32 | p8e-
Alibaba access key | ALNUM 12 digit | LTAI
Artifactory token | ALNUM 50 digit | AKCp cmVmd
Amazon Bedrock key | BASE64 28 | ABSK bedrock-api-key-
ClickHouse key | ALNUM 38 | 4b1d
Clojars token | ALNUM 60 | CLOJARS_ clojars_
Cloudflare origin key | [0-9a-f-] 100 | v1.0-
Cloudflare token | ALNUM 32 | cfk_ cfut_ cfat_
Duffel token | [A-Za-z0-9_=-] 32 | duffel_test_ duffel_live_
EasyPost key | ALNUM 54 | EZAK EZTK
# The letter behind it depends on the app.
Facebook token | ALNUM 100 digit | EAA
Flutterwave key | [A-Za-z0-9-] 12 digit | FLWSECK_TEST- FLWSECK- FLWPUBK_TEST-
Fly.io token | BASE64 40 | fo1_ fm1r_ fm1a_ fm2_
Frame.io token | [A-Za-z0-9_=-] 64 | fio-u-
Grafana key | BASE64 60 | eyJrIjoi
Heroku key | DASHED 36 | HRKU-
Hugging Face organisation token | ALNUM 34 | api_org_
Infracost key | ALNUM 32 | ico-
Intra 42 secret | HEX 64 | s-s4t2ud- s-s4t2af-
JSON Web Token in Base64 | BASE64 24 digit | ZXlK
Microsoft Teams webhook | [A-Za-z0-9@/_-] 60 anywhere keeps | .webhook.office.com/webhookb2/
  .logic.azure.com/workflows/
Notion token | ALNUM 40 digit | ntn_ secret_
Octopus Deploy key | [A-Z0-9] 25 digit | API-
OpenShift token | DASHED 43 | sha256~
PlanetScale token | [A-Za-z0-9_=.-] 32 | pscale_tkn_ pscale_oauth_ pscale_pw_
Postman key | [0-9a-fA-F-] 59 | PMAK-
Prefect key | ALNUM 36 | pnu_ pnb_
Pulumi token | HEX 40 | pul-
ReadMe key | ALNUM 70 | rdme_
Scalingo token | DASHED 48 | tk-us-
Brevo key | [A-Za-z0-9-] 64 | xkeysib- xsmtpsib-
Sentry token | BASE64 60 | sntrys_ sntryu_ sntrya_ sntryi_
SettleMint token | ALNUM 16 | sm_aat_ sm_pat_ sm_sat_
Shippo key | HEX 40 | shippo_live_ shippo_test_
Sourcegraph token | WORD 40 | sgp_ slk_ sgd_
GitLab session | ALNUM 32 anywhere keeps | _gitlab_session=
Supabase key | DASHED 30 | sbp_ sbp_oauth_ sbr_ sb_secret_
Vercel token | DASHED 40 | vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_
Netlify token | ALNUM 36 | nfp_ nfc_ nfo_ nfu_ nfb_
Figma token | DASHED 38 | figd_ figdh_ figdr_ figu_ figuh_ figur_ figo_ figoh_ figor_
Datadog key | ALNUM 34 | ddapp_ ddpat_ ddsat_
New Relic key | DASHED 19 digit | NRAK- NRII- NRJS- NRRA- NRIQ- NRAA- NRBR-
Typeform token | [A-Za-z0-9_.=-] 40 | tfp_
Plaid token | [0-9a-f-] 36 | access-sandbox- access-development- access-production-
Yandex key | DASHED 35 digit | AQVN YCAJ YCM
Contentful token | DASHED 40 | CFPAT-
Dropbox token | DASHED 120 | sl. sl.u.
Sonar token | ALNUM 40 | squ_ sqp_ sqa_ sqco_
# Buildkite, “Token security”.
Buildkite token | DASHED 40 digit | bkua_ bkaa_ bkaj_ bkar_ bkct_ bkpt_ bkpat_ bkps_ bkjat_ bktx_
CircleCI token | WORD 40 | CCIPAT_ CCIPRJ_
crates.io token | ALNUM 32 digit | cio
NuGet key | [a-z0-9] 43 | oy2
Deno token | ALNUM 36 | ddp_ ddo_ ddw_
Render key | ALNUM 28 | rnd_
Neon key | ALNUM 40 | napi_
Tailscale key | DASHED 24 digit | tskey-
PostHog key | ALNUM 40 | phx_ phs_ pha_ phr_
Resend key | WORD 32 digit | re_
Razorpay key | ALNUM 14 digit | rzp_live_ rzp_test_
Braintree token | [a-z0-9$] 40 anywhere | access_token$production$ access_token$sandbox$
Fireworks key | ALNUM 22 digit | fw_
Together key | DASHED 40 | tgp_v1_
Jina key | ALNUM 40 digit | jina_
n8n key | DOTTED 30 digit | n8n_api_
Voyage key | DASHED 40 digit | pa-
NVIDIA key | DASHED 60 | nvapi-
Cerebras key | ALNUM 40 digit | csk-
Langfuse key | [0-9a-f-] 36 | sk-lf-
LangSmith key | WORD 40 | lsv2_pt_ lsv2_sk_
Weights & Biases key | WORD 40 | wandb_v1_
Pinecone key | WORD 50 | pcsk_
E2B key | HEX 40 | e2b_ sk_e2b_
Tavily key | DASHED 28 digit | tvly-
Firecrawl key | HEX 32 | fc-
Browserbase key | DASHED 24 | bb_live_ bb_test_
Apify token | ALNUM 34 | apify_api_
Intercom token | BASE64 50 digit | dG9r
HubSpot token | [0-9a-zA-Z-] 36 | pat-na1- pat-na2- pat-na3- pat-eu1- pat-ap1-
# The third letter varies; without the secret behind it, it is an id: Honeycomb, “API Key Format”
Honeycomb key | [A-Za-z0-9:] 50 | hcaik_ hcxik_ hcaic_ hcxic_ hcamk_ hcxmk_
Axiom token | [0-9a-f-] 36 | xaat- xapt-
Elastic key | BASE64 60 | essu_
MongoDB Atlas secret | DASHED 40 | mdb_sa_sk_
Databricks client secret | HEX 32 | dose
dbt token | DASHED 40 | dbtu_ dbtc_
Bitbucket token | BASE64 24 digit | ATBB BBDC-
Trello token | HEX 64 | ATTA
Canva secret | DASHED 45 digit | cnvca
Adafruit key | ALNUM 28 | aio_
Samsara token | ALNUM 26 | samsara_api_
Packagist token | WORD 50 | packagist_
Persona key | DASHED 20 | persona_production_ persona_sandbox_
Brex token | ALNUM 30 | bxt_
WakaTime key | [0-9a-f-] 36 | waka_
WakaTime token | ALNUM 60 | waka_tok_ waka_ref_ waka_sec_
Rootly key | HEX 60 | rootly_
Onfido token | DOTTED 30 | api_live. api_sandbox. api_live_us. api_live_ca.
Lob key | [0-9a-f] 31 | live_pub_ test_pub_
# Longer than MD5, which tests and caches append to such words.
Lob key | [0-9a-f] 35 | live_ test_
GoCardless token | [A-Za-z0-9-] 40 digit | live_ sandbox_
Beamer key | [a-z0-9_=-] 44 digit | b_
Confluent key | BASE64 50 | cflt
Aikido secret | ALNUM 20 | AIK_SECRET_ AIK_CI_
Aiven password | DASHED 16 digit | AVNS_
Astra DB token | [A-Za-z0-9:] 40 | AstraCS:
Cloudsmith key | ALNUM 36 | csa_
CockroachDB key | WORD 40 | CCDB1_
ConfigCat key | [A-Za-z0-9/_-] 40 | configcat-sdk-1/
Defined Networking token | DASHED 40 digit | dnkey-
Devin key | [a-z2-7] 52 digit | cog_
Docker Swarm token | [A-Za-z0-9+/-] 40 | SWMTKN-1- SWMKEY-1-
Lichess token | ALNUM 16 digit | lip_
MailerSend token | ALNUM 30 digit | mlsn.
Mercury token | WORD 40 digit | mercury_production_
Mergify key | DASHED 40 | mergify_application_key_
MiniMax key | DASHED 80 digit | sk-api-
OneSignal key | ALNUM 90 | os_v2_app_ os_v2_org_
Paddle key | WORD 40 digit | pdl_live_apikey_ pdl_sdbx_apikey_ pdl_ntfset_
Polar token | DASHED 20 digit | polar_at_ polar_oat_ polar_pat_
Ramp secret | ALNUM 40 | ramp_sec_
RunPod key | ALNUM 40 digit | rpa_
Trigger.dev key | ALNUM 20 digit | tr_dev_ tr_stg_ tr_prod_ tr_pat_
Unkey key | ALNUM 20 digit | unkey_
UpCloud token | ALNUM 24 digit | ucat_
Val Town token | ALNUM 20 digit | vtwn_
Akamai token | DASHED 32 digit | akab-
Amazon MWS token | [0-9a-z-] 36 | amzn.mws.
Amazon client secret | HEX 64 | amzn1.oa2-cs.v1.
Instagram token | DASHED 80 digit | IGQV IGQW IGAA
LlamaCloud key | DASHED 40 digit | llx-
Nostr private key | [02-9ac-hj-np-z] 58 | nsec1
# A message of type 3, with the response to the challenge.
NTLM message | BASE64 40 | TlRMTVNTUAAD
WunderGraph key | [0-9a-f] 32 | cosmo_
# '-----BEGIN … PRIVATE KEY'.
private key in Base64 | BASE64 24 | LS0tLS1CRUdJTiBQUklW LS0tLS1CRUdJTiBSU0Eg LS0tLS1CRUdJTiBFQyBQ
  LS0tLS1CRUdJTiBEU0Eg LS0tLS1CRUdJTiBPUEVO LS0tLS1CRUdJTiBFTkNS LS0tLS1CRUdJTiBQR1Ag
JSON Web Key in Base64 | BASE64 60 | eyJrdHki
Zuplo key | WORD 40 digit | zpka_
# They begin with 'sk.', the public ones with 'pk.': Mapbox, “Access Tokens”.
Mapbox token | DOTTED 80 digit | sk.
Zapier webhook | [A-Za-z0-9/] 10 anywhere keeps | hooks.zapier.com/hooks/catch/
Tines webhook | [a-z0-9/] 65 anywhere keeps | .tines.com/webhook/
secret key | ALNUM 20 digit | sk_ rk_ pk_ ak_live_ key_ api_ pat_ tok_ token_ priv_ sec_
signing secret | ALNUM 24 digit | secret- whk_ wh_
signature of a URL | [A-Za-z0-9%+/=_-] 16 keeps | sig= X-Amz-Signature= X-Goog-Signature=
bearer token | [A-Za-z0-9._~+/=-] 16 digit anywhere keeps | Bearer␠ bearer␠ BEARER␠ Bearer%20 Bearer+
`;

/** The kinds that are recognised by their prefix. */
export const tokenKinds = lazyConstant((): readonly TokenKind[] => textRows(KIND_ROWS).map(kindOf));

function kindOf(row: string): TokenKind {
  const [name = "", rest = "", prefixes = ""] = cellsOf(row, 3);
  const [chars = "", least, ...marks] = rest.split(" ");
  return {
    name,
    begins: prefixes.split(" ").map((prefix) => prefix.replace("␠", " ")),
    chars: ALPHABETS[chars] ?? chars,
    least: Number(least),
    digit: marks.includes("digit"),
    anywhere: marks.includes("anywhere"),
    keeps: marks.includes("keeps"),
  };
}

/** A kind of secret without a prefix that tells it, but with a form that does. */
export interface TokenForm {
  /** Its name, for people. */
  readonly name: string;
  /** What it looks like, for people. */
  readonly looks: string;
  /** Minimum length of the whole, in characters. */
  readonly least: number;
  /** A regular expression without unbounded repetition in its middle. */
  readonly form: string;
  /** A part of it without which it is not searched. */
  readonly has: string | undefined;
}

/**
 * Secrets that are recognised by their form as a whole: the name; the minimum length, and perhaps a part without which
 * it is not searched; what it looks like; in the second line, the regular expression.
 */
const FORM_ROWS = `
1Password secret key | 39 | A3-XXXXXX-XXXXXX-XXXXX-XXXXX-XXXXX-XXXXX
  A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}
Airtable token | 82 | pat…14 characters….…64 hexadecimal digits…
  pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}
Authress key | 59 | sc_….….acc-….…
  (?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,}
Azure AD client secret | 37 | …3 characters…8Q~…34 characters…
  [A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}
# Microsoft's identifiable keys.
Azure key | 58 JQQJ99 | …52 characters…JQQJ99…22 or more characters…
  [A-Za-z0-9+/]{30,60}JQQJ99[A-Za-z0-9+/]{22,}={0,2}
Discord bot token | 58 | M….……….… (24, 6 and 27 or more characters)
  [MNO][A-Za-z0-9_-]{22,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}
Checkout.com key | 39 | sk_…UUID…, sk_test_…UUID…
  sk_(?:test_)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}
ClickUp token | 40 | pk_…digits…_…32 characters…
  pk_[0-9]{4,12}_[0-9A-Z]{32}
# The form that Dynatrace's documentation states under “Token format”; without the last part, it is an id.
Dynatrace token | 96 | dt0c01.…24 characters….…64 characters…
  dt0[A-Za-z][0-9]{2}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}
Facebook app token | 41 | …15 digits…|…
  [0-9]{13,17}(?:\\||%7[cC]|%)[A-Za-z0-9_-]{27,}
Dropbox token | 64 AAAAAAAAAA | …11 characters…AAAAAAAAAA…43 characters…
  (?=[A-Za-z]{0,10}[0-9])[A-Za-z0-9]{11}AAAAAAAAAA[A-Za-z0-9_=-]{43}(?![A-Za-z0-9])
Harness key | 72 | pat.….….… (22, 24 and 20 characters)
  [ps]at\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}
# The hash of the authority of the cluster, and a user or a node with its secret: K3s, “Token format”.
K3s token | 70 | K10…64 hexadecimal digits…::….…
  K10[0-9a-f]{64}::[A-Za-z0-9:._-]{1,200}
# Base64 of twelve digits, a colon and twenty bytes.
Jira token | 44 | …16 characters…O…27 characters…
  (?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){4}O[g-v][A-Za-z0-9+/]{26}
# With the number of its row before it: Laravel, “Sanctum”. A digest has no capitals.
Laravel Sanctum token | 42 | …digits…|…40 or more characters…
  [0-9]{1,12}\\|(?=[a-z0-9]{0,39}[A-Z])[A-Za-z0-9]{40,}
LaunchDarkly token | 40 | api-…UUID…, sdk-…UUID…, mob-…UUID…
  (?:api|sdk|mob)-[a-z0-9]{8}-[a-z0-9]{4}-4[a-z0-9]{3}-[a-z0-9]{4}-[a-z0-9]{12}(?![A-Za-z0-9-])
Mailchimp key | 36 -us | …32 characters…-us1
  (?=[A-Za-z]{0,31}[0-9])[A-Za-z0-9]{32}-us[0-9]{1,2}(?![A-Za-z0-9])
# The form since 2019; only scanners state it.
Mailgun key | 50 | …32 hexadecimal digits…-…8…-…8…
  [0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9-])
JSON Web Token | 35 | ey….ey….…
  ey[A-Za-z0-9_-]{15,}\\.ey[A-Za-z0-9/_-]{15,}(?:\\.[A-Za-z0-9/_-]{10,}={0,2})?
MaxMind key | 40 | …6 characters…_…29 characters…_mmk
  [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk
Modal token | 25 | ak-…22 characters…, as-…22 characters…
  a[ks]-(?=[A-Za-z]{0,21}[0-9])(?=[a-z0-9]{0,21}[A-Z])[A-Za-z0-9]{22}(?![A-Za-z0-9_-])
Mollie key | 35 | live_…30 characters…, test_…30 characters…
  (?:live|test)_(?=[A-Za-z]{0,29}[0-9])(?=[a-z0-9]{0,29}[A-Z])[A-Za-z0-9]{30}(?![A-Za-z0-9_])
New Relic license key | 40 NRAL | …36 characters…NRAL
  (?=[A-Za-z]{0,35}[0-9])[A-Za-z0-9]{36}NRAL(?![A-Za-z0-9])
Telegram bot token | 41 | …8 to 10 digits…:AA…33 characters…
  [0-9]{5,16}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9])
Terraform Cloud token | 83 | …14 characters….atlasv1.…
  [A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}
Ticket Tailor key | 41 | sk_…digits…_…digits…_…32 hexadecimal digits…
  sk_[0-9]{2,8}_[0-9]{2,10}_[0-9a-f]{32}
Vault token | 26 | s.…24 characters…
  [sb]\\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24,}
Voiceflow key | 44 | VF.DM.…24 hexadecimal digits….…16 characters…
  VF\\.(?:(?:DM|WS)\\.)?[a-fA-F0-9]{24}\\.[A-Za-z0-9]{16}
X bearer token | 66 AAAAAAAAAAAAAAAAAAAA | AAAAAAAAAAAAAAAAAAAAA…%…
  A{20,24}[A-Za-z0-9]{5,30}%[A-Za-z0-9%]{40,}
Yandex token | 91 | t1.….…86 characters…
  t1\\.[A-Za-z0-9_-]{1,300}={0,2}\\.[A-Za-z0-9_-]{86}={0,2}
Zoho token | 70 | 1000.…32 hexadecimal digits….…32 hexadecimal digits…
  1000\\.[0-9a-f]{32}\\.[0-9a-f]{32}
`;

/** The kinds that are recognised by their form. */
export const tokenForms = lazyConstant((): readonly TokenForm[] =>
  FORM_ROWS.trim()
    .replaceAll(/^#.*\n/gm, "")
    .split(/\n(?=\S)/)
    .map((row) => {
      const [about = "", form = ""] = row.split("\n  ");
      const [name = "", lengths = "", looks = ""] = cellsOf(about, 3);
      const [least, has] = lengths.split(" ");
      return { name, looks, least: Number(least), form, has };
    }),
);
