-- keep-checks: an agent makes the code pass its checks, and does not weaken the checks. It asks for
-- approval before a change of the configuration of linters, formatters, type checkers and tests, of CI
-- and of git's hooks, with any tool and in shell commands, and before commands that skip these hooks.
--
--   [[hooks]]
--   script = "orcs:keep-checks"
--   options = { decision = "deny", protect = ["pyproject.toml"], allow = ["tsconfig.build.json"] }
--
-- Options:
--   decision  "ask" (default) or "deny". What may happen, but does not for sure, is always a question
--   protect   globs of additional files, as in match.path; default none
--   allow     globs of files that may be changed nevertheless; default none
--
-- It counts as a change if such a file is written, removed, moved or gets other attributes, or if a
-- folder with such files is removed; also if a script that the call runs does that. Creating such a
-- file is a change. Skipping hooks: git commit --no-verify, git push --no-verify, git -c core.hooksPath=…,
-- HUSKY=0 git commit.
--
-- It does not detect
--   - parts of files that also contain other things (pyproject.toml, package.json, setup.cfg,
--     Cargo.toml): what a call does is known by file. List such a file in `protect`
--   - comments in the code that turn off a check for a line, and tests that are changed
--   - what git brings from elsewhere (git checkout of a branch, git pull), and files in node_modules
--     and in temporary folders outside of the working directory

local globs = require "file_guard.globs"
local options = require "policy.options"
local path = require "file_guard.path"
local words = require "file_guard.words"

-- Rules of orcs.name_rules: linters and formatters; type checkers; tests; CI; hooks of git.
local FILES = [[
  .eslintrc* .eslintignore eslint.config.* .oxlintrc.json oxlint.json biome.json biome.jsonc .prettierrc*
  .prettierignore prettier.config.* .stylelintrc* stylelint.config.* .editorconfig ruff.toml .ruff.toml .flake8
  .pylintrc pylintrc .rubocop.yml .golangci.yml .golangci.yaml .golangci.toml clippy.toml .clippy.toml rustfmt.toml
  .rustfmt.toml .clang-tidy .clang-format .swiftlint.yml detekt.yml checkstyle.xml phpcs.xml* phpstan.neon*
  .php-cs-fixer*.php .shellcheckrc .yamllint* .markdownlint* .hadolint.yaml knip.json .dependency-cruiser.*

  tsconfig*.json jsconfig.json mypy.ini .mypy.ini pyrightconfig.json pyre.toml

  jest.config.* vitest.config.* vitest.workspace.* playwright.config.* cypress.config.* karma.conf.* .mocharc*
  pytest.ini tox.ini noxfile.py .coveragerc .nycrc* .c8rc* codecov.yml .codecov.yml phpunit.xml* .rspec

  .github/workflows/ .github/actions/ .gitlab-ci.yml .gitlab-ci.yaml .circleci/ .buildkite/ jenkinsfile
  azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml .travis.yml appveyor.yml .drone.yml
  .woodpecker.yml .woodpecker/ .forgejo/workflows/ .gitea/workflows/

  .husky/ .git/hooks/ .pre-commit-config.yaml .pre-commit-config.yml lefthook.* .lefthook.* .lintstagedrc*
  lint-staged.config.*
]]
local CHECKS = orcs.name_rules(words.list(FILES))
local CHANGES = { write = true, remove = true, attributes = true }
local SKIPS = {
  "git commit --no-verify", "git push --no-verify", "git merge --no-verify", "git am --no-verify",
  "pre-commit uninstall", "lefthook uninstall",
}
-- Variables with which hooks do nothing: Lua patterns.
local SWITCHES = { "%f[%w_]HUSKY=[\"']?0", "%f[%w_]LEFTHOOK=[\"']?[0f]", "%f[%w_]SKIP=" }

local CONFIGURES = '"%s" configures checks (%s). Make the code pass them, or ask a person to change it.'
local SKIPPED = '"%s" skips the checks that git runs. Make the code pass them, or ask a person to run it.'

local opted = options.read("keep-checks", {
  decision = { of = { "ask", "deny" } },
  protect = { kind = "globs", default = {} },
  allow = { kind = "globs", default = {} },
})
local function none() return nil end
local protects, allows = globs(opted.protect) or none, globs(opted.allow) or none

local function is_foreign(file, cwd)
  if path.inside(cwd, file) then return file:find("/node_modules/", #cwd, true) ~= nil end
  return words.any(path.TEMPORARY, function(folder) return path.inside(folder, file) end)
    or file:find("/node_modules/", 1, true) ~= nil
end

-- The rule that a file matches which an effect changes; nil for none.
local function rule_of(file, effect, cwd)
  if is_foreign(file, cwd) or allows(file, cwd) then return nil end
  return protects(file, cwd) or CHECKS:match(file) or (effect.kind == "remove" and CHECKS:below(file)) or nil
end

-- Returns why a line of git's needs approval: it removes files, or skips hooks, for good or for one command.
local function judge_git(line, cwd)
  local text = line.line
  if not text:find("git") and not text:find("uninstall") then return nil end
  local is_skipped, unread = orcs.runs(text, SKIPS)
  is_skipped = is_skipped and not unread
  for _, command in ipairs(orcs.shell(text, line.cwd)) do
    local args = command.args or { name = "" }
    for _, at in ipairs(args.name == "git/rm" and not args.options["--cached"] and args.operands or {}) do
      local rule = rule_of(path.resolve(command.argv[at], command.cwd), { kind = "remove" }, cwd)
      if rule then return CONFIGURES:format(command.argv[at], rule) end
    end
    for at = 2, command.program == "git" and #command.argv or 0 do
      local word = command.argv[at]:lower()
      is_skipped = is_skipped or word:find("core%.hookspath=") or (word == "core.hookspath" and command.argv[at + 1])
    end
  end
  for _, switch in ipairs(is_skipped and {} or SWITCHES) do
    if text:find(switch) then is_skipped = orcs.runs(text, { "git commit", "git push" }) end
  end
  return is_skipped and SKIPPED:format((text:sub(1, 160):gsub("%c", " "))) or nil
end

-- For tests: a command line, and what becomes of it.
local function line(command, decision)
  return { tool = "exec", cwd = "/work", args = { command = command }, expect = { decision = decision } }
end

return {
  id = "keep-checks",
  point = "tool.pre_execute",
  priority = 5,
  handler = function(ctx)
    local effects, _, _, lines = orcs.effects(ctx)
    local cwd = ctx.payload.cwd or ctx.payload.sandbox_root or path.real(".")
    local asked
    for _, effect in ipairs(effects) do
      if CHANGES[effect.kind] and not effect.elsewhere then
        local seen = effect.target or path.normal(effect.word or "")
        local rule = rule_of(seen, effect, cwd)
        if not rule and effect.target then
          local real = path.target(effect.target, nil, effect.unfollowed and "gone")
          rule = real and real ~= seen and rule_of(real, effect, cwd)
        end
        local reason = rule and "keep-checks: " .. CONFIGURES:format(effect.word or seen, rule)
        if reason and effect.sure and opted.decision == "deny" then return orcs.deny(reason) end
        asked = asked or reason
      end
    end
    for _, line in ipairs(lines) do
      local reason = not line.code and judge_git(line, cwd) or nil
      if reason and opted.decision == "deny" then return orcs.deny("keep-checks: " .. reason) end
      asked = asked or (reason and "keep-checks: " .. reason)
    end
    return asked and orcs.ask(asked) or nil
  end,
  tests = {
    {
      "asks about the configuration of checks, whatever changes it",
      events = {
        {
          tool = "edit", cwd = "/work", args = { path = "tsconfig.json", edits = {} },
          expect = { decision = "ask", reason = { matches = '^keep%-checks: "tsconfig.json" configures checks' } },
        },
        line("sed -i s/error/off/ .eslintrc.json", "ask"),
        line("rm -r .github", "ask"),
        line("git rm .flake8", "ask"),
        line('echo > "$D/ruff.toml"', "ask"),
        line("cat tsconfig.json; npx eslint .; touch src/a.ts", "none"),
        line("touch /tmp/x/tsconfig.json /srv/node_modules/x/tsconfig.json", "none"),
      },
    },
    {
      "asks about commands that skip hooks of git",
      events = {
        {
          tool = "exec", args = { command = "git commit -anm x" },
          expect = { decision = "ask", reason = { matches = "skips the checks" } },
        },
        line("git -c core.hooksPath=/dev/null commit -m x", "ask"),
        line("HUSKY=0 git push", "ask"),
        line("git config core.hooksPath; git log", "none"),
      },
    },
    {
      "denies, protects more and allows as it is told",
      options = { decision = "deny", protect = { "pyproject.toml" }, allow = { "tsconfig.build.json" } },
      events = {
        { tool = "write", cwd = "/work", args = { path = "pyproject.toml", content = "" }, expect = { action = "abort" } },
        { tool = "exec", args = { command = "git commit --no-verify" }, expect = { action = "abort" } },
        line("touch tsconfig.build.json", "none"),
        { tool = "set_format", cwd = "/work", args = { path = "tsconfig.json" }, expect = { decision = "ask" } },
      },
    },
  },
}
