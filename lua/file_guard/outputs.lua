-- Options and operands of further programs that write files: data for file_guard.write_targets.

local PIP = {
  "-t --target -d --dest -r -c -e -i --prefix --root --cache-dir -w --wheel-dir", "-t --target -d --dest --prefix",
}

-- Options whose values are written: { options that take a value, options whose value is written,
-- whether long names have a single dash }.
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
  gh = { "-D --dir -O --output -R --repo -p --pattern -t -b -F", "-D --dir -O --output" },
  aws = { "--outfile", "--outfile" }, brotli = { "-o --output -q", "-o --output" }, lz4 = {},
}

-- Options of any other program whose values are written, if they look like files or folders.
local COMMON = [[
  --output --out --outfile --out-file --output-file --output-path --outdir --out-dir --output-dir --outDir --outFile
  --target-dir --dest --destination ]]

-- Programs that change the files in their operands: { options of which one is required ("" for
-- none), options that prevent the change, options that take a value, number of operands to skip }.
local CHANGED = {
  prettier = { "--write -w", "", "--config --ignore-path --parser --plugin --log-level --cache-location" },
  eslint = {
    "--fix", "--fix-dry-run", "-c --config --ext --ignore-path --rule -f --format -o --output-file --max-warnings",
  },
  oxlint = { "--fix", "", "-c --config" }, oxfmt = { "", "--check --list-different", "-c --config" },
  stylelint = { "--fix", "", "--config" }, biome = { "--write --apply --fix", "", "--config-path" },
  standard = { "--fix", "", "" }, rubocop = { "-a -A --autocorrect --autocorrect-all", "", "-c --config" },
  black = { "", "--check --diff -c --code", "-l --line-length -t -c --code --config" },
  isort = { "", "--check --check-only -c --diff", "-l --sp --profile" }, autopep8 = { "-i --in-place", "", "" },
  yapf = { "-i --in-place", "", "--style" }, autoflake = { "-i --in-place", "", "" },
  ruff = { "--fix", "--diff", "--config --select --ignore" },
  gofmt = { "-w", "", "-r" }, goimports = { "-w", "", "-local" }, gofumpt = { "-w", "", "" },
  rustfmt = { "", "--check", "--edition --config-path" }, ["clang-format"] = { "-i", "", "" },
  shfmt = { "-w", "", "-i" },
  stylua = { "", "--check", "--config-path" }, swiftformat = { "", "--lint --dryrun", "" }, ktlint = { "-F", "", "" },
  dos2unix = { "", "", "" }, unix2dos = { "", "", "" }, rename = { "", "-n --no-act", "", 1 },
  ["rename.ul"] = { "", "-n --no-act", "", 2 }, fallocate = { "", "", "-l --length -o --offset" },
  setfacl = { "", "", "-m -x -M -X --modify --remove --set" }, mknod = { "", "", "-m --mode" },
  nano = { "", "-v --view", "" }, pico = { "", "", "" }, micro = { "", "", "" },
  emacs = { "", "--batch", "--eval -l -f" },
  script = { "", "", "-c --command -t -T -I -O -B" }, virtualenv = { "", "", "-p --python" },
}

-- Programs that write their last operand if there are two or more; the value lists the options that
-- take a value.
local LAST = { ffmpeg = "", convert = "", magick = "", link = "", sftp = "-i -o -P -S -b", mmv = "", rclone = "" }

return { OPTIONS = OPTIONS, COMMON = COMMON, CHANGED = CHANGED, LAST = LAST }
