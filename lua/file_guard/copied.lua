-- Files that copies, moves and links write and remove: for file_guard.write_targets and
-- file_guard.git_written.
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has

local function base(text)
  return text:match("([^/]+)/*$") or text
end

local function is_remote(text)
  return text:find("^[^/]*:") ~= nil
end

-- Whether a copy may be created below the target, because the target may be a folder.
local function may_hold(target, sources)
  return #sources > 1 or target:find("/$") ~= nil or target:find("^%.?[^.]*$", #target - #base(target) + 1) ~= nil
    or base(target) == ".."
end

-- Whether a source may be a folder. Names with an extension and names in capitals (`LICENSE`) are taken
-- for files, so that `mv CODEOWNERS .github` passes.
local function may_be_folder(source)
  local name = base(source)
  if name:find("[*?]$") then return name:find("%.[%w*?]*$") == nil end
  return source:find("/%.?$") ~= nil or name:find(".%.%w+$") == nil and name:find("^%u[%u_]*$") == nil
end

-- The names that a source has below the target: `names` for one that find or xargs gives; nil if they are not known.
-- whole: whether the path is kept, as by cp --parents
local function names_below(text, names, whole)
  text = text:gsub("^[%w_.@-]+:", "")
  local name = whole and text:gsub("^.*/%./", ""):gsub("^[./]*/", "") or base(text)
  if not name:find("[{`$]") and name ~= "…" then return { name } end
  return not whole and name:find("^[{…]") and names or nil
end

-- Adds the target of a copy or a move, and what is created below it.
local function onto(target, at, sources, kept, add)
  local any = false
  for _, source in ipairs(sources) do any = any or (kept.folders and may_be_folder(source.text)) end
  add(target, at, any and "brings" or nil)
  if not may_hold(target, sources) and not kept.whole then return end
  for _, source in ipairs(sources) do
    local brings = kept.folders and may_be_folder(source.text) and "brings" or nil
    local names = names_below(source.text, kept.names, kept.whole)
    if not names then add(target, at, kept.whole and "tree" or "below") end
    for _, name in ipairs(names or {}) do
      if name ~= "." and name ~= ".." then add(target:gsub("/+$", "") .. "/" .. name, at, brings) end
    end
  end
end

local RECURSIVE = set "-r -R -a --recursive --archive"
-- Options with which the path of a source is kept below the target.
local WHOLE = { copy = set "--parents", remote = set "-R --relative" }

-- Returns a writer: it adds the target of copies and links, which is the last operand or the value of
-- -t, and what a move removes.
-- valued: set of the options that take a value
-- kind: "copy", "move", "link", "install", or "remote" for programs that copy between machines
-- The writer's third argument: the names of the sources that find or xargs gives it, as globs; nil if not known.
local function copies(valued, kind)
  return function(argv, add, names)
    local operands, options = split(argv, valued)
    local target, at = words.value(options, set "-t --target-directory")
    if kind == "install" and has(options, set "-d --directory") then
      for _, operand in ipairs(operands) do add(operand.text, operand.at) end
      return
    end
    if not target and #operands > 1 then
      local last = table.remove(operands)
      target, at = last.text, last.at
      -- The one file that is found may get this name.
      if names and not target:find("[/.]") then names = {} end
    elseif not target and kind == "link" and operands[1] then
      target, at = "./" .. base(operands[1].text), operands[1].at
      operands = {}
    end
    if kind == "move" then
      for _, operand in ipairs(operands) do add(operand.text, operand.at, "gone") end
    end
    if not target or (kind == "remote" and is_remote(target)) then return end
    local folders = kind == "move" or kind == "link" or has(options, RECURSIVE)
    local whole = WHOLE[kind] ~= nil and base(argv[1]) ~= "scp" and has(options, WHOLE[kind])
    onto(target, at, operands, { folders = folders, names = names, whole = whole }, add)
  end
end

return { copies = copies, base = base, is_remote = is_remote }
