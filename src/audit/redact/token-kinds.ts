/** A kind of secret that is known by how it begins. */
export interface TokenKind {
  /** What it is, for people. */
  readonly name: string;
  /** How it begins, as written. */
  readonly begins: readonly string[];
  /** The characters of the rest, as a class of a regular expression. */
  readonly chars: string;
  /** How many of them there are, at least. */
  readonly least: number;
  /** Whether one of them is a digit. */
  readonly digit?: true;
  /** Whether it may follow on a letter or a digit: it is too peculiar to be an accident. */
  readonly anywhere?: true;
  /** Whether what it begins with stays: it is no part of the secret. */
  readonly keeps?: true;
}

const ALNUM = "[A-Za-z0-9]";
const WORD = "[A-Za-z0-9_]";
const DASHED = "[A-Za-z0-9_-]";
const HEX = "[0-9a-fA-F]";
const DOTTED = "[A-Za-z0-9._-]";

/** Secrets that show by their beginning what they are. */
export const TOKEN_KINDS: readonly TokenKind[] = [
  {
    name: "AWS access key",
    begins: ["AKIA", "ASIA", "ABIA", "ACCA"],
    chars: "[A-Z0-9]",
    least: 16,
  },
  {
    name: "GitHub token",
    begins: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    chars: WORD,
    least: 30,
    anywhere: true,
  },
  { name: "GitHub token", begins: ["github_pat_"], chars: WORD, least: 22, anywhere: true },
  {
    name: "GitLab token",
    begins: ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-"],
    chars: DOTTED,
    least: 18,
    anywhere: true,
  },
  {
    name: "Slack token",
    begins: [
      "xoxb-",
      "xoxp-",
      "xoxa-",
      "xoxe-",
      "xoxe.",
      "xoxr-",
      "xoxs-",
      "xoxc-",
      "xoxd-",
      "xapp-",
    ],
    chars: "[A-Za-z0-9.%_-]",
    least: 10,
    digit: true,
    anywhere: true,
  },
  {
    name: "Slack webhook",
    begins: [
      "hooks.slack.com/services/",
      "hooks.slack.com/workflows/",
      "hooks.slack.com/triggers/",
    ],
    chars: "[A-Za-z0-9/_+-]",
    least: 16,
    anywhere: true,
    keeps: true,
  },
  {
    name: "Discord webhook",
    begins: ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    chars: "[A-Za-z0-9/_-]",
    least: 30,
    anywhere: true,
    keeps: true,
  },
  {
    name: "Stripe key",
    begins: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
    chars: WORD,
    least: 16,
    anywhere: true,
  },
  { name: "Stripe webhook secret", begins: ["whsec_"], chars: "[A-Za-z0-9+/=_]", least: 20 },
  { name: "Google API key", begins: ["AIza"], chars: DASHED, least: 35 },
  { name: "Google OAuth token", begins: ["ya29."], chars: DASHED, least: 20 },
  { name: "Google OAuth client secret", begins: ["GOCSPX-"], chars: DASHED, least: 20 },
  {
    name: "OpenAI key",
    begins: ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
    chars: DASHED,
    least: 20,
    anywhere: true,
  },
  { name: "OpenAI key", begins: ["sk-"], chars: ALNUM, least: 20, digit: true },
  { name: "OpenRouter key", begins: ["sk-or-v1-"], chars: HEX, least: 32 },
  { name: "Anthropic key", begins: ["sk-ant-"], chars: DASHED, least: 20, anywhere: true },
  { name: "Groq key", begins: ["gsk_"], chars: ALNUM, least: 32 },
  { name: "xAI key", begins: ["xai-"], chars: ALNUM, least: 32, digit: true },
  { name: "Perplexity key", begins: ["pplx-"], chars: ALNUM, least: 32 },
  { name: "Replicate token", begins: ["r8_"], chars: ALNUM, least: 32 },
  { name: "Hugging Face token", begins: ["hf_"], chars: ALNUM, least: 30 },
  { name: "npm token", begins: ["npm_"], chars: ALNUM, least: 30 },
  { name: "PyPI token", begins: ["pypi-"], chars: DASHED, least: 50 },
  { name: "RubyGems key", begins: ["rubygems_"], chars: HEX, least: 40 },
  { name: "Docker Hub token", begins: ["dckr_pat_", "dckr_oat_"], chars: DASHED, least: 20 },
  { name: "SendGrid key", begins: ["SG."], chars: DOTTED, least: 40, digit: true },
  { name: "Twilio key", begins: ["SK"], chars: HEX, least: 32 },
  { name: "Mailgun key", begins: ["key-"], chars: HEX, least: 32 },
  { name: "DigitalOcean token", begins: ["dop_v1_", "doo_v1_", "dor_v1_"], chars: HEX, least: 40 },
  {
    name: "Shopify token",
    begins: ["shpat_", "shpca_", "shppa_", "shpss_"],
    chars: HEX,
    least: 32,
  },
  { name: "Square token", begins: ["sq0atp-", "sq0csp-"], chars: DASHED, least: 20 },
  { name: "Databricks token", begins: ["dapi"], chars: HEX, least: 32 },
  { name: "Vault token", begins: ["hvs.", "hvb.", "hvr."], chars: DASHED, least: 24 },
  { name: "Grafana token", begins: ["glsa_", "glc_"], chars: "[A-Za-z0-9_+/=]", least: 32 },
  { name: "Linear key", begins: ["lin_api_"], chars: ALNUM, least: 32 },
  { name: "Atlassian token", begins: ["ATATT3", "ATCTT3"], chars: "[A-Za-z0-9_=-]", least: 40 },
  {
    name: "Doppler token",
    begins: ["dp.pt.", "dp.st.", "dp.ct."],
    chars: "[A-Za-z0-9._]",
    least: 32,
  },
  {
    name: "age private key",
    begins: ["AGE-SECRET-KEY-", "age-secret-key-"],
    chars: ALNUM,
    least: 20,
    anywhere: true,
  },
  {
    name: "signature of a URL",
    begins: ["sig=", "X-Amz-Signature=", "X-Goog-Signature="],
    chars: "[A-Za-z0-9%+/=_-]",
    least: 16,
    keeps: true,
  },
  {
    name: "bearer token",
    begins: ["Bearer ", "bearer ", "BEARER ", "Bearer%20", "Bearer+"],
    chars: "[A-Za-z0-9._~+/=-]",
    least: 16,
    digit: true,
    anywhere: true,
    keeps: true,
  },
];
