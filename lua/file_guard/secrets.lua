-- Rules of orcs.name_rules for files that hold secrets, and exceptions for files that only look
-- like them.
local path = require "file_guard.path"
local words = require "file_guard.words"
local set = words.set

-- Rules that start with this path apply only to the user who runs the engine.
local HOME = (path.home or "/root"):lower()

local RULES = {
  -- Environment files.
  ".env", ".env.*", ".env-*", ".env_*", ".env~", "*.env", ".envrc", ".dev.vars", "/proc/*/environ",
  "/proc/*/task/*/environ",
  -- Private keys and key stores.
  "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss", "id_ecdsa_sk", "id_ed25519_sk", "id_rsa.*", "id_ed25519.*",
  "*_rsa", "*_dsa", "*_ecdsa", "*_ed25519", "*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.ppk", "*.jks", "*.keystore",
  "*.kdbx", "*.kdb", "*.ovpn", "*.agekey", ".ssh/", ".gnupg/", "ssh_host_*_key", "/etc/ssl/private/", "wallet.dat",
  -- System passwords.
  "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/master.passwd", ".htpasswd", "/run/secrets/",
  "/var/run/secrets/",
  "/etc/krb5.keytab", "*.keytab",
  -- Application secrets.
  "secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.ini", "secrets.properties", ".secrets",
  ".vault_pass*", ".vault-pass*",
  -- Clouds, clusters, registries.
  ".aws/", ".config/gcloud/", ".azure/", ".kube/", "/etc/kubernetes/*.conf", "/etc/rancher/k3s/k3s.yaml", "kubeconfig",
  "*.kubeconfig", ".docker/config.json", ".dockercfg", ".config/containers/auth.json",
  ".config/doctl/", ".config/hcloud/", ".config/heroku/", ".fly/config.yml", ".oci/", ".boto", ".s3cfg",
  ".config/rclone/rclone.conf", "terraform.tfstate", "terraform.tfstate.backup", "*.tfstate", ".terraformrc",
  "credentials.tfrc.json", ".vault-token", "*service-account*.json", "*service_account*.json", "*serviceaccount*.json",
  "client_secret*.json", "credentials.json", "*-credentials.json", "*_credentials.json", "*-adminsdk-*.json",
  "application_default_credentials.json",
  -- Tools with passwords and tokens.
  ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".config/git/credentials",
  ".config/gh/hosts.yml", ".config/glab-cli/", ".config/hub", ".cargo/credentials", ".cargo/credentials.toml",
  ".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml", ".composer/auth.json", ".nuget/nuget.config",
  ".pgpass", ".my.cnf", ".mylogin.cnf", ".streamlit/secrets.toml", ".codex/auth.json", ".claude/.credentials.json",
  ".gemini/oauth_creds.json", ".config/sops/", ".config/age/", ".config/op/", ".config/solana/id.json",
  HOME .. "/.claude.json", HOME .. "/.yarnrc.yml", ".gradle/gradle.properties", ".bundle/config",
  ".electrum/wallets/", ".ethereum/keystore/",
  -- What orcs keeps for `orcs undo`: it may be any of these.
  "state/orcs/undo/", ".local/state/orcs/undo/", ".orcs-undo-*/",
  -- What signs the answers of a person: see `hil.answer_key_file`.
  ".config/orcs/answer.key", "answer.key",
  -- Histories of typed commands, which may contain passwords.
  ".bash_history", ".zsh_history", ".sh_history", ".ksh_history", ".history", ".zhistory", "fish_history",
  ".python_history", ".node_repl_history", ".irb_history", ".psql_history", ".mysql_history", ".sqlite_history",
  ".rediscli_history", ".mongosh_history", "consolehost_history.txt",
  -- Password stores and keychains.
  ".password-store/", "keychains/", "*.keychain", "*.keychain-db", ".local/share/keyrings/", ".local/share/kwalletd/",
  -- Browsers.
  ".mozilla/firefox/", ".thunderbird/", "firefox/profiles/", ".config/google-chrome/", ".config/chromium/",
  ".config/bravesoftware/", ".config/microsoft-edge/", ".config/vivaldi/", ".config/opera/", "google/chrome/user data/",
  "microsoft/edge/user data/", "application support/google/chrome/", "application support/chromium/",
  "application support/bravesoftware/", "application support/microsoft edge/", "library/safari/", "library/cookies/",
  "login data", "cookies.sqlite", "key4.db", "logins.json", "signons.sqlite", "cookies.binarycookies",
}
local SECRET = orcs.name_rules(RULES)

-- Endings of names that mark a file as an example or as public, whatever precedes them.
local HARMLESS_ENDS = set "example examples sample template tpl tmpl dist schema defaults default pub md ts"
local HARMLESS = set [[
  known_hosts known_hosts.old authorized_keys process.env import.meta.env example.env sample.env template.env
  public.key pubkey.key apt.key gpg.key signing-key.key ]]

-- Examples of environment files: .env.example.local, example.production.env.
local EXAMPLES = {
  "^%.env[.-]example", "^%.env[.-]sample", "^%.env[.-]template", "[.-]example%.env$", "^example[.-].*%.env$",
}
-- Names of public keys and of certificates.
local PUBLIC = words.list "public %f[%a]pub%f[%A]"
local CERTIFICATES = words.list "cert chain bundle %f[%a]ca%f[%A] %f[%a]root%f[%A]"

local function is_harmless(base)
  base = base:lower()
  if HARMLESS[base] or HARMLESS_ENDS[base:match("[._-](%a+)$")] or words.matches(base, EXAMPLES) then return true end
  local stem = base:match("^(.*)%.pem$") or base:match("^(.*)%.key$")
  if not stem or stem:find("priv") then return false end
  if words.matches(stem, PUBLIC) then return true end
  return not stem:find("key") and not base:find("%.key$") and words.matches(stem, CERTIFICATES)
end

-- Endings that are appended to the name of a backup copy.
local COPIES = set "bak backup old orig save swp gz copy"

local function match(text)
  local rule = SECRET:match(text)
  if rule then return not is_harmless(text:match("[^/]*$")) and rule or nil end
  -- Some programs ignore trailing spaces and dots (`.env `, `.env.`), and some remove quotes
  -- ('.env').
  local plain = text:match("^(.*[^%s\"'.:~])[%s\"'.:~]+$")
  if plain then return match((plain:gsub("^[%s\"']+", ""))) end
  local lead = text:match("^[%s\"']+(.*)$")
  if lead then return match(lead) end
  -- What `orcs undo` keeps beside a restored file.
  local conflict = text:match("^(.*)%.orcs%-%x+$")
  if conflict then return match(conflict) end
  local kept, ending = text:match("^(.*)%.(%a+)$")
  return kept and COPIES[ending:lower()] and match(kept) or nil
end

return {
  rules = RULES,
  -- Returns the rule that a normalized path matches; nil when it is not a secret.
  match = match,
  -- Whether a file in a folder may be a secret because of its location.
  matters = function(path) return SECRET:matters(path) end,
  -- Returns a rule for something below a folder of the home directory, or nil. path: relative to it
  below = function(path) return SECRET:below(path, true, true) end,
}
