-- Commands that print secrets without naming a file: from password stores, tokens, the environment.
local reading = require "file_guard.reading"
local words = require "file_guard.words"
local set = words.set

-- Program → phrases that make it print a secret. The words must be in this order; other words may
-- be between them.
local PRINTS = {
  security = { "find-generic-password", "find-internet-password", "dump-keychain", "export" },
  ["secret-tool"] = { "lookup", "search" }, pass = { "show", "otp", "grep" }, gopass = { "show", "cat", "otp", "grep" },
  gpg = { "--export-secret-keys", "--export-secret-key", "--export-secret-subkeys" },
  gpg2 = { "--export-secret-keys", "--export-secret-key", "--export-secret-subkeys" },
  op = { "read", "item get", "document get" }, bw = { "get", "list items", "export" }, lpass = { "show", "export" },
  keyctl = { "print", "pipe", "read" }, gh = { "auth token", "auth status --show-token", "auth status -t" },
  kubectl = { "config view --raw" },
  glab = { "auth status --show-token" },
  gcloud = {
    "auth print-access-token", "auth print-identity-token", "auth application-default print-access-token",
    "secrets versions access",
  },
  aws = {
    "configure get aws_secret_access_key", "configure get aws_session_token", "configure export-credentials",
    "secretsmanager get-secret-value", "ssm get-parameter --with-decryption", "sts get-session-token",
  },
  az = { "account get-access-token", "keyvault secret show" }, vault = { "read", "kv get", "print token" },
  heroku = { "auth:token", "config" }, doppler = { "secrets" }, infisical = { "secrets", "export" },
  sops = { "-d", "--decrypt", "decrypt" },
  ["ansible-vault"] = { "view", "decrypt" }, direnv = { "export", "dotenv" }, chamber = { "read", "export" },
  rbw = { "get" }, getent = { "shadow", "gshadow" }, rails = { "credentials:show", "credentials:edit" },
  keepassxc = { "show" }, ["keepassxc-cli"] = { "show", "export" },
  git = { "credential fill", "credential-store get", "credential-osxkeychain get", "credential-cache get" },
}
-- Subcommands of pass. Any other first argument is the entry to print.
local PASS = set [[
  ls list find search grep insert add edit generate rm remove delete mv cp copy git help version init sync ]]
-- Programs that print a value when their first argument is one of these.
local FIRST = { dotenv = set "get list", dotenvx = set "get" }

local function holds(argv, phrase)
  local at = 2
  for word in phrase:gmatch("%S+") do
    while argv[at] and argv[at] ~= word do at = at + 1 end
    if not argv[at] then return false end
    at = at + 1
  end
  return true
end

local SECRETS_OF = set "secret secrets secret/ secrets/"

local function prints_cluster_secret(argv)
  local gets, of, shown = false, false, false
  for at = 2, #argv do
    local word = argv[at]
    if word == "get" then gets = true end
    if SECRETS_OF[word] or word:find("^secrets?/") then of = true end
    if word:find("^%-o") or word:find("^%-%-output") or word:find("^%-%-template") then
      local format = word .. (argv[at + 1] or "")
      shown = shown or not (format:find("name$") or format:find("wide$"))
    end
  end
  return gets and of and shown
end

local function reason(command)
  local text = table.concat(command.argv, " "):gsub("%c", " ")
  local told = '"%s" prints secrets. Ask the user for what you need, or let a program read it that does not show it.'
  return told:format(text:sub(1, 120))
end

-- Returns why a command that prints a secret is denied; nil when it prints none.
local function prints(command)
  local argv = command.argv
  for _, phrase in ipairs(PRINTS[command.program] or {}) do
    if holds(argv, phrase) then return reason(command) end
  end
  local first = FIRST[command.program]
  if first and first[argv[2] or ""] then return reason(command) end
  local word = command.program == "pass" and argv[2]
  if word and not PASS[word] and word:sub(1, 1) ~= "-" then return reason(command) end
  local cluster = command.program == "kubectl" or command.program == "oc"
  return cluster and prints_cluster_secret(argv) and reason(command) or nil
end

local FLAGS_OF_ALL = set "-p -x -px -xp -pv"

local dumps

-- Whether a command prints the whole environment.
function dumps(command)
  local argv, program = command.argv, command.program
  if reading.LOADS[program] then
    for at = 2, #argv do
      local word = argv[at]
      if word == "env" or word == "printenv" then
        return dumps({ argv = table.move(argv, at, #argv, 1, {}), program = word })
      end
    end
  end
  if program == "printenv" then return #argv == 1 or argv[2] == "-0" or argv[2] == "--null" end
  if program == "set" then return #argv == 1 end
  if program == "export" or program == "declare" or program == "typeset" then
    return #argv == 1 or (#argv == 2 and FLAGS_OF_ALL[argv[2]] == true)
  end
  if (program == "docker" or program == "docker-compose") and orcs.contains(argv, "config") then
    return not (orcs.contains(argv, "-q") or orcs.contains(argv, "--quiet") or orcs.contains(argv, "--services"))
  end
  if reading.CODE[program] then
    for at = 2, #argv do
      for _, pattern in ipairs(reading.ENVIRONMENT) do
        if argv[at]:find(pattern) then return true end
      end
    end
  end
  if program ~= "env" then return false end
  -- With only assignments and options, env runs no command and prints the environment.
  local at = 2
  while argv[at] and (argv[at]:find("^%-") or argv[at]:find("^[%w_]+=")) do
    at = at + ((argv[at] == "-u" or argv[at] == "-C") and 2 or 1)
  end
  return argv[at] == nil
end

local SECRET_NAMES = {
  "SECRET", "TOKEN", "PASSW", "PASSPHRASE", "API_KEY", "APIKEY", "PRIVATE", "CREDENTIAL", "ACCESS_KEY",
}

-- Returns why a command is denied at the level "strict": it prints the environment, runs printenv,
-- or prints a variable whose name suggests a secret.
local function shows_environment(command)
  if dumps(command) or command.program == "printenv" then
    return "the environment may contain secrets. Read single variables that are not secret, such as with echo $PATH."
  end
  if command.program ~= "echo" and command.program ~= "printf" then return nil end
  for _, at in ipairs(command.unknown) do
    for name in (command.argv[at] or ""):upper():gmatch("%$[{!]*([%w_]+)") do
      for _, part in ipairs(SECRET_NAMES) do
        if name:find(part, 1, true) then return ("$%s may be a secret."):format(name) end
      end
    end
  end
  return nil
end

return { prints = prints, dumps = dumps, shows_environment = shows_environment }
