-- The files that tools make or that steer tools, as rules of file_guard.names.
local names = require "file_guard.names"

-- Wherever they stand.
local ANYWHERE = names.table({
  -- Lock files.
  "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
  "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "pipfile.lock", "go.sum", "gemfile.lock", "composer.lock",
  "mix.lock", "pubspec.lock", "podfile.lock", "package.resolved", "gradle.lockfile", "flake.lock", "packages.lock.json",
  ".terraform.lock.hcl", "conan.lock", "pixi.lock",
  -- CI.
  ".github/workflows/", ".github/actions/", ".gitlab-ci.yml", ".gitlab-ci.yaml", ".circleci/", ".buildkite/",
  "jenkinsfile",
  "azure-pipelines.yml", "azure-pipelines.yaml", "bitbucket-pipelines.yml", ".travis.yml", "appveyor.yml", ".drone.yml",
  ".woodpecker.yml", ".woodpecker/", ".forgejo/workflows/", ".gitea/workflows/",
  -- What git runs and believes.
  ".git/", "git~1/", ".husky/",
  -- orcs itself.
  "orcs.toml", "orcs.local.toml", "hooks/*.lua", "hooks/*/*.lua", ".config/orcs/",
  -- Startup files of shells and what they read.
  ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
  ".zprofile",
  ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".inputrc", ".config/fish/", ".ssh/", ".gitconfig", ".npmrc",
})

-- Settings of agents: below a root, which may itself be in such a folder.
local BELOW_ROOTS = names.table({
  ".claude/", ".claude.json", ".mcp.json", ".codex/", ".gemini/", ".cursor/hooks.json",
  ".cursor/hooks/", ".cursor/mcp.json",
})

-- A lock that was left behind is removed by hand.
local function is_left_behind(path)
  return path:find("/%.git/.*%.lock$") ~= nil
end

-- The rule that a file fits which is not to be written; nil when there is none.
-- path: absolute and normal; below: the same from the root that it is in
-- gone: whether it is removed, with all that is below
return function(path, below, gone)
  local rule = ANYWHERE:match(path) or BELOW_ROOTS:match(below)
  if rule and gone and is_left_behind(path) then return nil end
  if rule or not gone then return rule end
  if below:lower() == "hooks" then return "hooks/*.lua" end
  return ANYWHERE:below(path) or BELOW_ROOTS:below(below)
end
