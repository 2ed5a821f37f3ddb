-- Judges what a command runs that comes from another machine: effects of the kind `run` with `from`.

local reasons = require "shell_guard.reasons"
local words = require "file_guard.words"

local origins = {}

-- Addresses from which projects' own scripts fetch well-known installers and programs. What a script runs from elsewhere
-- is denied. In a line itself, all downloads that are run are denied.

-- Installers that are run as they are fetched: a host, or a host with the beginning of a path.
local INSTALLERS = [[
  sh.rustup.rs static.rust-lang.org get.docker.com download.docker.com deb.nodesource.com rpm.nodesource.com
  install.python-poetry.org astral.sh get.sdkman.io bun.sh deno.land get.pnpm.io get.helm.sh get.k3s.io bootstrap.pypa.io
  pyenv.run get.rvm.io getcomposer.org get.volta.sh fnm.vercel.app foundry.paradigm.xyz cli.run.nu starship.rs just.systems
  taskfile.dev goreleaser.com git.io/go-installer codecov.io uploader.codecov.io cli.codecov.io sentry.io/get-cli
  apt.llvm.org packages.microsoft.com dot.net aka.ms get.jetify.com nixos.org/nix install.determinate.systems
  raw.githubusercontent.com/golangci/ raw.githubusercontent.com/nvm-sh/ raw.githubusercontent.com/creationix/
  raw.githubusercontent.com/Homebrew/ raw.githubusercontent.com/helm/ raw.githubusercontent.com/kubernetes/
  raw.githubusercontent.com/kubernetes-sigs/ raw.githubusercontent.com/k3d-io/ raw.githubusercontent.com/rancher/
  raw.githubusercontent.com/anchore/ raw.githubusercontent.com/aquasecurity/ raw.githubusercontent.com/ohmyzsh/
  raw.githubusercontent.com/pyenv/ raw.githubusercontent.com/junegunn/ raw.githubusercontent.com/goreleaser/
  raw.githubusercontent.com/cosmtrek/ raw.githubusercontent.com/air-verse/ raw.githubusercontent.com/codecov/
  golangci-lint.run
]]
-- Programs that are fetched to a file first.
local PROGRAMS = [[
  dl.min.io dl.minio.io storage.googleapis.com dl.google.com dl.k8s.io go.dev/dl golang.org/dl nodejs.org/dist
  releases.hashicorp.com awscli.amazonaws.com repo1.maven.org repo.maven.apache.org services.gradle.org archive.apache.org
  www.python.org/ftp ftp.gnu.org mirrors.kernel.org git.savannah.gnu.org registry.npmjs.org files.pythonhosted.org
  cmake.org/files github.com/*/releases/ raw.githubusercontent.com/*/ codeload.github.com/ repo.anaconda.com
  repo.saltproject.io bootstrap.saltproject.io bootstrap.saltstack.com
]]

local function compiled(list)
  local patterns = {}
  for at, entry in ipairs(words.list(list)) do
    local pattern = entry:gsub("[%.%-%+]", "%%%0"):gsub("%*", "[^/]+/[^/]+")
    patterns[at] = "^" .. pattern .. (entry:find("/", 1, true) and "" or "%f[/:%z]")
  end
  return patterns
end

local installers, programs

-- Whether an address, without its scheme, is that of a well-known distributor.
-- @param at_once whether what it gives is run as it comes
local function is_known(address, at_once)
  installers, programs = installers or compiled(INSTALLERS), programs or compiled(PROGRAMS)
  return words.matches(address, installers) or not at_once and words.matches(address, programs)
end

local function is_foreign(effect) return effect.from and effect.kind == "run" end

--- Whether a command runs something that comes from another machine.
function origins.is_foreign(command) return words.any(command.effects, is_foreign) end

-- Whether an address is known, and not that of a well-known distributor, from which projects' own scripts fetch.
-- @param at_once whether what it gives is run as it comes
local function is_elsewhere(address, at_once)
  -- Scripts build what they clone.
  if address:find("^git%+") then return false end
  local host = address:gsub("^%a[%w+.-]*://", ""):gsub("^[^/@]*@", "")
  return host ~= "" and not host:find("^[$`{]") and not is_known(host, at_once)
end

--- Returns a reason to deny a command, or nil.
function origins.judge(command)
  for _, effect in ipairs(command.effects) do
    local from = effect.kind == "run" and effect.from
    if from and from:find("^/dev/[tu][cd]p/") then
      local because = "gives whoever is at the other end a shell on this machine"
      local what = reasons.piped(command) .. (#from > 9 and " < " .. from or "")
      return reasons.refusal("code.reverse-shell", what, because, "Let the user do it")
    elseif from and (not command.in_file or is_elsewhere(from, effect.target == nil)) then
      local because, instead = "runs what was downloaded, unseen", "Download it to a file and look at it first"
      return reasons.refusal("code.run-download", reasons.piped(command), because, instead)
    end
  end
end

return origins
