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
  local function shows(word, at)
    local format = word .. (argv[at + 1] or "")
    return (word:find("^%-o") or word:find("^%-%-output") or word:find("^%-%-template"))
      and not (format:find("name$") or format:find("wide$"))
  end
  return orcs.contains(argv, "get") and words.any(argv, shows, 2)
    and words.any(argv, function(word) return SECRETS_OF[word] or word:find("^secrets?/") end, 2)
end

local SECRET_NAMES = words.list "SECRET TOKEN PASSW PASSPHRASE API_KEY APIKEY PRIVATE CREDENTIAL ACCESS_KEY"

-- Whether a name is one of a secret.
local function is_secret_name(name) return words.matches(name:upper(), SECRET_NAMES) end

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
  return words.any(args.operands, function(at) return is_secret_name(command.argv[at]) end)
end

-- Whether a command stores the environment of a project in a file that is not guarded.
local function pulls_environment(program, argv)
  if program ~= "vercel" or argv[2] ~= "env" or argv[3] ~= "pull" then return false end
  for at = 4, #argv do
    local is_value = argv[at - 1]:find("^%-%-[eg]")
    if argv[at]:sub(1, 1) ~= "-" and not is_value then return not argv[at]:match("[^/]*$"):find("^%.env") end
  end
end

local SHOWS_NO_VALUES = set [[
  -q --quiet --services --images --profiles --volumes --networks --hash --variables --no-interpolate --environment=false -o --output ]]

-- Whether a command prints the configuration of services with the values of .env in it.
local function prints_services(program, argv)
  if program ~= "docker-compose" and not ((program == "docker" or program == "podman") and orcs.contains(argv, "compose")) then return false end
  local function hides(word) return SHOWS_NO_VALUES[word] or SHOWS_NO_VALUES[word:match("^%-%-[^=]+")] end
  return (orcs.contains(argv, "config") or orcs.contains(argv, "convert")) and not words.any(argv, hides, 2)
end

-- Whether what command `i` prints goes to one that logs in with it, and so is not shown.
local function logs_in(commands, i)
  return words.any(commands, function(command)
    local takes = orcs.contains(command.argv, "--password-stdin") or orcs.contains(command.argv, "--with-token")
    return takes and orcs.contains(command.from, commands[i].program)
  end, i + 1)
end

-- Whether a command prints a secret.
local function prints_secret(command)
  local program, argv = command.program, command.argv
  local function is_held(phrase) return holds(argv, phrase) end
  local lower = {}
  for at, word in ipairs(PRINTS_IN_ANY_CASE[program] and argv or {}) do lower[at] = word:lower() end
  local first, entry = FIRST[program], program == "pass" and argv[2]
  return prints_value(program, argv) or prints_services(program, argv) or prints_decrypted(command)
    or pulls_environment(program, argv) or words.any(PRINTS[program] or {}, is_held)
    or words.any(PRINTS_IN_ANY_CASE[program] or {}, function(phrase) return holds(lower, phrase) end)
    or first and first[argv[2]] or entry and not PASS[entry] and entry:sub(1, 1) ~= "-"
    or (program == "kubectl" or program == "oc") and prints_cluster_secret(argv)
end

-- Programs that may print secrets without naming a file.
local CONCERNED = words.list "docker podman docker-compose kubectl oc vercel pass printenv dotenv dotenvx gpg gpg2 age rage"
for _, names in ipairs({ PRINTS, PRINTS_IN_ANY_CASE, VALUES }) do
  for name in pairs(names) do CONCERNED[#CONCERNED + 1] = name end
end
local IS_CONCERNED = set(table.concat(CONCERNED, " "))

-- Whether a program is one of these.
local function concerns(program) return IS_CONCERNED[program] end

-- Returns why command `i` is denied because it prints a secret; nil when it prints none.
local function prints(commands, i)
  if not prints_secret(commands[i]) or logs_in(commands, i) then return nil end
  local text = table.concat(commands[i].argv, " "):gsub("%c", " "):sub(1, 120)
  return '"' .. text .. '" prints secrets. Ask the user for what you need, or let a program read it that does not show it.'
end

local ENVIRONMENT = "the environment may contain secrets. Read single variables that are not secret, such as with echo $PATH."

-- Whether a name of a variable, or a part of one that a filter lets through, suggests a secret.
local function is_secret_variable(name)
  local upper = name:upper()
  return is_secret_name(name) or (upper:find("%f[%a]KEY") or upper:find("KEY%f[%A]")) ~= nil
end

-- Whether a command shows a variable whose name suggests a secret.
local function shows_secret(effects)
  return words.any(effects, function(effect) return is_secret_variable(effect.target:sub(5)) end)
end

-- Returns why the variables that a command shows are denied: it shows all of them, or those that a filter lets through
-- may be secret.
local function shows_variables(effects)
  return words.any(effects, function(effect)
    local name = effect.target:sub(5)
    return not effect.elsewhere and name:find("*", 1, true) and (name == "*" or is_secret_variable(name))
  end) and ENVIRONMENT or nil
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
  return LOADS[command.program] or words.any(command.argv, function(word)
    return word:sub(1, 10) == "--env-file" or word == "dotenv/config" or word:find("%f[%w]dotenv%f[%W]")
  end)
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
  return (program == "echo" or program == "printf" or program == "print")
    and words.any(command.unknown, function(at) return (argv[at] or ""):find("$", 1, true) end)
end

return {
  programs = CONCERNED, concerns = concerns, loads = loads, prints = prints, uses_environment = uses_environment,
  shows_variable = shows_variable, shows_variables = shows_variables, shows_secret = shows_secret,
  shows_environment = shows_environment,
}
