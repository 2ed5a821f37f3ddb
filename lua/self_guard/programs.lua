-- What programs do with the files they name, as far as self-guard needs to know it.
local write_out = require("shell_guard.commands").write_out
local write_targets = require "file_guard.write_targets"
local set = require("file_guard.words").set

-- Programs that don't change the files they name, or only with certain options.
local READERS = set [[
  ls dir vdir stat test [ [[ echo printf cat tac nl head tail less more most bat batcat view od hexdump hd strings
  base32 basenc cut paste join comm diff cmp diff3 sdiff colordiff delta difft icdiff fold fmt pr column rev zcat bzcat
  xzcat zless grep egrep fgrep zgrep rg ripgrep ag ack ugrep wc du df file basename dirname realpath readlink which
  whereis type command hash cd pushd popd dirs true false : sleep exit return wait trap alias unalias local declare
  typeset readonly unset export shift umask tree find fd fdfind locate plocate mdfind getfacl lsattr pgrep pkill kill
  killall inotifywait fswatch watchman eza exa lsd let seq md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum
  cksum b2sum sum md5 jq jaq gojq yq fx jless gron dasel tomlq xq awk gawk mawk nawk sed gsed perl ruby tr sort uniq
  tsort shuf glow mdcat highlight pygmentize expand unexpand pandoc xmllint yamllint jsonlint ajv taplo code codium cursor
  open xdg-open pbcopy xclip xsel wl-copy say notify-send mail gh glab hub git hg svn orcs claude codex gemini aider man tldr
  info help history fc source . eval exec set shopt test env sudo doas nice ionice nohup setsid timeout stdbuf
  unbuffer xargs parallel watch entr if while until for case function select read mapfile readarray getopts lsof fuser
  ps top namei pathchk cloc tokei scc wget curl http https xh scp sftp rsync ssh aws gsutil s3cmd rclone
  diffstat vimdiff nvimdiff meld sum tar bsdtar gtar zip zipinfo unzip gzip zstd xz cpio ar openssl gpg age ssh-keygen
  shellcheck eslint prettier xxd base64 bandit semgrep gitleaks trufflehog hadolint actionlint vale markdownlint cspell
  typos docker podman nerdctl kubectl npm pnpm yarn npx bunx brew apt-get apt bash sh zsh dash ksh fish csh tcsh busybox
  tmux screen crontab at cargo go make gmake just task ]]
-- Lua patterns for options and subcommands with which these programs change files.
local EDITS = {
  jq = "^%-i$ ^%-%-in%-place", jaq = "^%-%a*i ^%-%-in%-place", gojq = "^%-i$", dasel = "^put$ ^delete$",
  taplo = "^fmt$ ^format$", eslint = "^%-%-fix", xxd = "^%-r ^%-%a*r$",
  base64 = "^%-o", yq = "^%-%a*i ^%-%-inplace", tomlq = "^%-%a*i", jsonlint = "^%-i$ ^%-%-in%-place",
  markdownlint = "^%-%-fix", typos = "^%-w ^%-%-write%-changes", sqlite3 = ".", gron = "^%-o",
  npm = "^%-%-prefix ^%-C$", pnpm = "^%-%-dir ^%-C$", yarn = "^%-%-cwd", make = "^%-C", ninja = "^%-C",
  fx = "^save$", pandoc = "^%-o ^%-%-output",
}
-- Programs that mount over a folder, or run a program with another view of the file system.
local MOUNTS = set "mount umount bwrap unshare fusermount fusermount3 bindfs overlayfs pivot_root chroot unionfs"
local SHELLS = set "bash sh zsh dash ksh fish csh tcsh busybox ash mksh"

local programs = { SHELLS = SHELLS, MOUNTS = MOUNTS }

-- Whether a command needs no check of its arguments: it only reads the files it names, or
-- file_guard.write_targets knows what it writes.
function programs.reads(command)
  local program, argv = command.program:lower(), command.argv
  local edits = EDITS[program]
  for pattern in (edits or ""):gmatch("%S+") do
    for at = 2, #argv do
      if argv[at]:find(pattern) then return false end
    end
  end
  if SHELLS[program] then
    -- A script may change the files in its arguments.
    for at = 2, #argv do
      if argv[at]:find("^%-[%a]*[cn]") then return true end
      if argv[at]:sub(1, 1) ~= "-" then return at == #argv end
    end
  end
  if program:find("^python") then
    for at = 2, #argv do
      if argv[at] == "-m" then return true end
      if argv[at]:sub(1, 1) ~= "-" then return at == #argv end
    end
  end
  return READERS[program] or write_targets.is_writer(command)
end

-- Programs that don't change the files they get from find or xargs.
local HARMLESS = set [[
  ls stat test cat head tail less wc file du grep egrep fgrep rg ag echo printf basename dirname realpath readlink
  md5sum sha1sum sha256sum sha512sum cksum jq diff cmp awk gawk tar zip git docker kill ]]
-- Programs that write only their last operand, or below the folder of -t.
local COPIES = set "cp rsync scp"

function programs.harmless(program, argv)
  program, argv = program:lower(), write_out(argv)
  if program == "sed" or program == "perl" or program == "yq" or program == "ruby" then
    for at = 2, #argv do
      if argv[at]:find("^%-%a*i") or argv[at]:find("^%-%-in") then return false end
    end
    return true
  end
  if COPIES[program] then
    if orcs.contains(argv, "-t") then return true end
    local last = #argv
    if argv[last] == ";" or argv[last] == "+" then last = last - 1 end
    return argv[last] ~= "…" and argv[last] ~= "{}"
  end
  return HARMLESS[program] or false
end

return programs
