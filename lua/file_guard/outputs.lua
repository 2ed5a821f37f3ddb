-- Options and operands of further programs that write files: data for file_guard.write_targets.

local set = require("file_guard.words").set

local PIP = {
  "-t --target -d --dest -r -c -e -i --prefix --root --cache-dir -w --wheel-dir", "-t --target -d --dest --prefix",
}

local HUGGING_FACE = { "--local-dir --cache-dir", nil, false, "--local-dir" }

-- Options whose values are written: { options that take a value, options whose value is written,
-- whether long names have a single dash, options whose value is a folder for files of any name }.
local OPTIONS = {
  age = { "-o --output -r -R -i", "-o --output" },
  gpg = { "-o --output -r -u --recipient --passphrase", "-o --output" },
  gpg2 = { "-o --output -r -u --recipient --passphrase", "-o --output" },
  pandoc = { "-o --output -f -t --from --to", "-o --output" }, iconv = { "-o --output -f -t", "-o --output" },
  dot = { "-o -T -K", "-o" }, protoc = { "-o -I --descriptor_set_out", "-o --descriptor_set_out" }, nasm = { "-o -f", "-o" },
  swiftc = { "-o", "-o", true }, javac = { "-d -cp -classpath", "-d", true }, kotlinc = { "-d -cp", "-d", true },
  http = { "-o --output", "-o --output" }, https = { "-o --output", "-o --output" },
  xh = { "-o --output", "-o --output" },
  terraform = { "-out -state-out -state", "-out -state-out", true },
  tofu = { "-out -state-out -state", "-out -state-out", true },
  pg_dump = { "-f --file -h -p -U -d -t -n -F", "-f --file" },
  mysqldump = { "-r --result-file -h -u -P", "-r --result-file" },
  csplit = { "-f --prefix -b -n", "-f --prefix" },
  cmake = { "-B -S -G -D -P --build --install --prefix --target -t -j --config --preset", "-B --prefix" },
  pip = PIP, pip3 = PIP,
  cargo = { "--target-dir --root --path --manifest-path -p --package --features", "--target-dir --root" },
  tsc = { "--outDir --outFile --declarationDir -p --project --target --module", "--outDir --outFile --declarationDir" },
  brotli = { "-o --output -q", "-o --output" }, base64 = { "-o --output -i -b -w --wrap", "-o --output" },
  shuf = { "-o --output -n --head-count -i --input-range --random-source", "-o --output" },
  axel = { "-o --output -n -s -H -U -T", "-o --output" }, gdown = { "-O --output", "-O --output" },
  pv = { "-o --output -N -L -s", "-o --output" },
  ["yt-dlp"] = { "-o --output -P --paths -f --format", "-o --output", false, "-P --paths" },
  unar = { "-o -output-directory -p -password -e", nil, true, "-o -output-directory" },
  cabextract = { "-d -F", nil, false, "-d" }, kaggle = { "-p --path -d -f --file", nil, false, "-p --path" },
  az = { "-f --file -d --destination -n --name -c -s --source", "-f --file", false, "-d --destination" },
  hf = HUGGING_FACE, ["huggingface-cli"] = HUGGING_FACE,
  cookiecutter = { "-o --output-dir", nil, false, "-o --output-dir" },
}

-- Options of any other program whose values are written, if they look like files or folders.
local COMMON = [[
  --output --out --outfile --out-file --output-file --output-path --outdir --out-dir --output-dir --outDir --outFile
  --target-dir --dest --destination ]]

-- Programs that change the files in their operands. only: options of which one is required; unless:
-- options that prevent the change; valued: options that take a value; skipped: number of operands that
-- are not changed.
local CHANGED = {
  prettier = { only = "--write -w", valued = "--config --ignore-path --parser --plugin --log-level --cache-location" },
  eslint = {
    only = "--fix", unless = "--fix-dry-run",
    valued = "-c --config --ext --ignore-path --rule -f --format -o --output-file --max-warnings",
  },
  oxlint = { only = "--fix", valued = "-c --config" },
  oxfmt = { unless = "--check --list-different", valued = "-c --config" },
  stylelint = { only = "--fix", valued = "--config" },
  biome = { only = "--write --apply --fix", valued = "--config-path" }, standard = { only = "--fix" },
  rubocop = { only = "-a -A --autocorrect --autocorrect-all", valued = "-c --config" },
  black = { unless = "--check --diff -c --code", valued = "-l --line-length -t -c --code --config" },
  isort = { unless = "--check --check-only -c --diff", valued = "-l --sp --profile" },
  autopep8 = { only = "-i --in-place" }, yapf = { only = "-i --in-place", valued = "--style" },
  autoflake = { only = "-i --in-place" },
  ruff = { only = "--fix", unless = "--diff", valued = "--config --select --ignore" },
  gofmt = { only = "-w", valued = "-r" }, goimports = { only = "-w", valued = "-local" }, gofumpt = { only = "-w" },
  rustfmt = { unless = "--check", valued = "--edition --config-path" }, ["clang-format"] = { only = "-i" },
  shfmt = { only = "-w", valued = "-i" }, stylua = { unless = "--check", valued = "--config-path" },
  swiftformat = { unless = "--lint --dryrun" }, ktlint = { only = "-F" }, dos2unix = {}, unix2dos = {},
  rename = { unless = "-n --no-act", skipped = 1 }, ["rename.ul"] = { unless = "-n --no-act", skipped = 2 },
  fallocate = { valued = "-l --length -o --offset" }, setfacl = { valued = "-m -x -M -X --modify --remove --set" },
  mknod = { valued = "-m --mode" }, nano = { unless = "-v --view" }, pico = {}, micro = {},
  emacs = { unless = "--batch", valued = "--eval -l -f" }, script = { valued = "-c --command -t -T -I -O -B" },
  virtualenv = { valued = "-p --python" },
}

-- Programs that write their last operand if there are two or more.
local LAST = set "ffmpeg convert magick link sftp mmv"
-- Options of these that take a value.
local LAST_VALUED = { sftp = "-i -o -P -S -b" }

return { OPTIONS = OPTIONS, COMMON = COMMON, CHANGED = CHANGED, LAST = LAST, LAST_VALUED = LAST_VALUED }
