-- Commands whose program is only known to the shell, or that run such text.

local reasons = require "shell_guard.reasons"
local words = require "file_guard.words"

local opaque = {}

-- Variables that by convention hold the program of the same name.
local CONVENTIONAL = words.set [[
  AR AS AWK BASH BROWSER BUNDLE CARGO CC CMAKE COMPOSER CPP CTEST CXX DENO DOCKER DOTNET EDITOR FC GCC GCLOUD GIT GIT_EDITOR GO
  GRADLE HELM JAVA JAVAC KUBECTL LD LEX MAKE MVN NINJA NM NODE NPM NPX OBJCOPY OBJDUMP OPENSSL PAGER PERL PHP PIP PIP3 PNPM
  POETRY PSQL PYTEST PYTHON PYTHON2 PYTHON3 RAKE RANLIB RSYNC RUBY RUSTC SED SHELLCHECK STRIP TERRAFORM TSC UV VIRTUALENV
  VISUAL YACC YARN
]]

-- Whether the unknown word holds variables from a .env file:
-- `env $(grep -v '^#' .env | xargs) npm start`.
local function is_from_env_file(command)
  local word = command.argv[1]
  return command.via[#command.via] == "env" and word:find("^%$%(") ~= nil and word:find("%.env%f[^%w_]") ~= nil
end

-- Programs that print settings for `eval`, and the subcommands with which other programs do.
local PRINTS_SETTINGS = words.set [[
  atuin dbus-launch dircolors fnm gpg-agent jenv keychain lesspipe locale mcfly nodenv pyenv rbenv resize
  register-python-argcomplete sheldon ssh-agent starship thefuck tput zoxide
]]
local ASKED = words.set [[
  activate completion completions complete docker-env env export-credentials get-login hook init shell shell.bash shell.posix shell.zsh
  shellenv shellinit shell-init
]]
local RUNS_FILES = words.set "sh bash zsh dash ksh ash source ."
local TAKES_OVER = words.set "eval source ."

--- Returns the program name if only the path before it is unknown: "java" for
--- `$JAVA_HOME/bin/java`; otherwise nil.
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
    if other.program == name then return ASKED[other.argv[2]] or ASKED[other.argv[3]] or false end
  end
  return false
end

-- Whether eval or source gets what a program prints, and nothing else: no further words, no variables that change what
-- is printed or run, and no output to files.
local function is_alone(command)
  local word = command.program == "" and command.argv[1] or command.argv[2]
  if #command.argv > (command.program == "" and 1 or 2) or word:find("^[\"']?[$<`]%(?%s*[%a_][%w_]*=") then return false end
  if command.line:find("%f[%w_][%a_][%w_]*=[^%s;&|]*[ \t]+eval%f[%s]") then return false end
  local function writes(redirect) return redirect.op ~= "<" and redirect.target ~= "/dev/null" end
  if words.any(command.redirects, writes) then return false end
  return not word:gsub(">[>|]?%s*/dev/null", ""):gsub(">&%s*%d", ""):find(">")
end

local function all_print_settings(command)
  return #command.from > 0 and is_alone(command)
    and not words.any(command.from, function(name) return not prints_settings(command, name) end)
end

local SETS = words.list "read select mapfile readarray getopts printf%s+%-v"

-- Whether a line sets a variable: `f=x.sh`, `for f in *.sh`, `read -r f`.
local function sets(line, name)
  return line:find("%f[%w_]" .. name .. "%+?=") or line:find("%f[%w_]for%s+" .. name .. "%f[^%w_]")
    or words.any(SETS, function(by) return line:find("%f[%w_]" .. by .. "%s[^;&|\n]*%f[%w_]" .. name .. "%f[^%w_]") end)
end

-- Whether a shell runs a script file of which only the path is unknown: `for f in *.sh; do sh "$f"; done`,
-- `. "$NVM_DIR/nvm.sh"`. This is allowed: the contents of other scripts are not known either. What a variable names
-- that is set nowhere in the line can be anything.
local function runs_file(command)
  local word = command.argv[2]
  if not word or not RUNS_FILES[command.program] or not command.unknown[2] then return false end
  if word:find("[$})%w]/[%w_.-]+$") then return true end
  local name = #command.from == 0 and word:match("^%${?([%a_][%w_]*)}?$")
  return name and sets(command.line, name)
end

--- Returns what is unclear about an opaque command; true if the line could not be read (no words),
--- nil if the command is considered harmless.
function opaque.judge(command)
  local word = command.argv[1]
  if word == nil then return true end
  local has_no_name, is_lenient = command.program == "", command.level < 3
  if has_no_name and (is_conventional(word) or opaque.program(command)) then return nil end
  if is_lenient and (has_no_name and is_from_env_file(command) or runs_file(command)) then return nil end
  local by = command.program ~= "" and command.program or command.via[#command.via]
  if TAKES_OVER[by] and all_print_settings(command) then return nil end
  return reasons.piped(command)
end

return opaque
