-- Harm that only counts in files that a line runs: keys and credentials that are sent away, and files with which somebody else
-- gets in or takes over. In the line itself, secret-guard and path-guard judge these.

local code = require "shell_guard.code"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local secrets = require "file_guard.secrets"
local words = require "shell_guard.words"

local harm = {}

local SENDS = words.set [[
  curl wget wget2 nc ncat netcat socat scp rsync sftp ftp tftp http https xh curlie ssh telnet mail mailx sendmail aws gsutil
  rclone openssl dog dig nslookup
]]
-- Options whose value is a key that the program uses, and does not send.
local USES = words.set [[
  -i -F -o -S -e --rsh -E --cert --key --cacert --capath -b --cookie -c -K --config -n --netrc --netrc-file -J -u --user
  --ca-certificate --certificate --private-key --load-cookies --identity --exclude --include --exclude-from --files-from
]]
local PACKS = words.set "tar zip 7z bsdtar cpio gzip"
local SHOWS_ENVIRONMENT = words.set "env printenv"

-- Returns a file of the home or of the machine, in a text, that is a secret; nil if there is none.
local function secret_in(text, command)
  for word in text:gmatch("[^%s\"'`$(){}<>|;&=:@,\\]+") do
    if word:find("/", 1, true) then
      if word:sub(1, 2) == "~/" and command.place.home then word = command.place.home .. word:sub(2) end
      -- `$HOME/.ssh/id_rsa`, `expanduser("~") + "/.ssh/id_rsa"`: what is behind an unknown folder.
      local path = word:sub(1, 1) == "/" and word or paths.from(command.cwd, word)
      local kind = path and paths.look(command.place, command.cwd, path)
      if path and kind ~= "below" and kind ~= "here" and kind ~= "temporary" and secrets.match(path) then return word end
    end
  end
  if text:find("HOME") or text:find("home") or text:find("expanduser", 1, true) then
    for word in text:gmatch("[%w_./-]*/%.[%w_./-]+") do
      if secrets.match(word) then return word end
    end
    for word in text:gmatch("%f[%w_.]%.[%w_-]+/[%w_./-]+") do
      if secrets.match("/root/" .. word) then return word end
    end
  end
end

local function is_home(word, command)
  local path = paths.from(command.cwd, word)
  return path ~= nil and (path == command.place.home or path == "/root" or path == "/home" or path:find("^/home/[^/]+$") ~= nil)
end

-- What a command sends that stands in its own words.
local function in_words(command)
  local is_copy = command.program == "scp" or command.program == "rsync" or command.program == "sftp"
  local at = 2
  while command.argv[at] do
    local word = command.argv[at]
    local is_form = command.program == "curl" and (word == "-F" or word == "--form")
    if USES[word] and not is_form then
      at = at + 1
    elseif not word:find("^%-%-?[%w-]+=") or word:find("^%-%-data") or word:find("^%-%-form") or word:find("file=") then
      local found = secret_in(word, command)
      -- The last word of a copy is where it is written.
      if found and not (is_copy and not command.argv[at + 1]) then return found end
      if is_copy and command.argv[at + 1] and is_home(word, command) then return word end
    end
    at = at + 1
  end
end

-- What the programs show that a command reads from.
local function in_input(command)
  local named = {}
  for _, name in ipairs(command.from) do named[name] = true end
  for at = command.at - 1, math.max(1, command.at - 8), -1 do
    local other = command.all[at]
    if named[other.program] then
      for n = 2, #other.argv do
        local found = secret_in(other.argv[n], other)
        if found then return found end
        if PACKS[other.program] and is_home(other.argv[n], other) then return other.argv[n] end
      end
      for _, redirect in ipairs(other.redirects) do
        local found = redirect.op == "<" and secret_in(redirect.target, other)
        if found then return found end
      end
      if SHOWS_ENVIRONMENT[other.program] and #other.argv == 1 then return "the environment" end
    end
  end
  for _, redirect in ipairs(command.redirects) do
    local found = redirect.op == "<" and secret_in(redirect.target, command)
    if found then return found end
  end
end

-- Calls that send something.
local POSTS = {
  "requests%.p[ou]", "httpx%.p[ou]", "session%.p[ou]", "urlopen", "HTTPSConnection", "HTTPConnection", "axios", "%f[%w]fetch%s*%(",
  "https?%.request", "https?%.get", "Net::HTTP", "LWP::", "HTTP::Tiny", "TCPSocket", "socket", "storbinary", "smtplib", "%.post%(", "curl_",
  "createConnection", "net%.connect",
}

local function posts(text)
  for _, pattern in ipairs(POSTS) do
    if text:find(pattern) then return true end
  end
  return false
end

local function refuse_sending(command, what, found)
  return reasons.refusal(
    "code.send-secrets", what, "sends " .. found .. " to another machine", "Let the user do it"
  )
end

local function judge_sending(command)
  if code.interprets(command.program) then
    for at = 2, #command.argv do
      local text = command.argv[at]
      local found = #text > 20 and posts(text) and (secret_in(text, command) or text:find("dict%(os%.environ%)") and "the environment"
        or text:find("stringify%(process%.env%)") and "the environment")
      if found then return refuse_sending(command, reasons.shown({ command.program }), found) end
    end
    return nil
  end
  if not SENDS[command.program] or (command.program == "openssl" and command.argv[2] ~= "s_client") then return nil end
  local found = in_words(command) or in_input(command)
  return found and refuse_sending(command, reasons.shown(command.argv), found) or nil
end

-- Files that let somebody in, and those that are read whenever somebody logs in or the machine starts.
local LETS_IN = { "/%.ssh/authorized_keys2?$", "^/etc/ld%.so%.preload$", "^/etc/hosts%.equiv$" }
local AT_LOGIN = {
  "^/root/%.%a*rc$", "^/root/%.%a*profile$", "^/home/[^/]+/%.%a*rc$", "^/home/[^/]+/%.%a*profile$", "^/etc/profile$", "^/etc/hosts$",
  "^/etc/crontab$", "^/etc/fstab$",
}

local function is_one(path, patterns)
  for _, pattern in ipairs(patterns) do
    if path:find(pattern) then return true end
  end
  return false
end

local function is_startup(path, command, is_whole)
  if not path then return false end
  local home = command.place.home
  if home and path:sub(1, #home + 1) == home .. "/" then path = "/root" .. path:sub(#home + 1) end
  return is_one(path, LETS_IN) or is_whole and is_one(path, AT_LOGIN)
end

local function refuse_writing(target)
  return reasons.refusal(
    "files.write-login", target, "is read whenever somebody logs in, or lets somebody in", "Let the user change it"
  )
end

local function judge_writing(command)
  for _, redirect in ipairs(command.redirects) do
    local is_whole = redirect.op == ">" or redirect.op == ">|" or redirect.op == "&>"
    if redirect.op ~= "<" and is_startup(paths.from(command.cwd, redirect.target), command, is_whole) then
      return refuse_writing(redirect.target)
    end
  end
  if command.program == "tee" then
    local appends = command.argv[2] == "-a" or command.argv[2] == "--append"
    for at = 2, #command.argv do
      if is_startup(paths.from(command.cwd, command.argv[at]), command, not appends) then return refuse_writing(command.argv[at]) end
    end
  elseif command.program == "cp" or command.program == "mv" or command.program == "install" then
    local last = command.argv[#command.argv]
    if #command.argv > 2 and is_startup(paths.from(command.cwd, last), command, false) then return refuse_writing(last) end
  elseif code.interprets(command.program) then
    for at = 2, #command.argv do
      local text = command.argv[at]
      local found = text:match("[%w_.~/]*%.ssh/authorized_keys") or text:match("/etc/ld%.so%.preload")
      if found and (text:find("open%s*%(.-[\"'][>]*[aw]") or text:find("open%s*%(.->>") or text:find("write") or text:find("append")) then
        return refuse_writing(found)
      end
    end
  end
end

--- Judges a command of a file. Returns a reason to deny it, or nil.
function harm.judge(command)
  return judge_writing(command) or judge_sending(command)
end

return harm
