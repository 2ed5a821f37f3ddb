-- What of a call would write where it must not: see hooks/path-guard.lua.
local call = require "file_guard.call"
local names = require "file_guard.names"
local patch = require "file_guard.patch"
local path = require "file_guard.path"
local code_written = require "file_guard.code_written"
local guess = require "file_guard.guess"
local is_protected = require "file_guard.protected"
local words = require "file_guard.words"
local written = require "file_guard.written"
local set = words.set

-- Words of tools' names, and of `command` of tools that edit.
local VERBS = set [[
  write edit create delete remove move rename mkdir replace insert append save update put touch patch mv rm rmdir unlink
  symlink link chmod chown truncate overwrite download export upsert modify apply copy cp extract unzip undo
  init clone
  notebookedit multiedit strreplace ]]
local REMOVES = set "delete remove rm rmdir unlink move mv rename"
local COPIES = set "copy cp symlink link extract unzip upload"
local TALKS = set "comment review"
local READS = set "read grep search list view get send message post email fetch upload notify ask query find"
-- Arguments that are what is written; the others may be something else in a tool that reads or sends.
local CONTENT = set "content contents filetext newstring newstr newtext newsource inserttext insertline edits codeedit"
local PERHAPS = set "text body data replacement base64"
-- Paths that are only read.
local SOURCE = set [[
  from source src sourcepath oldpath include includes glob globpattern image images attachment attachments template
  templatepath ]]
local ONLY_READ = set "include includes glob globpattern image images attachment attachments"
-- The same of `command`, where it says that nothing is written.
local VIEWS = set "view read list open show cat"
local ELSEWHERE = set "ssh mosh docker podman nerdctl kubectl oc docker-compose"
local PRINTS = set "find ls echo printf"
local PATCHES = set "apply_patch applypatch patch"
-- Shells of other systems, whose lines nobody here reads.
local FOREIGN = set "pwsh powershell pwsh.exe powershell.exe cmd.exe"

local PROTECTED = "%s is protected (%s): it is made by a tool, or steers one. "
  .. "Use the tool that owns it, or ask the user to change it."
local WHOLE = "%s is all of a folder that may be written, with what is protected in it. Name what is to be removed."
local UNKNOWN = "it is not known where %s of %s leads to. Write the path itself."

local function shown(text)
  text = text:gsub("%c", " ")
  return '"' .. (#text > 160 and text:sub(1, 157) .. "..." or text) .. '"'
end

-- Whether a text may be a path: an address is one of a file alone.
local function is_path(text)
  return not text:find("^%a[%w+.-]+://") or text:lower():find("^file:") ~= nil
end

-- The path up to the segment that is a glob, for the disk knows none.
local function plain_lead(text)
  local at = text:find("[*?[]")
  if not at then return text end
  return text:sub(1, at - 1):match("^(.*/)") or "."
end

local function NONE() return nil end

local function takes_patch(command)
  if PATCHES[command.program] then return true end
  if command.program ~= "git" then return false end
  return orcs.contains(command.argv, "apply") or orcs.contains(command.argv, "am")
end

-- The files of a patch in a command line: in a here-document, or in quotes of printf.
local function patched(text)
  if not text:find("---", 1, true) and not text:find("***", 1, true) then return {} end
  local loose = text:gsub("\\n", "\n"):gsub("[\"']", "\n")
  local found = patch.is_patch(text) and patch.files(text) or {}
  for _, file in ipairs(patch.is_patch(loose) and patch.files(loose) or {}) do found[#found + 1] = file end
  return found
end

local function real_cwd(read)
  read.real_cwd = read.real_cwd or (read.cwd and path.real(read.cwd)) or read.cwd
  return read.real_cwd
end

-- Keep where a link leads to that the line makes: it is not there yet.
local function note_link(command, cwd, state)
  local operands = words.split(command.argv, set "-t --target-directory -S --suffix")
  local target, link = operands[1], operands[2]
  if #operands > 2 or not target or not cwd then return end
  local at = path.resolve(link and link.text or target.text:match("[^/]*$"), cwd)
  state.links = state.links or {}
  table.insert(state.links, { at = at, target = path.resolve(target.text, at:match("^(.*)/") or cwd) })
end

-- Where a path leads by the links that the line made.
local function through_links(text, state)
  for _, link in ipairs(state.links or {}) do
    local below = path.inside(link.at, text)
    if below then text = path.normal(link.target .. "/" .. below) end
  end
  return text
end

-- Whether a command gets words from what is piped to another.
local function is_handed(command)
  return orcs.contains(command.via, "xargs") or orcs.contains(command.via, "parallel")
end

-- Whether a command runs on another machine, or in a container.
local function is_elsewhere(command)
  for _, via in ipairs(command.via) do
    if ELSEWHERE[via] then return true end
  end
  return false
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

  -- Where a write ends: absolute, links followed.
  local function real_target(text, cwd, how)
    if how ~= "gone" then return path.real(text, cwd) end
    local bare = text:gsub("(.)/+$", "%1")
    local folder, base = bare:match("^(.*/)([^/]*)$")
    if not folder then folder, base = ".", bare end
    -- The entry goes, not what it leads to.
    if base == "." or base == ".." or text:find("/$") then return path.real(text, cwd) end
    local real, why = path.real(folder, cwd)
    return real and path.normal(real .. "/" .. base), why
  end

  -- Why a target is refused; nil when it may be written.
  local function refusal(text, cwd, how, read, state)
    state.roots = state.roots or real_roots(read.cwd)
    local lead = plain_lead(text)
    local rest = text:sub(#lead + 1)
    local globbed = lead ~= text
    local real, why = real_target(globbed and lead or text, cwd, not globbed and how or nil)
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

  -- Why a line is refused. What it does not know of it is told in `state`.
  local function look_at_line(line, read, state)
    local commands = orcs.shell(line, read.command_cwd)
    local refused, printed
    local text = type(line) == "table" and table.concat(line, " ") or line
    for _, command in ipairs(commands) do
      if command.opaque and (FOREIGN[command.program] or (#command.argv == 0 and #command.redirects == 0)) then
        state.unknown = state.unknown or "a command line that cannot be read may write anywhere. Write it more plainly."
      end
      local cwd = command.cwd
      if cwd and cwd:sub(1, 1) ~= "/" then cwd = path.resolve(cwd, read.cwd) end
      local function add(target, unknown, how)
        -- A word that comes by a pipe.
        if refused or (unknown and target == "…") then return end
        if unknown then
          local known = guess(target, text, opted.temporary[1])
          if known then target, unknown = known, false end
        end
        if unknown or (not cwd and target:sub(1, 1) ~= "/") then
          state.unknown = state.unknown
            or UNKNOWN:format(shown(target), shown(command.program))
          return
        end
        refused = refusal(target, cwd, how, read, state)
        if state.links and not refused and how ~= "gone" then
          local leads = through_links(path.resolve(target, cwd), state)
          refused = leads ~= path.resolve(target, cwd) and refusal(leads, cwd, how, read, state) or nil
        end
      end
      if not is_elsewhere(command) then
        written.each(command, add)
        code_written.of_command(command, text, function(target, how)
          if not written.is_device(target) then add(target, false, how) end
        end)
        -- What find or ls print is what xargs hands to rm.
        if printed and written.is_writer(command) and is_handed(command) then
          written.printed(printed, add)
        end
      end
      if PRINTS[command.program] then printed = command end
      if command.program == "ln" then note_link(command, cwd, state) end
      if takes_patch(command) then
        for _, file in ipairs(patched(text)) do add(file.path, false, file.verb == "delete" and "gone" or nil) end
      end
      if refused then return refused end
    end
    return nil
  end

  -- A piece of a program, in whatever language.
  local function look_at_code(text, read, state)
    local refused
    code_written.each(text, function(target, how)
      refused = refused or refusal(target, read.command_cwd, how, read, state)
    end)
    return refused
  end

  -- Whether a tool writes to the paths that it is given, and whether it takes them away.
  local function writes(read)
    local verb, removes, copies, talks, reads = false, false, false, false, false
    local views, content = false, false
    for word in pairs(read.words) do
      verb = verb or VERBS[word] or false
      removes = removes or REMOVES[word] or false
      copies = copies or COPIES[word] or false
      talks = talks or TALKS[word] or false
      reads = reads or READS[word] or false
    end
    for _, entry in ipairs(read.texts) do
      content = content or CONTENT[entry.key] or CONTENT[entry.top] or (PERHAPS[entry.key] and not reads) or false
      if call.COMMAND[entry.key] and not entry.text:find("%s") then
        local word = (entry.text:match("^%a+") or ""):lower()
        verb = verb or VERBS[word] or false
        views = views or VIEWS[word] or false
      end
    end
    return ((verb and not views) or content) and not talks, removes, copies
  end

  local function look_at_tool(read, state)
    local writing, removes, copies = writes(read)
    for _, entry in ipairs(read.texts) do
      if (call.PATCH[entry.key] or entry.key == "input") and patch.is_patch(entry.text) then
        for _, file in ipairs(patch.files(entry.text)) do
          local refused = refusal(path.given(file.path), read.cwd, file.verb == "delete" and "gone" or nil, read, state)
          if refused then return refused end
        end
      end
      local source = ONLY_READ[entry.key] or (copies and SOURCE[entry.key])
      if writing and entry.path and not source and entry.text ~= "" and is_path(entry.text) then
        local refused = refusal(path.given(entry.text), read.cwd, removes and "gone" or nil, read, state)
        if refused then return refused end
      end
    end
    return nil
  end

  -- Returns why a call is refused, or nil and why it is not known whether it should be; nil when it is neither.
  return function(read)
    if #read.texts == 0 then return nil end
    local state = {}
    for _, line in ipairs(read.commands or {}) do
      local refused = look_at_line(line, read, state)
      if refused then return refused end
    end
    -- What may be a command line is none that has to be understood.
    for _, line in ipairs(read.scripts or {}) do
      local refused = look_at_line(line, read, { roots = state.roots }) or look_at_code(line, read, state)
      if refused then return refused end
    end
    local refused = look_at_tool(read, state)
    if refused then return refused end
    return nil, state.unknown
  end
end
