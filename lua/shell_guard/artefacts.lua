-- Files and folders that builds, tests and editors generate. They can be regenerated, so removing
-- them is allowed without asking, wherever they are.

local words = require "file_guard.words"

local artefacts = {}

local FOLDERS = words.set [[
  node_modules bower_components jspm_packages .pnpm-store .yarn-cache
  dist build out target coverage .nyc_output htmlcov lib-cov
  .next .nuxt .output .svelte-kit .angular .astro .vercel .netlify .turbo .nx .parcel-cache .cache .vite .rollup.cache
  .webpack .docusaurus .expo .serverless storybook-static .vitest .jest-cache test-results playwright-report
  __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv venv .eggs .ipynb_checkpoints .hypothesis
  .gradle .terraform .stack-work dist-newstyle _build elm-stuff .dart_tool DerivedData Pods .build
  CMakeFiles cmake-build-debug cmake-build-release bin obj Debug Release bazel-out .bazel .ccache
  tmp temp .tmp .temp logs log site _site .sass-cache
]]

local FILES = words.set [[
  .DS_Store Thumbs.db thumbs.db desktop.ini .eslintcache .stylelintcache .coverage nohup.out npm-debug.log yarn-error.log
  a.out .prettiercache
]]

local ENDINGS = words.set [[
  pyc pyo pyd o obj a lo la gcda gcno gcov class log tmp temp bak orig rej swp swo tsbuildinfo egg-info
  cache pid beam elc aux toc out lcov profraw
]]

--- Whether a folder of this name holds generated files only.
function artefacts.folder(name) return FOLDERS[name] == true end

local ANYWHERE = words.set [[
  node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv .next .nuxt .svelte-kit .turbo .parcel-cache
  .nyc_output .dart_tool .terraform DerivedData bower_components
]]

--- Whether the last part of a path is a folder that is always generated, even outside the project.
function artefacts.anywhere(path) return ANYWHERE[path:match("[^/]*$")] == true end

--- Whether a name, or every match of a name pattern, is generated: `*.pyc`, `node_modules`, `*~`.
function artefacts.name(pattern)
  if FOLDERS[pattern] or FILES[pattern] then return true end
  if pattern:find("%[") then return pattern == "*.py[co]" or pattern == "*.py[cod]" or pattern == "*.sw[op]" end
  if pattern:sub(-1) == "~" or pattern:find("^%.?#.*#$") then return true end
  if pattern:find("^npm%-debug%.log") or pattern:find("^%._") then return true end
  local ending = pattern:match("%.([%w%-]+)%*?$")
  return ending ~= nil and ENDINGS[ending] == true
end

--- Whether a path or path pattern is a generated file or folder, or is inside such a folder:
--- `*/dist/*`. Paths with `..` never are.
function artefacts.path(pattern)
  if pattern:find("..", 1, true) then return false end
  -- In an absolute path, folders above the project may have such names by chance (`/build/src`):
  -- only the last part counts.
  if pattern:sub(1, 1) == "/" then return artefacts.name(pattern:match("[^/]*$")) end
  local last
  for part in pattern:gmatch("[^/]+") do
    if FOLDERS[part] and part ~= "bin" then return true end
    last = part
  end
  return last ~= nil and artefacts.name(last)
end

return artefacts
