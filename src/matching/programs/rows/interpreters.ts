/** Programs that run code, and programs of Python that are run with \`-m\`. */
export const INTERPRETER_PROGRAMS = `
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
