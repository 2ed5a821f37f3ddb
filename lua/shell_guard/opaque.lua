-- Commands of which it is not known what they run.

local reasons = require "shell_guard.reasons"
local words = require "shell_guard.words"

local opaque = {}

-- Variables that are named for the program they hold.
local CONVENTIONAL = words.set [[
  AR AS AWK BASH BROWSER BUNDLE CARGO CC CMAKE COMPOSER CPP CTEST CXX DENO DOCKER DOTNET EDITOR FC GCC GCLOUD GIT GIT_EDITOR GO
  GRADLE HELM JAVA JAVAC KUBECTL LD LEX MAKE MVN NINJA NM NODE NPM NPX OBJCOPY OBJDUMP OPENSSL PAGER PERL PHP PIP PIP3 PNPM
  POETRY PSQL PYTEST PYTHON PYTHON2 PYTHON3 RAKE RANLIB RSYNC RUBY RUSTC SED SHELLCHECK STRIP TERRAFORM TSC UV VIRTUALENV
  VISUAL YACC YARN
]]

-- Settings from a file in front of a command: `env $(grep -v '^#' .env | xargs) npm start`.
local function is_from_env_file(command)
  local word = command.argv[1]
  return command.via[#command.via] == "env" and word:find("^%$%(") ~= nil and word:find("%.env%f[^%w_]") ~= nil
end

-- Programs that print settings for a shell to take over, and others that do when they are asked for them.
local PRINTS_SETTINGS = words.set [[
  atuin dbus-launch dircolors fnm gpg-agent jenv keychain lesspipe locale mcfly nodenv pyenv rbenv resize
  register-python-argcomplete sheldon ssh-agent starship thefuck tput zoxide
]]
local ASKED = words.set [[
  activate completion completions complete docker-env env export-credentials get-login hook init shell shell.bash shell.posix shell.zsh
  shellenv shellinit shell-init
]]
local RUNS_FILES = words.set "sh bash zsh dash ksh ash source ."
local TAKES_OVER = { eval = true, source = true, ["."] = true }

--- The name of a program of which only the end is known: "java" of `$JAVA_HOME/bin/java`; nil for others.
function opaque.program(command)
  local word = command.argv[1]
  if word == nil then return nil end
  return word:match("[%w_})`]/([%w_.+-]+)$")
end

local function is_conventional(word)
  local name = word:match("^[\"']?%${?([%w_]+)}?[\"']?$")
  return name ~= nil and CONVENTIONAL[name] == true
end

local function prints_settings(command, name)
  if PRINTS_SETTINGS[name] then return true end
  for at = command.at - 1, 1, -1 do
    local other = command.all[at]
    if other.program == name then return ASKED[other.argv[2] or ""] or ASKED[other.argv[3] or ""] or false end
  end
  return false
end

local function all_print_settings(command)
  for _, name in ipairs(command.from) do
    if not prints_settings(command, name) then return false end
  end
  return #command.from > 0
end

-- Whether it is a script in a file, whose name alone is not known: `sh "$f"`, `. "$NVM_DIR/nvm.sh"`. What is in it is not
-- known of other scripts, either.
local function runs_file(command)
  local word = command.argv[2]
  if not word or not RUNS_FILES[command.program] or not command.unknown[2] then return false end
  if word:find("[$})%w]/[%w_.-]+$") then return true end
  return #command.from == 0 and word:find("^%${?[%a_][%w_]*}?$") ~= nil
end

--- What is not known of it; nil when nothing is that matters.
function opaque.judge(command)
  local word = command.argv[1]
  if word == nil then return true end
  if command.program == "" and (is_conventional(word) or opaque.program(command)) then return nil end
  if command.level < 3 and command.program == "" and is_from_env_file(command) then return nil end
  if command.level < 3 and runs_file(command) then return nil end
  local by = command.program ~= "" and command.program or command.via[#command.via]
  if TAKES_OVER[by] and all_print_settings(command) then return nil end
  return reasons.piped(command)
end

return opaque
