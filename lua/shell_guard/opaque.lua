-- Commands of which it is not known what they run.

local reasons = require "shell_guard.reasons"

local opaque = {}

local function set(text)
  local names = {}
  for name in text:gmatch("%S+") do names[name] = true end
  return names
end

opaque.downloads = set "curl wget wget2 fetch aria2c axel lynx http https xh curlie lwp-request GET ftp scp nc ncat netcat socat"

-- Variables that are named for the program they hold.
local CONVENTIONAL = set [[
  AR AS AWK BASH BROWSER BUNDLE CARGO CC CMAKE COMPOSER CPP CTEST CXX DENO DOCKER DOTNET EDITOR FC GCC GCLOUD GIT GIT_EDITOR GO
  GRADLE HELM JAVA JAVAC KUBECTL LD LEX MAKE MVN NINJA NM NODE NPM NPX OBJCOPY OBJDUMP OPENSSL PAGER PERL PHP PIP PIP3 PNPM
  POETRY PSQL PYTEST PYTHON PYTHON2 PYTHON3 RAKE RANLIB RSYNC RUBY RUSTC SED SHELLCHECK STRIP TERRAFORM TSC UV VIRTUALENV
  VISUAL YACC YARN
]]

-- Programs that print settings for a shell to take over.
local PRINTS_SETTINGS = set [[
  asdf atuin aws brew cargo cod conda dbus-launch delta deno direnv dircolors docker docker-machine flux fnm fzf gh glab
  gpg-agent helm hub jenv keychain kind kubectl locale luarocks mamba mcfly micromamba minikube mise navi nodenv npm nvm opam
  perl pip pipenv pipx pnpm podman poetry pyenv rbenv register-python-argcomplete resize rtx rustup scw sheldon ssh-agent
  starship stern step stripe talosctl teleport thefuck tmuxifier tput uv volta yq zoxide
]]
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

local function all_print_settings(from)
  for _, name in ipairs(from) do
    if not PRINTS_SETTINGS[name] then return false end
  end
  return #from > 0
end

--- What is not known of it; nil when nothing is that matters.
function opaque.judge(command)
  local word = command.argv[1]
  if word == nil then return true end
  if command.program == "" and (is_conventional(word) or opaque.program(command)) then return nil end
  local by = command.program ~= "" and command.program or command.via[#command.via]
  if TAKES_OVER[by] and all_print_settings(command.from) then return nil end
  return reasons.shown(command.argv)
end

return opaque
