-- Finds calls that would read or send a secret, by what they do: see hooks/secret-guard.lua.
local path = require "file_guard.path"
local secret_lines = require "file_guard.secret_lines"
local secret_paths = require "file_guard.secret_paths"

-- Returns a text in the arguments of a call that names a secret, or nil.
local function named_in(value, paths, cwd)
  if type(value) == "string" then
    local is_prose = value:find("\n") or value:find("^[^/\\]*%s")
    return not is_prose and paths:named(path.given(value), cwd) and value or nil
  end
  for _, item in pairs(type(value) == "table" and value or {}) do
    local found = named_in(item, paths, cwd)
    if found then return found end
  end
  return nil
end

-- opted: { strict, write, allowed, denied }; allowed and denied are from file_guard.globs, nil for
-- none
return function(opted)
  local judge = secret_lines(opted)

  -- Returns why a call is denied; nil when it is not.
  return function(payload)
    local effects, unread, is_malformed, lines = orcs.effects(payload)
    if is_malformed then error(unread, 0) end
    local cwd = path.start(payload)
    local paths = secret_paths.new(opted, cwd)
    -- What cannot be read may do anything.
    local is_concerned = #lines > 0 and (unread or judge.concerns(effects, paths))
    for _, line in ipairs(is_concerned and lines or {}) do
      local reason = not line.code and judge.line(line, paths)
      if reason then return reason end
    end
    local tool = { argv = { payload.tool_name }, is_tool = true }
    local reason = judge.effects(effects, tool, paths)
    if reason or not opted.strict or #effects > 0 then return reason end
    -- A tool that lists, say: it has no effect on files.
    local word = named_in(payload.args, paths, cwd)
    return word and secret_paths.refusal(secret_paths.command_text(tool), word) or nil
  end
end
