-- How programs use the files that they are given: tables for file_guard.sources. A program that is
-- in none of them is assumed to read every file that it names.
local set = require("file_guard.words").set

-- Programs that don't show the contents of the files that they name, or only write to them.
local NAMES = set [[
  ls dir vdir stat test [ [[ rm unlink rmdir shred touch mkdir mkfifo echo printf chmod chown chgrp chattr lsattr file
  du df basename dirname realpath readlink which whereis command builtin hash cd pushd popd dirs true false : sleep exit
  return kill wait trap alias unalias local declare typeset readonly unset export shift umask mktemp tree find fd fdfind
  locate mdfind getfacl setfacl truncate wc make ssh-keygen ssh-add ssh-copy-id restorecon vercel netlify direnv
  eza exa lsd let seq pgrep pkill inotifywait fswatch tee sponge patch sops ansible-vault trash trash-put rimraf ]]

-- Options with which those programs show the lines of a file, or run a command that does.
local SHOWN_BY = {
  find = "^%-files0%-from", wc = "^%-%-files0%-from", du = "^%-%-files0%-from", file = "^%-f", tree = "^%-%-from",
  make = "^%-%a*f", fd = "^%-[xX]$", fdfind = "^%-[xX]$",
}
local SHOWN_BY_LONG = { file = "^%-%-files%-from", make = "^%-%-%a*file", fd = "^%-%-exec", fdfind = "^%-%-exec" }

-- Options whose values are neither shown nor sent: output files, credentials for a login, or values
-- that are not files.
local SPARED = {
  ssh = set "-i -o -l -p -S -J -E -b -L -R -D -W", scp = set "-i -o -P -S -J -l",
  sftp = set "-i -o -P -S -J", rsync = set "--exclude --exclude-from --include --rsh -e",
  mosh = set "--ssh", autossh = set "-i -o",
  docker = set "--env-file --name --tag -t --label --format --filter --secret",
  podman = set "--env-file --name --tag -t --label --format --filter --secret",
  nerdctl = set "--env-file", ["docker-compose"] = set "--env-file",
  node = set "--env-file --env-file-if-exists", bun = set "--env-file", deno = set "--env-file",
  tsx = set "--env-file --env-file-if-exists",
  ["dotenvx"] = set "-f --env-file", ["env-cmd"] = set "-f --file", honcho = set "-e --env", foreman = set "-e --env",
  uvicorn = set "--env-file --ssl-keyfile --ssl-certfile", flask = set "--env-file --key --cert",
  uv = set "--env-file", gunicorn = set "--keyfile --certfile",
  curl = set [[
    -o --output --key --cert -E --cacert --capath --netrc-file -m --max-time -A --user-agent -e
    --referer -X --request -u --user --output-dir -D --dump-header ]],
  wget = set [[
    -O --output-document -P --directory-prefix -o --output-file --private-key --certificate --ca-certificate -U ]],
  openssl = set [[
    -out -keyout -key -inkey -signkey -CAkey -CA -CAfile -CApath -cert -certfile -subj -config -name -pass -passin
    -passout -newkey ]],
  kubectl = set "--kubeconfig -o --output -n --namespace -l --selector -f --filename",
  helm = set "--kubeconfig -n --namespace -f --values", keytool = set "-keystore -destkeystore -storepass",
  aws = set "--query --profile --output", gcloud = set "--format --filter", az = set "--query --output -o",
  gh = set "--jq -q --template -t --body -b --title --notes -n --search -S --label -l --head --base --message",
  glab = set "--title -t --description -d --label -l",
  terraform = set "-out -target", tofu = set "-out -target", dotenv = set "-e",
  ["dotenv-cli"] = set "-e",
  ansible = set "--private-key --key-file --vault-password-file",
  ["ansible-playbook"] = set "--private-key --key-file --vault-password-file",
  mkcert = set "-key-file -cert-file -p12-file", certbot = set "--key-path --cert-path",
  prettier = set "--ignore-path", eslint = set "--ignore-path --ignore-pattern",
  tar = set "--exclude --exclude-from -X",
  zip = set "-x --exclude", op = set "-o --out-file",
  fd = set "-E --exclude", fdfind = set "-E --exclude",
  vite = set "--mode", mysql = set "--ssl-key --ssl-cert", psql = set "--set -v",
}
-- Such options of every program: it receives the contents of the file but doesn't show them.
local SPARED_BY_ALL = set "--env-file --env-file-if-exists"
-- Options that name a file from which a program reads arguments for the command that it runs.
local HANDED = { xargs = set "-a --arg-file", parallel = set "-a --arg-file ::::" }

-- Programs whose first operand is a pattern, a filter or a program, unless an option supplies it.
local SEARCH = {
  pattern = set "-e --regexp", from = set "-f --file", seen = set "--include --glob --iglob -g -G --type-add",
  quiet = set "-q --quiet --silent -l --files-with-matches -L --files-without-match -c --count",
  valued = set [[
    -e --regexp -f --file -A --after-context -B --before-context -C --context -m --max-count -d --directories -D
    --devices --include --exclude --exclude-dir --exclude-from --color --colour --label -g --glob --iglob -t --type -T
    --type-not --type-add -j --threads --max-depth -M --max-columns --ignore-file -r --replace --sort --sortr --encoding
    -E --ignore ]],
}
local GREP = setmetatable({ valued = set [[
    -e --regexp -f --file -A --after-context -B --before-context -C --context -m --max-count -d --directories -D
    --devices --include --exclude --exclude-dir --exclude-from --label ]] }, { __index = SEARCH })
-- In rg, -L follows links.
local RG = setmetatable({
  quiet = set "-q --quiet --silent -l --files-with-matches --files-without-match -c --count --files",
}, { __index = SEARCH })
local SED = {
  pattern = set "-e --expression", from = set "-f --file", valued = set "-e --expression -f --file -l --line-length",
}
local AWK = {
  pattern = set "-e --source", from = set "-f --file", valued = set "-F --field-separator -v --assign -f --file -e --source",
}
local JQ = { pattern = {}, from = set "-f --from-file", seen = set "--slurpfile --rawfile --argfile",
  valued = set "-f --from-file --indent -L --tab -o --output-format -p --input-format" }
local YQ = setmetatable({}, { __index = JQ })
local PATTERN_FIRST = {
  grep = GREP, egrep = GREP, fgrep = GREP, zgrep = GREP, rg = RG, ripgrep = RG, ag = SEARCH, ack = SEARCH,
  ["git-grep"] = GREP, sed = SED, gsed = SED, awk = AWK, gawk = AWK, mawk = AWK, nawk = AWK, jq = JQ, yq = YQ,
}

-- Programs that run code from an argument.
local CODE = set [[
  python python2 python3 node bun deno perl ruby php lua osascript tclsh expect julia rscript elixir awk sqlite3 duckdb
  psql mysql mongosh ]]
-- Shells of databases → the beginning of a line that is a command of the shell itself.
local SOURCES = "^%s*source%s"
local META = { psql = "^%s*\\[%a!]", sqlite3 = "^%s*%.%a", duckdb = "^%s*%.%a", mysql = SOURCES, mariadb = SOURCES }

-- Shells of other systems, and programs with a language in which file names are not quoted.
local FOREIGN = set "pwsh powershell cmd.exe powershell.exe pwsh.exe sftp ftp lftp smbclient gdb"

-- Programs that read file names from a list: always (empty pattern), or with an argument that
-- matches the pattern.
local TAR_LISTED = "^%-%a*T"
local LISTED = {
  cpio = "", pax = "^%-w", tar = TAR_LISTED, gtar = TAR_LISTED, bsdtar = TAR_LISTED, zip = "^%-@", rsync = "^%-%-files%-from", wc = "^%-%-files0%-from",
}

-- Programs that load a file into the environment of the command that they run.
local LOADS = set "dotenv dotenv-cli dotenvx env-cmd honcho foreman"
-- Patterns of code that reads the whole environment, for code in an argument.
local ENVIRONMENT = {
  "process%.env%f[^%w_.%[]", "os%.environ%f[^%w_.%[]", "ENV%.to_", "getenv%(%)", "%%ENV%f[^%w_{]",
  "Deno%.env%.toObject", "Bun%.env%f[^%w_.%[]", "%$_ENV%f[^%w_%[]",
}

-- Programs that process everything below a folder.
local RECURSIVE = set [[
  tar bsdtar gtar zip 7z 7za rsync scp cp rclone cpio pax grep egrep rg ag ack restic borg gsutil aws s3cmd az ditto
  duplicity magic-wormhole wormhole croc ]]

-- Programs whose operands are checked for links, because a link to a secret may have any name.
local FOLLOWED = set [[
  cat tac nl head tail less more most bat batcat view vi vim nvim nano emacs code xxd od hexdump hd strings base64
  base32
  basenc sort uniq cut paste join comm diff cmp diff3 sdiff colordiff fold fmt pr column rev gzip gunzip zcat bzip2 xz
  zstd openssl gpg age cp mv install rsync scp sftp tar bsdtar zip 7z curl wget http https nc source . split csplit awk
  gawk sed grep egrep fgrep rg jq yq python python3 node perl ruby php ed ex pandoc iconv dos2unix md5sum sha1sum
  sha256sum sha512sum cksum b2sum pbcopy xclip xsel glow mdcat highlight pygmentize expand unexpand tr shuf type man
  get-content gc ftp tftp socat sqlite3 aws gsutil rclone ]]

local COPY = set "cp mv ln install gcp gmv"
-- Options that take a value.
local TAR_VALUED = set [[
  -f --file -C --directory -X --exclude-from --exclude -T --files-from -I --use-compress-program -g -H -b --transform
  --strip-components --owner --group --mode ]]
local FD_VALUED = set [[
  -e --extension -E --exclude -d --max-depth -t --type -S --size -c --color -j --threads -o --owner ]]

return {
  SPARED_BY_ALL = SPARED_BY_ALL, FOREIGN = FOREIGN, LISTED = LISTED, LOADS = LOADS, ENVIRONMENT = ENVIRONMENT,
  NAMES = NAMES, SHOWN_BY = SHOWN_BY, SHOWN_BY_LONG = SHOWN_BY_LONG, SPARED = SPARED, HANDED = HANDED,
  SED = SED, AWK = AWK, YQ = YQ, PATTERN_FIRST = PATTERN_FIRST,
  CODE = CODE, META = META, RECURSIVE = RECURSIVE, FOLLOWED = FOLLOWED, COPY = COPY,
  TAR_VALUED = TAR_VALUED, FD_VALUED = FD_VALUED,
}
