-- State of a command line: the folders that it changes to, which commands run on other machines,
-- and the texts that commands read. kit: see self_guard.reached
local ELSEWHERE = require "file_guard.elsewhere"
local names = require "file_guard.names"
local path = require "file_guard.path"
local programs = require "self_guard.programs"
local says = require "self_guard.says"
local shell_paths = require "shell_guard.paths"
local texts = require "shell_guard.texts"
local words = require "file_guard.words"
local set, split = words.set, words.split
local shown, masked, VERB, UNKNOWN = says.shown, says.masked, says.VERB, says.UNKNOWN

-- Files that are run later, such as startup files of shells and git hooks, as rules of
-- file_guard.names.
local LATER = names.table({
  ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
  ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".envrc", ".xprofile", ".xinitrc",
  ".config/fish/", ".config/autostart/", ".config/systemd/", ".git/hooks/", ".husky/",
})

-- Programs that edit files in place, with -i.
local EDITORS = set "sed gsed perl"
-- Names of this machine.
local LOCAL = set "localhost localhost.localdomain ::1 0.0.0.0"
-- Arguments of tools that hold the text to write.
local WRITTEN = set [[
  content contents text filetext newstring newstr newtext newsource inserttext insertline data body ]]

return function(kit)
  local loosening, filled = kit.loosening, kit.filled

  -- Records where cd and pushd may lead, for later commands whose working directory is unknown.
  local function note_move(command, cwd, line, state)
    local operand = split(command.argv, {})[1]
    operand = operand and operand.text
    local from = cwd and { known = cwd } or line.moves[#line.moves]
    local to
    if operand == nil then
      to = command.program ~= "popd" and command.program ~= "pushd" and path.home and { known = path.home } or nil
    elseif operand == "-" then
      -- Before the first one of the line, it is a folder that an earlier line was in.
      to = line.old and { known = line.old } or { text = UNKNOWN }
    else
      local full = path.given(filled(operand, state))
      local mask = masked(full)
      if mask:sub(1, 1) == "/" then
        to = mask:find(UNKNOWN) and { text = path.normal(mask) } or { known = path.normal(full) }
      elseif mask:sub(1, 1) == UNKNOWN or not from then
        to = { text = mask }
      elseif from.known and not mask:find(UNKNOWN) then
        to = { known = path.normal(from.known .. "/" .. mask) }
        if line.cdpath and not mask:find("^%.") then
          line.moves[#line.moves + 1] = { text = UNKNOWN .. "/" .. mask }
          for value in line.text:gmatch("CDPATH=[\"']?([^%s;\"']+)") do
            for folder in value:gmatch("[^:]+") do
              local place = path.given(filled(folder, state))
              if place:sub(1, 1) == "/" then
                line.moves[#line.moves + 1] = { known = path.normal(place .. "/" .. mask) }
              end
            end
          end
        end
      else
        to = { text = path.normal((from.known or from.text) .. "/" .. mask) }
      end
      if to and to.text then line.moved_unknown = true end
    end
    if cwd then
      line.old = cwd
      if #line.moves == 0 then line.moves[1] = { known = cwd } end
    end
    if #line.moves < 32 then line.moves[#line.moves + 1] = to end
  end

  -- Whether a command runs on another machine or in a container.
  local function is_elsewhere(position, commands)
    for _, via in ipairs(commands[position].via) do
      if ELSEWHERE[via] and via ~= "ssh" then return true end
      if via == "ssh" then
        for at = position - 1, 1, -1 do
          if commands[at].program == "ssh" then
            local operands = split(commands[at].argv, set "-i -o -l -p -S -J -E -b -c -D -e -F -L -m -O -Q -R -W -w")
            local host = operands[1] and operands[1].text:lower():match("[^@]*$") or ""
            local here = host == "" or LOCAL[host] or host:find("^127%.[%d.]+$") or host:find("[$`]")
            return not here
          end
        end
      end
    end
    return false
  end

  -- Returns the texts that a command may read: standard input, makefiles, and files that the line
  -- has written.
  local function given_texts(known, line)
    local argv, list = known.argv, texts.input(known)
    if loosening.MAKES[known.program] then
      for _, name in ipairs(loosening.RULES) do
        for _, text in ipairs(line.written(known, name)) do list[#list + 1] = text end
      end
    end
    for at = 2, #argv do
      for _, text in ipairs(line.written(known, argv[at])) do list[#list + 1] = text end
    end
    return list
  end

  -- Judges orcs commands that the line writes to a file that is run later.
  local function judge_later(position, commands, line)
    local command = commands[position]
    local file
    for _, redirect in ipairs(command.redirects) do
      if redirect.op:find(">") and LATER:match(path.normal(redirect.target)) then
        file = redirect.target
      end
    end
    if command.program == "tee" or command.program == "sponge" then
      for at = 2, #command.argv do
        if LATER:match(path.normal(command.argv[at])) then file = command.argv[at] end
      end
    end
    local text = table.concat(command.argv, " ", 2)
    local edits = EDITORS[command.program] and (" " .. text):find(" %-%-?%a*i")
    for at = 2, edits and #command.argv or 0 do
      -- `s/x/orcs trust/`
      local without_marks = text:gsub("[/|#,]", " ")
      if LATER:match(path.normal(command.argv[at]))
        and (loosening.in_words(text) or loosening.in_words(without_marks)) then
        return VERB:format(shown(command.argv[at]))
      end
    end
    if not file then return nil end
    local known = setmetatable({ all = commands, at = position, line = line.text }, { __index = command })
    local list = texts.input(known)
    list[#list + 1] = text
    for _, written in ipairs(list) do
      if loosening.in_words(written) then return VERB:format(shown(file)) end
    end
    return nil
  end

  -- The same for a tool that writes files.
  local function judge_later_file(read)
    local file
    for _, entry in ipairs(read.texts) do
      if entry.path and LATER:match(path.normal(entry.text)) then file = entry.text end
    end
    for _, entry in ipairs(file and read.texts or {}) do
      if WRITTEN[entry.key] and loosening.in_words(entry.text) then return VERB:format(shown(file)) end
    end
    return nil
  end

  local function check_only(command)
    if not programs.SHELLS[command.program] then return false end
    for at = 2, #command.argv do
      local word = command.argv[at]
      if word:find("^%-%a*n%a*$") then return true end
      if word:sub(1, 1) ~= "-" then return false end
    end
    return false
  end

  local function begin(text)
    local line = {
      text = text, moves = {}, aliases = {}, cdpath = text:find("CDPATH") ~= nil,
      writes = text:find(">") ~= nil or text:find("tee ") ~= nil,
    }
    function line.written(known, file)
      if not line.writes then return {} end
      return texts.written(known, shell_paths.from(known.cwd, file) or file)
    end
    return line
  end

  return {
    begin = begin, note_move = note_move, is_elsewhere = is_elsewhere, given_texts = given_texts,
    judge_later = judge_later, judge_later_file = judge_later_file, check_only = check_only,
  }
end
