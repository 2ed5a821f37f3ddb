-- Detects lines that download something and run it.

local code = require "shell_guard.code"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local downloads = {}

local PROGRAMS = words.set [[
  curl wget wget2 fetch aria2c axel lynx http https xh curlie lwp-request GET ftp tftp scp nc ncat netcat socat
]]

--- Whether a list of program names contains one that downloads.
function downloads.are_in(from)
  for _, name in ipairs(from) do
    if PROGRAMS[name] then return true end
  end
  return false
end

local ONLY_SHOWS = words.set "--version -V --help -h --manual"

-- Whether a program of this name, the last one before a command, only prints its version or its help.
local function only_shows(command, name)
  for at = command.at - 1, 1, -1 do
    local other = command.all[at]
    if other.program == name then return #other.argv == 2 and ONLY_SHOWS[other.argv[2]] == true end
  end
  return false
end

--- Whether a command reads what a program downloads. `curl --version` downloads nothing.
function downloads.are_piped(command)
  for _, name in ipairs(command.from) do
    if PROGRAMS[name] and not only_shows(command, name) then return true end
  end
  return false
end

--- Whether all that a command reads is the version or the help of such programs.
function downloads.only_show(command)
  for _, name in ipairs(command.from) do
    if not PROGRAMS[name] or not only_shows(command, name) then return false end
  end
  return #command.from > 0
end

--- Returns the reason for denying a command that runs what was downloaded.
function downloads.refusal(command)
  return reasons.refusal(
    "code.run-download", reasons.piped(command), "runs what was downloaded, unseen", "Download it to a file and look at it first"
  )
end

--- Whether an interpreter reads its program from standard input: it has no script and no -c or -e.
function downloads.reads_program(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word == "-" or word == "/dev/stdin" then return true end
    if word:sub(1, 1) ~= "-" or word:find("^%-%a*[cemEpnrl]") then return false end
  end
  return true
end

-- Whether a word expands to a download: `<(curl x)`, `$(curl x)`.
local function is_download(word)
  local program = word:match("^<%(%s*([%w_-]+)") or word:match("%$%(%s*([%w_-]+)") or word:match("`%s*([%w_-]+)")
  return program ~= nil and PROGRAMS[program] == true
end

--- Whether an interpreter runs a download as its program.
function downloads.are_interpreted(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    local is_code = command.unknown[at] and command.argv[at - 1]:find("^%-%a*[ceEpr]$")
    if (word:sub(1, 2) == "<(" or is_code) and is_download(word) then return true end
  end
  return not command.program:find("awk$") and downloads.are_piped(command) and downloads.reads_program(command)
end

local COPIES = words.set "cp mv ln install dd rsync link"
local FETCHES = words.set "rsync scp"
-- Programs that copy from a store of another machine, with what begins its addresses.
local STORES = words.set "aws gsutil gcloud s3cmd s5cmd mc rclone az"
-- Their subcommands that need no target.
local GETS = words.set "get"
local VERIFIES = words.set "sha256sum sha512sum sha1sum md5sum shasum gpg gpgv cosign minisign openssl"

-- Programs that fetch a repository, with the subcommands in front of its address.
local CLONES = {
  git = { clone = true }, hg = { clone = true }, gh = { clone = true }, glab = { clone = true },
  svn = { checkout = true, co = true, export = true },
}

--- Whether a program may write a file of another machine.
function downloads.may_write(program)
  return PROGRAMS[program] or FETCHES[program] or STORES[program] or CLONES[program] ~= nil
end

-- Options of programs that download, whose value is the folder for the files.
local FOLDERS = {
  wget = words.set "-P --directory-prefix", wget2 = words.set "-P --directory-prefix", curl = words.set "--output-dir",
  aria2c = words.set "-d --dir", axel = words.set "-o --output",
}

-- Whether a path is in the folder that a command downloads into: `wget -P FOLDER`.
local function is_in_download_folder(other, path)
  local options = FOLDERS[other.program]
  for n = 2, options and #other.argv or 1 do
    local word = other.argv[n]
    local name, value = word:match("^(%-%-[%a-]+)=(.+)$")
    if not name then name, value = word:match("^(%-%a)(.+)$") end
    if not name or not options[name] then name, value = word, other.argv[n + 1] end
    local folder = options[name] and value and texts.placed(other, value)
    if folder and paths.below(folder, path) then return true end
  end
  return false
end

-- Whether a command copies from a store of another machine to a path, or into a folder that it is in. What stands in front of
-- the address is sent there.
local function copies_from_store(other, path)
  local source
  for at = 2, #other.argv do
    local word = other.argv[at]
    if source then
      local name = source:match("[^/:]*$")
      if texts.placed(other, word) == path or texts.placed(other, word .. "/" .. name) == path then return true end
      if word:find("%w") and paths.below(texts.placed(other, word), path) then return true end
    elseif word:find("^%w+://") or other.program == "rclone" and word:find("^[%w_.-]+:") then
      source = word
    elseif GETS[word] and other.argv[at + 1] then
      -- Without a target, it is the current folder.
      if texts.placed(other, other.argv[at + 1]:match("[^/]*$")) == path then return true end
    end
  end
  return false
end

-- Whether a command that reads a download writes a file: one of which it is not known what it writes may write all that
-- it names, unless it runs another one with them.
-- inner: the command behind it
local function writes_file(other, path, inner)
  for _, effect in ipairs(other.effects or {}) do
    if effect.kind == "write" and texts.placed(other, (effect.word:gsub("%*$", ""))) == path then return true end
  end
  local runs_another = inner and orcs.contains(inner.via, other.program)
  local is_known = code.interprets(other.program) or texts.is_shell(other.program, "")
    or (other.described and not runs_another)
  for at = 2, is_known and 0 or #other.argv do
    if texts.placed(other, other.argv[at]) == path then return true end
  end
  return false
end

-- Whether a command before writes a download to a file: by a redirect, or named in its words.
local function writes_download(other, path, inner)
  if STORES[other.program] then return copies_from_store(other, path) end
  if not PROGRAMS[other.program] and not FETCHES[other.program] then
    return downloads.are_in(other.from) and writes_file(other, path, inner)
  end
  for _, redirect in ipairs(other.redirects) do
    if texts.placed(other, redirect.target) == path then return true end
  end
  if FETCHES[other.program] and not (other.argv[#other.argv - 1] or ""):find("^[%w@._-]+:") then return false end
  for n = 2, #other.argv do
    local word = other.argv[n]
    if texts.placed(other, word) == path or texts.placed(other, word:match("[^/=:]*$")) == path then return true end
  end
  return is_in_download_folder(other, path)
end

-- The file that a command copies or moves to a path; nil if there is none.
local function source_of(other, path)
  local argv = other.argv
  if not COPIES[other.program] or #argv < 3 then return nil end
  local from, to = argv[#argv - 1], argv[#argv]
  if other.program == "dd" then
    for n = 2, #argv do
      from, to = argv[n]:match("^if=(.*)$") or from, argv[n]:match("^of=(.*)$") or to
    end
  end
  local target = texts.placed(other, to)
  if target ~= path and texts.placed(other, to .. "/" .. from:match("[^/]*$")) ~= path then return nil end
  return texts.placed(other, from)
end

--- Whether a command before copies, moves or downloads something to a path.
function downloads.is_replaced(command, path)
  for at = 1, command.at - 1 do
    local other = command.all[at]
    if source_of(other, path) or writes_download(other, path, command.all[at + 1]) then return true end
  end
  return false
end

-- The files that a command runs: a script, what it reads as one, and itself if it is named by a path (`./bash`).
local function files_run(command, program)
  local files = { texts.file_run(command, code.interprets(program)) }
  local itself = command.argv[1]
  if itself and itself:find("/") then files[#files + 1] = texts.placed(command, itself) end
  return files
end

local DECODES = { base64 = "^%-%-?[dD]", base32 = "^%-%-?[dD]", xxd = "^%-%a*r", openssl = "^%-d$", uudecode = "" }

local function decodes(other)
  local flag = DECODES[other.program]
  for at = 2, flag and #other.argv or 1 do
    if other.argv[at]:find(flag) then return true end
  end
  return flag == ""
end

local function quoted(argv)
  local list = {}
  for at, word in ipairs(argv) do list[at] = "'" .. word:gsub("'", "'\\''") .. "'" end
  return table.concat(list, " ")
end

-- A line that runs the decoded text at once; nil if the line does not contain the text.
local function run_at_once(command, at)
  local other, before = command.all[at], command.all[at - 1]
  local given = other.from[1]
  if #other.from ~= 1 or not before or before.program ~= given or (given ~= "echo" and given ~= "printf") then return nil end
  if #before.unknown > 0 then return nil end
  return quoted(before.argv) .. " | " .. quoted(other.argv) .. " | sh"
end

--- Whether a command runs a file that the same line has decoded. If it is a script for a shell whose text the line contains,
--- also returns a line that does the same without the file.
function downloads.decoded_is_run(command, program)
  for _, path in ipairs(files_run(command, program)) do
    for at = 1, command.at - 1 do
      local other = command.all[at]
      for _, redirect in ipairs(decodes(other) and other.redirects or {}) do
        if texts.placed(other, redirect.target) == path then
          return true, not code.interprets(program) and run_at_once(command, at) or nil
        end
      end
    end
  end
  return false
end

-- Whether the line has downloaded a file before one of its commands, also under another name.
local function is_downloaded(all, before, path)
  local found = false
  for at = before - 1, 1, -1 do
    local other = all[at]
    -- What has been compared with a checksum or a signature is not unseen.
    if VERIFIES[other.program] then return false end
    found = found or writes_download(other, path, all[at + 1])
    path = source_of(other, path) or path
  end
  return found
end

local EXTRACTS = { tar = "^%-?%a*x", bsdtar = "^%-?%a*x", gtar = "^%-?%a*x", unzip = "", ["7z"] = "^[xe]$", unar = "" }

-- Whether one of the commands extracts an archive that the line has downloaded, and to which folder.
local function extracts_download(all, position)
  local other = all[position]
  local flag = EXTRACTS[other.program]
  if not flag or (flag ~= "" and not (other.argv[2] or ""):find(flag)) then return false end
  local folder = "."
  for at = 2, #other.argv do
    local word, before = other.argv[at], other.argv[at - 1]
    if before == "-C" or before == "-d" or before == "--directory" then folder = word end
    folder = word:match("^%-%-directory=(.*)$") or word:match("^%-o(.+)$") or folder
  end
  local is_download = downloads.are_in(other.from)
  for at = 2, is_download and 0 or #other.argv do
    local path = texts.placed(other, other.argv[at])
    is_download = path ~= other.cwd and is_downloaded(all, position, path) or is_download
  end
  return is_download, paths.from(other.cwd, folder)
end

-- Whether a path may be a file of an archive that the line has downloaded and extracted.
local function is_extracted(command, path)
  local found = false
  for at = command.at - 1, 1, -1 do
    local other = command.all[at]
    if VERIFIES[other.program] then return false end
    local is_download, folder = extracts_download(command.all, at)
    found = found or (is_download and (folder == nil or paths.below(folder, path)))
  end
  return found
end

-- Whether a word is the address of another machine: `https://…`, `git@host:path`; for gh, `owner/name`.
local function is_address(program, word)
  if word:find("^%a[%w+.-]*://") then return not word:find("^file:") end
  if program == "gh" or program == "glab" then return word:find("^[%w._-]+/[%w._/-]+$") ~= nil end
  return word:find("^[%w@._-][%w@._-]+:[^/\\]") ~= nil or word:find("^[%w._-]+@[%w._-]+:") ~= nil
end

-- The folder that a command fetches a repository of another machine into; nil if it does not.
local function cloned_to(other)
  local subcommands, argv = CLONES[other.program], other.argv
  if not subcommands then return nil end
  local is_clone, start = false, other.cwd
  for at = 2, #argv do
    if not is_clone and argv[at] == "-C" and argv[at + 1] then start = paths.from(start, argv[at + 1]) end
    if is_clone and is_address(other.program, argv[at]) then
      local behind = argv[at + 1]
      local folder = behind and behind:sub(1, 1) ~= "-" and behind or argv[at]:gsub("/+$", ""):match("[^/:]*$"):gsub("%.git$", "")
      return paths.from(start, folder) or folder
    end
    is_clone = is_clone or subcommands[argv[at]] == true
  end
end

-- Whether a path is in a repository that the line has fetched.
local function is_cloned(command, path)
  local found = false
  for at = command.at - 1, 1, -1 do
    local other = command.all[at]
    if VERIFIES[other.program] then return false end
    -- In a folder that is not known, the path is relative.
    if not command.cwd and other.program == "cd" and other.argv[2] then path = other.argv[2] .. "/" .. path end
    local folder = cloned_to(other)
    found = found or (folder ~= nil and paths.below(folder, path))
  end
  return found
end

--- Whether a command runs a file that the same line has downloaded, also under another name, in an archive or in a repository.
function downloads.are_run_as_file(command, program)
  for _, path in ipairs(files_run(command, program)) do
    if is_downloaded(command.all, command.at, path) or is_extracted(command, path) or is_cloned(command, path) then return true end
  end
  return false
end

-- Programs that run what is at an address, with the words that may stand in front of it.
local RUNS_ADDRESSES = {
  deno = words.set "run x install serve", bun = words.set "run x", uv = words.set "run", pipx = words.set "run", npx = {},
  bunx = {}, pnpm = words.set "dlx", yarn = words.set "dlx",
}

--- Whether a command runs a program by its address: `deno run https://…`.
function downloads.are_run_by_address(command)
  local argv, before = command.argv, RUNS_ADDRESSES[command.program]
  if not before then return false end
  local at = 2
  while argv[at] and (argv[at]:sub(1, 1) == "-" or before[argv[at]]) do at = at + 1 end
  return argv[at] ~= nil and argv[at]:find("^https?://") ~= nil
end

return downloads
