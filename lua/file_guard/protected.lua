-- Rules of orcs.name_rules for files that tools generate or that configure tools, and for files that
-- instruct coding agents.

-- Rules that apply to the whole path.
local ANYWHERE = orcs.name_rules({
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
  -- Files that git runs or trusts.
  ".git/", "git~1/", ".husky/", ".gitattributes", ".pre-commit-config.yaml", ".pre-commit-config.yml",
  "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook-local.yml", "lefthook-local.yaml",
  ".lefthook-local.yml", ".lefthook-local.yaml",
  -- Commands that editors and direnv run when a folder is opened.
  ".envrc", ".vscode/tasks.json", ".devcontainer/", ".devcontainer.json",
  -- orcs itself.
  "orcs.toml", "orcs.local.toml", "orcs.lock", "hooks/*.lua", "hooks/*/*.lua", ".config/orcs/",
  -- Startup files of shells and what they read.
  ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
  ".zprofile",
  ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".inputrc", ".config/fish/", ".ssh/", ".gitconfig", ".npmrc",
})

-- Settings of agents. These rules apply only below a root, because the root itself may be in such a
-- folder.
local BELOW_ROOTS = orcs.name_rules({
  ".claude/", ".claude.json", ".mcp.json", ".codex/", ".gemini/", ".cursor/hooks.json",
  ".cursor/hooks/", ".cursor/mcp.json",
})

-- Files that instruct agents. In lower case, they count at the top of a root only: `docs/agents.md` is
-- an ordinary page.
local INSTRUCTIONS = {
  "AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md", "copilot-instructions.md",
}
local instructs = {}
for _, name in ipairs(INSTRUCTIONS) do instructs[name], instructs[name:lower()] = name, name end

local protected = {}

-- Returns the rule that protects a file, or nil.
-- path: absolute and normalized; below: the path relative to the root that contains it
-- gone: whether the path is removed, with everything below it
function protected.rule(path, below, gone)
  local rule = ANYWHERE:match(path) or BELOW_ROOTS:match(below)
  -- Stale lock files of git may be removed.
  if rule and gone and path:find("/%.git/.*%.lock$") then return nil end
  if rule or not gone then return rule end
  if below:lower() == "hooks" then return "hooks/*.lua" end
  return ANYWHERE:below(path) or BELOW_ROOTS:below(below)
end

-- Returns a rule for something below a folder, or nil. A folder `hooks` is mostly not one of orcs.
function protected.within(path, below)
  if path:lower():find("/hooks$") then return nil end
  return ANYWHERE:below(path, true) or BELOW_ROOTS:below(below, true)
end

-- Returns the name of the file that instructs agents, or nil; arguments as above.
function protected.instructs(path, below)
  local base = path:match("[^/]*$")
  local name = instructs[base] or instructs[base:lower()]
  return name and (base == name or not below:find("/")) and name or nil
end

return protected
