-- Addresses from which projects' own scripts fetch well-known installers and programs. What a script runs from
-- elsewhere is denied. In a line itself, all downloads that are run are denied.

local distributors = {}

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
  for entry in list:gmatch("%S+") do
    local pattern = entry:gsub("[%.%-%+]", "%%%0"):gsub("%*", "[^/]+/[^/]+")
    patterns[#patterns + 1] = "^" .. pattern .. (entry:find("/", 1, true) and "" or "%f[/:%z]")
  end
  return patterns
end

local installers, programs

local function is_one(address, patterns)
  for _, pattern in ipairs(patterns) do
    if address:find(pattern) then return true end
  end
  return false
end

--- Whether an address, without its scheme, is that of a well-known distributor.
--- @param at_once whether what it gives is run as it comes
function distributors.know(address, at_once)
  installers = installers or compiled(INSTALLERS)
  if is_one(address, installers) then return true end
  programs = programs or compiled(PROGRAMS)
  return not at_once and is_one(address, programs)
end

return distributors
