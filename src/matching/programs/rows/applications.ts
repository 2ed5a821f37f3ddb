/**
 * Shells of databases and what saves them; editors, and programs that change files as a script says; programs that
 * convert what they read: images, sound, encodings, keys; programs that run code, and those of Python that are run with
 * `-m`. See `notation.ts`.
 */
export const APPLICATION_PROGRAMS = `
sqlite3 sqlite sqlcipher duckdb | %single -cmd,-c,-s=code:code -init,-f=script -separator= -newline= -nullvalue= -vfs=
  -maxsize= -mmap= -lookaside= -pagecache= -heap= -key= -readonly:reads -batch -bail -csv -json -line -list -markdown
  -table -html -column -header -noheader -echo -interactive -safe -version -stats -quote -ascii -box -A | text?
  code... | fn=database lang=sql
psql | -c,--command=code -f,--file=reads -d,--dbname= -h,--host=host -p,--port= -U,--username= -v,--set,--variable=
  -P,--pset= -F,--field-separator= -R= -T= -o,--output=writes -L,--log-file=writes -w -W,--password -X -A -t
  -q,--quiet -a,--echo-all -e -E -b -l,--list -s -S -1 --csv | guess... | lang=psql
mysql mariadb | -e,--execute=code -h,--host=host -P,--port= -u,--user= -D,--database= --tee=writes -S,--socket=
  --ssl-key= --ssl-cert= --ssl-ca= --default-character-set= --defaults-file=reads --init-command=code -p=? | guess...
  | lang=psql
pg_dump pg_dumpall pg_restore | -f,--file=writes -h,--host=host -p,--port= -U,--username= -d,--dbname= -t,--table=
  -T,--exclude-table= -n,--schema= -N= -F,--format= -E,--encoding= -j,--jobs= -e,--extension= -Z,--compress= -S= -l=
  -L=reads -c,--clean -C,--create -s,--schema-only -w -W,--password -a -O -x -v --list | guess...
mysqldump mariadb-dump | -r,--result-file=writes -T,--tab=below -h,--host=host -u,--user= -P,--port= -p,--password=?
  -S,--socket= --log-error=writes --ignore-table= --where= -w= --replace | guess...
mongosh mongo | -f,--file=reads --eval=code --host=host --port= -u= -p=? | guess... | lang=program
ed red | -p= -s,--quiet,--silent -E -G -l -r -v | edits? | lang=ed
vi vim nvim rvim gvim mvim nvi vim.basic vim.tiny | -c=code:code -S=script:code --cmd=code:code -u=reads -U=reads
  -i=edits -s -w=writes -W=writes -t= -T= -q=reads -r -R:view -M:view -e:script -E:script -d -n -b -y -Z -o=? -O=?
  -p=? --listen= --servername= --startuptime=writes --headless --clean --noplugin | view: reads... ; edits... | fn=vim
  lang=ex
view rview vimdiff | -c=code:code -S=script:code --cmd=code:code -u=reads -i=edits -t= -e:script -E:script -s -n -b -d
  -o -O | reads... | fn=vim lang=ex
ex | -c=code:more -S=script --cmd=code:more -u=reads -i=edits -t= -R:view -s -v -r | edits... | fn=vim lang=ex
nano pico | -v,--view:view -f,--rcfile=reads -Y= -T= -r= -o=cd -s= -J= -C=below -X= -Q= | view: reads... ; edits...
micro | %single -config-dir= -readonly= -parsecursor= | edits...
emacs | %single --batch,-batch:batch --eval,-eval=code:code -l,--load,-load,--script=script -f,--funcall= -u= -d= -g=
  -T= -fn= | batch: reads... ; edits... | lang=program
yq tomlq | -i,--inplace,--in-place:inplace -o,--output-format= -p,--input-format= -f,--from-file=reads:given
  --front-matter= -I,--indent= -s= --expression=code:given --arg=text:arg --slurpfile=text:file --rawfile=text:file
  --argfile=text:file -n -r -j -P -C -M -e -N -0 | code reads... | fn=jq
sed gsed | -e,--expression=code:script -f,--file=script:script -i,-I,--in-place=?:inplace -l,--line-length=
  -n,--quiet,--silent:silent -E,-r,--regexp-extended -s,--separate -u -z --posix --debug --sandbox | inplace+script:
  edits... ; inplace: code edits... ; script: reads... ; code reads... | fn=sed lang=sed
awk gawk mawk nawk goawk | -f,--file=script:script -e,--source=code:script -i,--include=reads:include
  -F,--field-separator= -v,--assign=:assign -E,--exec=script:script -l,--load= --lint=? -o,--pretty-print=?writes
  -p,--profile=?writes -d,--dump-variables=?writes | script: reads... ; code reads... | fn=awk lang=awk given
sort gsort | -o,--output=writes -k,--key= -t,--field-separator= -S,--buffer-size= -T,--temporary-directory=
  --parallel= --batch-size= --compress-program=line --files0-from=list --random-source=reads --sort= --check=?
  --ignore-case --ignore-leading-blanks --ignore-nonprinting --merge --reverse | reads...
uniq guniq | -f,--skip-fields= -s,--skip-chars= -w,--check-chars= -c,--count -d -D -i -u --group=? --all-repeated=? |
  reads? writes?
shuf gshuf | -o,--output=writes -n,--head-count= -i,--input-range= -e --random-source=reads -r -z | reads...
ffmpeg | %single -i=reads:input -f= -c= -vf= -af= -filter_complex= -map= -ss= -to= -t= -r= -s= -crf= -preset= -vcodec=
  -acodec= -codec= -pix_fmt= -ar= -ac= -loglevel= -vframes= -passlogfile=writes -report -movflags= | input+1: writes ;
  1: text ; text... writes
convert magick | %single | 1: reads ; reads... writes
base64 | -o,--output=writes -i,--input=reads -b,--break= -w,--wrap= -d,-D,--decode | reads?
iconv | -o,--output=writes -f,--from-code= -t,--to-code= -l,--list -c -s,--silent --verbose | reads...
xxd | %single -c,-cols= -g,-groupsize= -l,-len= -n,-name= -o= -s,-seek= -R= -r,-revert -p,-ps,-postscript,-plain
  -i,-include -u -b,-bits -e -E -d -a,-autoskip -C,-capitalize | reads? writes?
pv | -o,--output=writes -N,--name= -L,--rate-limit= -s,--size= -i,--interval= -B= -F,--format= -P,--pidfile=writes -d=
  -R= | reads...
age-keygen | -o,--output=writes -y | reads?
python python2 python3 pypy pypy3 | %leading -c=code:code -m=:module -W= -X= -Q= --check-hash-based-pycs= -i -u -B -E
  -I -O -s -S -v -q -d -b -x | code: guess... ; module: guess... ; script? guess... | fn=module lang=program given
node nodejs bun tsx ts-node | %leading -e,--eval=code:code -p,--print:code -r,--require=script --import=script
  -c,--check:check -C,--conditions= --loader= --experimental-loader= --env-file=uses --env-file-if-exists=uses
  --max-old-space-size= --title= --input-type= -i,--interactive --watch --test --inspect=? --inspect-brk=? | check:
  reads text... ; code: code? guess... ; script? guess... | lang=program
deno | | subcommand guess... | lang=program
deno/eval | -p,--print --ext= -A | code guess... | lang=program
deno/run | -A,--allow-all --allow-read=? --allow-write=? --allow-net=? --allow-run=? --allow-env=? --env-file=uses
  -c,--config= --import-map= %leading | script guess... | lang=program
perl | %leading -e,-E=code:code -i=?:inplace -M=? -m=? -I=? -F=? -C=? -d=? -D=? -x=? -c:check -p,-n:lines -l -a -w -W
  -s -S -t -T -0 -v | check: reads text... ; inplace+code: edits... ; inplace: script edits... ; code: scans... ;
  script? guess... | fn=substitute lang=program given
ruby | %leading -e=code:code -i=?:inplace -r= -I= -C=cd -E= -F=? -K=? -x=? -T=? -W=? -c:check -p,-n:lines -a -l -s -S
  -w -v -0 | check: reads text... ; inplace+code: edits... ; inplace: script edits... ; code: guess... ; script?
  guess... | fn=substitute lang=program given
php | %leading -r,-B,-R,-E=code:code -f=script -F=script -d= -c= -z= -t= -S= -l,--syntax-check:check -a -n -i -v |
  check: reads text... ; code: guess... ; script? guess... | lang=program
lua luajit lua5.1 lua5.2 lua5.3 lua5.4 | %leading -e=code:code -l= -i -v -E | code: script? guess... ; script?
  guess... | lang=program
julia rscript elixir osascript tclsh expect | %leading -e,-E,-l,--eval=code:code -L=script -p= -t= -J= --project=? |
  code: guess... ; script? guess... | lang=program
`;
