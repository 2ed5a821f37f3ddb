-- Commands that print secrets without naming a file: from password stores, tokens, the environment.
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
  glab = { "auth status --show-token", "auth status -t" },
  gcloud = {
    "auth print-access-token", "auth print-identity-token", "auth application-default print-access-token",
    "secrets versions access",
  },
  aws = {
    "configure get aws_secret_access_key", "configure get aws_session_token", "configure export-credentials",
    "secretsmanager get-secret-value", "ssm get-parameter --with-decryption", "sts get-session-token", "sts assume-role",
    "sts assume-role-with-saml", "sts assume-role-with-web-identity", "sts get-federation-token", "ecr get-login-password",
    "ssm get-parameters --with-decryption", "ssm get-parameters-by-path --with-decryption",
  },
  az = { "account get-access-token", "keyvault secret show" }, vault = { "read", "kv get", "print token" },
  heroku = { "auth:token", "config" }, doppler = { "secrets" }, infisical = { "secrets", "export" },
  sops = { "-d", "--decrypt", "decrypt" },
  ["ansible-vault"] = { "view", "decrypt" }, direnv = { "export", "dotenv" }, chamber = { "read", "export" },
  rbw = { "get" }, getent = { "shadow", "gshadow" }, rails = { "credentials:show", "credentials:edit" },
  terraform = { "state pull", "show -json", "output -json" }, tofu = { "state pull", "show -json", "output -json" },
  pulumi = { "--show-secrets" }, railway = { "variables" },
  keepassxc = { "show" }, ["keepassxc-cli"] = { "show", "export" },
  git = { "credential fill", "credential-store get", "credential-osxkeychain get", "credential-cache get" },
  helm = { "get values", "get all" },
}
-- The same for programs that ignore case.
local PRINTS_IN_ANY_CASE = { ["redis-cli"] = { "config get requirepass", "config get masterauth", "config get *" } }
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

local SECRET_NAMES = {
  "SECRET", "TOKEN", "PASSW", "PASSPHRASE", "API_KEY", "APIKEY", "PRIVATE", "CREDENTIAL", "ACCESS_KEY",
}

-- Whether a name is one of a secret.
local function is_secret_name(name)
  for _, part in ipairs(SECRET_NAMES) do
    if name:upper():find(part, 1, true) then return true end
  end
  return false
end

-- Programs with values of which some are secret → the words before the name of the value that is printed. Lists of
-- all values hide the secret ones.
local VALUES = { terraform = { "output" }, tofu = { "output" }, pulumi = { "config", "get" }, heroku = { "config:get" } }

-- Whether a command prints a value whose name is one of a secret.
local function prints_value(program, argv)
  local lead, given = VALUES[program], 0
  for at = 2, lead and #argv or 0 do
    if given == #lead and is_secret_name(argv[at]) then return true end
    if argv[at] == lead[given + 1] then given = given + 1 end
  end
  return false
end

local DECRYPTS = set "gpg gpg2 age rage"

-- Whether a command shows what it decrypts from a file with the name of a secret.
local function prints_decrypted(command)
  local args = DECRYPTS[command.program] and command.args
  if not args or not args.options["--decrypt"] or args.options["--output"] then return false end
  for _, at in ipairs(args.operands) do
    if is_secret_name(command.argv[at]) then return true end
  end
  return false
end

-- Whether a command stores the environment of a project in a file that is not guarded.
local function pulls_environment(program, argv)
  if program ~= "vercel" or argv[2] ~= "env" or argv[3] ~= "pull" then return false end
  for at = 4, #argv do
    local is_value = argv[at - 1]:find("^%-%-[eg]")
    if argv[at]:sub(1, 1) ~= "-" and not is_value then return not argv[at]:match("[^/]*$"):find("^%.env") end
  end
  return false
end

local function reason(command)
  local text = table.concat(command.argv, " "):gsub("%c", " ")
  local told = '"%s" prints secrets. Ask the user for what you need, or let a program read it that does not show it.'
  return told:format(text:sub(1, 120))
end

local SHOWS_NO_VALUES = set [[
  -q --quiet --services --images --profiles --volumes --networks --hash --variables --no-interpolate --environment=false -o --output ]]

-- Whether a command prints the configuration of services with the values of .env in it.
local function prints_services(program, argv)
  if program ~= "docker-compose" and not ((program == "docker" or program == "podman") and orcs.contains(argv, "compose")) then return false end
  local is_config = false
  for at = 2, #argv do
    if SHOWS_NO_VALUES[argv[at]] or SHOWS_NO_VALUES[argv[at]:match("^%-%-[^=]+")] then return false end
    is_config = is_config or argv[at] == "config" or argv[at] == "convert"
  end
  return is_config
end

-- Whether what command `i` prints goes to one that logs in with it, and so is not shown.
local function logs_in(commands, i)
  for k = i + 1, #commands do
    local command = commands[k]
    local takes = orcs.contains(command.argv, "--password-stdin") or orcs.contains(command.argv, "--with-token")
    if takes and orcs.contains(command.from, commands[i].program) then return true end
  end
  return false
end

-- Why a command is denied because it prints a secret; nil when it prints none.
local function why_prints(command)
  local argv = command.argv
  if prints_value(command.program, argv) then return reason(command) end
  if prints_services(command.program, argv) then return reason(command) end
  if prints_decrypted(command) or pulls_environment(command.program, argv) then return reason(command) end
  for _, phrase in ipairs(PRINTS[command.program] or {}) do
    if holds(argv, phrase) then return reason(command) end
  end
  for _, phrase in ipairs(PRINTS_IN_ANY_CASE[command.program] or {}) do
    local lower = {}
    for at, word in ipairs(argv) do lower[at] = word:lower() end
    if holds(lower, phrase) then return reason(command) end
  end
  local first = FIRST[command.program]
  if first and first[argv[2]] then return reason(command) end
  local word = command.program == "pass" and argv[2]
  if word and not PASS[word] and word:sub(1, 1) ~= "-" then return reason(command) end
  local cluster = command.program == "kubectl" or command.program == "oc"
  return cluster and prints_cluster_secret(argv) and reason(command) or nil
end

-- Programs that may print secrets without naming a file.
local CONCERNED = words.list "docker podman docker-compose kubectl oc vercel pass printenv dotenv dotenvx gpg gpg2 age rage"
for _, names in ipairs({ PRINTS, PRINTS_IN_ANY_CASE, VALUES }) do
  for name in pairs(names) do CONCERNED[#CONCERNED + 1] = name end
end
local IS_CONCERNED = {}
for _, name in ipairs(CONCERNED) do IS_CONCERNED[name] = true end

-- Whether a program is one of these.
local function concerns(program) return IS_CONCERNED[program] end

-- Returns why command `i` is denied because it prints a secret; nil when it prints none.
local function prints(commands, i)
  local told = why_prints(commands[i])
  return told and not logs_in(commands, i) and told or nil
end

local ENVIRONMENT = "the environment may contain secrets. Read single variables that are not secret, such as with echo $PATH."

-- Whether a name of a variable, or a part of one that a filter lets through, suggests a secret.
local function is_secret_variable(name)
  local upper = name:upper()
  return is_secret_name(name) or (upper:find("%f[%a]KEY") or upper:find("KEY%f[%A]")) ~= nil
end

-- Whether a command shows a variable whose name suggests a secret.
local function shows_secret(effects)
  for _, effect in ipairs(effects) do
    if is_secret_variable(effect.target:sub(5)) then return true end
  end
  return false
end

-- Returns why the variables that a command shows are denied: it shows all of them, or those that a filter lets through
-- may be secret.
local function shows_variables(effects)
  for _, effect in ipairs(effects) do
    local name = effect.target:sub(5)
    if not effect.elsewhere and name:find("*", 1, true) and (name == "*" or is_secret_variable(name)) then return ENVIRONMENT end
  end
  return nil
end

-- Returns why a command is denied at the level "strict": it shows variables whose names suggest a secret, all of them,
-- or it runs printenv.
local function shows_environment(command, effects)
  if command.program == "printenv" then return ENVIRONMENT end
  for _, effect in ipairs(effects) do
    local name = effect.target:sub(5)
    if name:find("*", 1, true) then return ENVIRONMENT end
    if is_secret_name(name) then return ("$%s may be a secret."):format(name) end
  end
  return nil
end

-- Programs that load a file into the environment of the command that they run.
local LOADS = set "dotenv dotenv-cli dotenvx env-cmd honcho foreman"

-- Whether a command has variables from a file: `--env-file`, dotenv.
local function uses_environment(command)
  if LOADS[command.program] then return true end
  for _, word in ipairs(command.argv) do
    if word:sub(1, 10) == "--env-file" or word == "dotenv/config" or word:find("%f[%w]dotenv%f[%W]") then return true end
  end
  return false
end

local SOURCES = set ". source"

-- Whether a command only loads a file with variables into the shell, which prints nothing: `. ./.env`.
local function loads(command)
  local file = SOURCES[command.program] and #command.argv == 2 and #command.unknown == 0 and command.argv[2]
  if not file or #command.redirects > 0 then return false end
  local name = file:match("[^/]*$"):lower()
  return name:find("^%.env") ~= nil or name:find("%.env$") ~= nil
end

-- Whether a command may show the value of a variable that the line has loaded.
local function shows_variable(command)
  local program, argv = command.program, command.argv
  if program == "printenv" then return true end
  if argv[2] and argv[2]:find("^%-%a*[xv]") and (program == "set" or program:find("sh$")) then return true end
  if program ~= "echo" and program ~= "printf" and program ~= "print" then return false end
  for _, at in ipairs(command.unknown) do
    if (argv[at] or ""):find("$", 1, true) then return true end
  end
  return false
end

return {
  programs = CONCERNED, concerns = concerns, loads = loads, shows_variable = shows_variable, prints = prints, shows_variables = shows_variables, shows_secret = shows_secret,
  shows_environment = shows_environment, uses_environment = uses_environment,
}
