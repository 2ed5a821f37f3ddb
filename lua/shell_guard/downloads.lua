-- Detects lines that download something and run it.

local code = require "shell_guard.code"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local downloads = {}

local PROGRAMS = words.set [[
  curl wget wget2 fetch aria2c axel lynx http https xh curlie lwp-request GET ftp scp nc ncat netcat socat
]]

--- Whether a list of program names contains one that downloads.
function downloads.are_in(from)
  for _, name in ipairs(from) do
    if PROGRAMS[name] then return true end
  end
  return false
end

--- Returns the reason for denying a command that runs what was downloaded.
function downloads.refusal(command)
  return reasons.refusal(
    reasons.piped(command), "runs what was downloaded, unseen", "Download it to a file and look at it first"
  )
end

--- Whether an interpreter reads its program from standard input: it has no script and no -c or -e.
function downloads.reads_program(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word ~= "-" and word ~= "/dev/stdin" and (word:sub(1, 1) ~= "-" or word:find("^%-%a*[cemEpnrl]")) then return false end
    if word == "-" or word == "/dev/stdin" then return true end
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
  return not command.program:find("awk$") and downloads.are_in(command.from) and downloads.reads_program(command)
end

local VERIFIES = words.set "sha256sum sha512sum sha1sum md5sum shasum gpg gpgv cosign minisign openssl"

--- Whether a command runs a file that the same line has downloaded.
function downloads.are_run_as_file(command, program)
  local path = texts.file_run(command, code.interprets(program))
  if not path then return false end
  local found = false
  for at = 1, command.at - 1 do
    local other = command.all[at]
    -- What has been compared with a checksum or a signature is not unseen.
    if VERIFIES[other.program] then return false end
    if PROGRAMS[other.program] or downloads.are_in(other.from) then
      for _, redirect in ipairs(other.redirects) do
        if paths.from(other.cwd, redirect.target) == path then found = true end
      end
      for n = 2, #other.argv do
        local word = other.argv[n]
        if paths.from(other.cwd, word) == path or paths.from(other.cwd, word:match("[^/=]*$")) == path then found = true end
      end
    end
  end
  return found
end

return downloads
