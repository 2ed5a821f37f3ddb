/** Editors, and programs that change files as a script says. */
export const EDITOR_PROGRAMS = `
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
`;
