-- What of a call would write where it must not: see hooks/path-guard.lua.
local path = require "file_guard.path"
local is_protected = require "file_guard.protected"
local targets = require "file_guard.targets"

local PROTECTED = "%s is protected (%s): it is made by a tool, or steers one. "
  .. "Use the tool that owns it, or ask the user to change it."
local WHOLE = "%s is all of a folder that may be written, with what is protected in it. Name what is to be removed."
local UNKNOWN = "it is not known where %s of %s leads to. Write the path itself."

local function shown(text)
  text = text:gsub("%c", " ")
  return '"' .. (#text > 160 and text:sub(1, 157) .. "..." or text) .. '"'
end

local function NONE() return nil end

local function real_cwd(read)
  read.real_cwd = read.real_cwd or (read.cwd and path.real(read.cwd)) or read.cwd
  return read.real_cwd
end

return function(opted)
  local meant = #opted.temporary > 0 and "the working directory and temporary folders"
    or (#opted.roots == 0 and "nothing" or table.concat(opted.roots, ", "))
  local temporary = {}
  for i, folder in ipairs(opted.temporary) do temporary[i] = path.real(folder) or folder end

  -- The folders that may be written to, with their links resolved; one that leads nowhere is none.
  local function real_roots(cwd)
    local roots = {}
    for _, root in ipairs(opted.roots) do roots[#roots + 1] = path.real(path.given(root), cwd) end
    return roots
  end

  local function inside_of(folders, text)
    local itself
    for _, folder in ipairs(folders) do
      local below = path.inside(folder, text)
      if below and below ~= "" then return below end
      itself = itself or below
    end
    return itself
  end

  -- Why a target is refused; nil when it may be written.
  local function refusal(text, cwd, how, read, state)
    state.roots = state.roots or real_roots(read.cwd)
    local lead = path.plain_lead(text)
    local rest = text:sub(#lead + 1)
    local globbed = lead ~= text
    local real, why = path.target(globbed and lead or text, cwd, not globbed and how or nil)
    if not real then return ("%s leads to nobody knows where: %s."):format(shown(text), why) end
    if globbed then real = path.normal(real .. "/" .. (lead == "." and text or rest)) end
    local seen = path.resolve(text, cwd)
    local root = inside_of(state.roots, real)
    -- What a link in /proc leads to depends on who follows it.
    local foreign = (seen:find("^/proc/") and not inside_of(state.roots, seen)) or text:find("^~[%a_][%w_.-]*/")
    if foreign or (not root and not inside_of(temporary, real)) then
      local leads = seen == real and "" or (", which leads to %s,"):format(shown(real))
      return ("%s%s is outside of what may be written: %s. Write below it, or ask the user."):format(
        shown(text), leads, meant
      )
    end
    -- The folder itself is an entry of the one above it.
    if how == "gone" and (root or inside_of(temporary, real)) == "" then return WHOLE:format(shown(text)) end
    if not root then return nil end
    if how == "gone" and root:find("^%*+$") and real == path.normal(real_cwd(read) .. "/" .. root) then
      return WHOLE:format(shown(text))
    end
    local allowed, protected = opted.allowed or NONE, opted.protected or NONE
    if allowed(real, read.cwd) or allowed(real, real_cwd(read)) then return nil end
    for _, place in ipairs(seen == real and { real } or { real, seen }) do
      local rule = protected(place, read.cwd) or protected(place, real_cwd(read))
        or is_protected(place, inside_of(state.roots, place) or root, how == "gone")
      if rule then
        return PROTECTED:format(shown(text), rule)
      end
    end
    return nil
  end

  local look = targets({
    refusal = refusal,
    made = opted.temporary[1],
    unknown = function(target, command, _, state)
      state.unknown = state.unknown or UNKNOWN:format(shown(target), shown(command.program))
    end,
    unreadable = function(_, state)
      state.unknown = state.unknown or "a command line that cannot be read may write anywhere. Write it more plainly."
    end,
    -- What may be a command line is none that has to be understood.
    in_script = function(state) return { roots = state.roots } end,
  })

  -- Returns why a call is refused, or nil and why it is not known whether it should be; nil when it is neither.
  return function(read)
    if #read.texts == 0 then return nil end
    local state = {}
    local refused = look(read, state)
    if refused then return refused end
    return nil, state.unknown
  end
end
